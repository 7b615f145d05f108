// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects errors in the user's text. Reading continues after an error, so that one call reports several, but
// never more than kMaxDiagnostics: the twentieth ends the reading, which also bounds the time spent on junk.
// Each position gets one message: further ones at the same position are usually repetitions (a thread with
// eight instances would repeat everything eight times).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "env/errors.h"
#include "env/source.h"

namespace fenceline::frontend::fl {

constexpr size_t kMaxDiagnostics = 20;

// Thrown to leave the reader at once; the catcher calls Diagnostics::raise().
struct StopReading {};

class Diagnostics {
 public:
  // `file` must outlive this object.
  explicit Diagnostics(const SourceFile& file) : file_(file) {}

  // Throws StopReading if there are enough complaints now.
  void error(SourcePos pos, std::string message, std::string hint = {});

  // An error after which reading cannot continue.
  [[noreturn]] void fatal(SourcePos pos, std::string message, std::string hint = {});

  bool any() const { return !diagnostics_.empty(); }

  // Throws InputError with everything so far, in the order of the text. Precondition: any().
  [[noreturn]] void raise();

 private:
  const SourceFile& file_;
  std::vector<Diagnostic> diagnostics_;
  std::set<SourcePos> complained_;
};

// "did you mean 'turn'?" if a candidate is spelled almost like `name`, else nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace fenceline::frontend::fl
