// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables of words and figures, as the benchmarks print them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fenceline::report {

// A table of text, for a terminal or as Markdown. The first `words` columns are aligned left, the others,
// numbers, right.
class Table {
 public:
  Table(std::vector<std::string> heads, size_t words) : rows_{std::move(heads)}, words_(words) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(bool markdown) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first one has the heads
  size_t words_;
};

// Three significant digits or so: "0.012", "1.23", "45.6".
std::string short_number(double number);

}  // namespace fenceline::report
