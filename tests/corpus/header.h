// SPDX-License-Identifier: GPL-3.0-or-later
//
// The comment on top of a corpus file. After some plain sentences it says, one line per property, what each
// model must answer:
//
//   // expect mutex: sc=verified tso=violated pso=violated
//
// so that the expected answer lies beside the input and a reader sees both at once. Two more kinds of lines
// say what abstract store buffers are good for, where that is interesting:
//
//   // expect-coherence mutex pso: set=spurious fd0=verified fd1=verified
//   // expect-fences mutex: tso=1 pso=2 pso.fd0=none
//
// The first has, for a property and a model, the answer of the coherence engine per abstraction (`spurious`:
// it finds an execution that the exact machine does not have). The second has the least number of full fences after
// stores, counted as positions in the text, that make the property hold on a model: with the first abstraction
// that decides, or, behind a dot, with a given one. `none`: no placement is proved sufficient. `// large`
// marks files that take seconds rather than milliseconds, `// unbounded` those with integers that grow for
// ever, which engines that look at one state after the other cannot prove right: the numeric engine is tried
// first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// What the coherence engine must answer.
enum class AbstractVerdict : uint8_t { kVerified, kSpurious, kViolated };
std::string_view to_string(AbstractVerdict verdict);

struct AbstractExpectation {
  std::string property, model;
  std::vector<std::pair<std::string, AbstractVerdict>> verdicts;  // by abstraction

  friend bool operator==(const AbstractExpectation&, const AbstractExpectation&) = default;
};

struct FenceCount {
  std::string model;
  std::string abstraction;        // empty: the first that decides
  std::optional<uint64_t> count;  // none: no placement is proved right

  friend bool operator==(const FenceCount&, const FenceCount&) = default;
};

struct FenceExpectation {
  std::string property;
  std::vector<FenceCount> counts;

  friend bool operator==(const FenceExpectation&, const FenceExpectation&) = default;
};

struct Header {
  std::vector<std::string> comments;  // the lines of none of these kinds, without their "// "
  bool large = false;
  bool unbounded = false;
  std::vector<Expectation> expectations;
  std::vector<AbstractExpectation> coherence;
  std::vector<FenceExpectation> fences;

  const Expectation* find(std::string_view property) const;  // null if there is none
};

// Throws InputError naming the line if a line of one of these kinds is malformed, or if two of them say the
// same.
Header parse_header(const SourceFile& file);

// The text of `file` with its `expect` lines replaced by these, in place of the first of them (or at the end
// of the header if it had none). Everything else stays as it is.
std::string with_expectations(const SourceFile& file, const std::vector<Expectation>& expectations);

// The text of `file` with its `expect-coherence` lines replaced by these, one for one. Precondition: there
// are as many.
std::string with_coherence(const SourceFile& file, const std::vector<AbstractExpectation>& expectations);

}  // namespace fenceline::corpus
