// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fenceline::report {

std::string Table::text(bool markdown) const {
  std::vector<size_t> widths(rows_[0].size(), markdown ? 3 : 0);
  for (const std::vector<std::string>& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  const auto line = [&](const auto& cell) {
    std::string made = markdown ? "|" : "";
    for (size_t i = 0; i < widths.size(); ++i)
      made += markdown ? " " + cell(i) + " |" : (i == 0 ? "" : "  ") + cell(i);
    made.erase(made.find_last_not_of(' ') + 1);
    text += made + "\n";
  };
  for (size_t r = 0; r < rows_.size(); ++r) {
    line([&](size_t i) {
      return i < words_ ? fmt::format("{:<{}}", rows_[r][i], widths[i])
                        : fmt::format("{:>{}}", rows_[r][i], widths[i]);
    });
    if (r > 0) continue;
    line([&](size_t i) {
      std::string rule(widths[i], '-');
      if (markdown && i >= words_) rule.back() = ':';
      return rule;
    });
  }
  return text;
}

std::string short_number(double number) {
  const int decimals = number >= 100 ? 0 : number >= 10 ? 1 : number >= 0.1 ? 2 : 3;
  return fmt::format("{:.{}f}", number, decimals);
}

}  // namespace fenceline::report
