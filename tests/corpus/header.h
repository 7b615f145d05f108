// SPDX-License-Identifier: GPL-3.0-or-later
//
// The comment on top of a corpus file. After some plain sentences it says, one line per property, what each
// model must answer:
//
//   // expect mutex: sc=verified tso=violated pso=violated
//
// so that the expected answer lies beside the input and a reader sees both at once. `// large` marks files
// that take seconds rather than milliseconds.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "env/source.h"
#include "env/verdict.h"

namespace fenceline::corpus {

// In the order in which an `expect` line names them.
inline constexpr std::array<std::string_view, 3> kModels = {"sc", "tso", "pso"};

struct Expectation {
  std::string property;
  std::array<Verdict, kModels.size()> verdicts;

  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Header {
  std::vector<std::string> comments;  // the lines that are neither `expect` nor `large`, without their "// "
  bool large = false;
  std::vector<Expectation> expectations;

  const Expectation* find(std::string_view property) const;  // null if there is none
};

// Throws InputError naming the line if an `expect` line is malformed or a property is named twice.
Header parse_header(const SourceFile& file);

// The text of `file` with its `expect` lines replaced by these, in place of the first of them (or at the end
// of the header if it had none). Everything else stays as it is.
std::string with_expectations(const SourceFile& file, const std::vector<Expectation>& expectations);

}  // namespace fenceline::corpus
