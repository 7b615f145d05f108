// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where complaints about the user's text are collected. Readers go on after a complaint so that one run
// shows several, but never more than kMaxDiagnostics: the twentieth ends the reading, which also bounds the
// time spent on junk. One position gets one complaint: what follows at the same position is usually an echo (a
// thread with eight instances would say everything eight times).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "env/errors.h"
#include "env/source.h"

namespace fenceline::fl {

constexpr size_t kMaxDiagnostics = 20;

// Thrown to leave the reader at once; the catcher calls Diagnostics::raise().
struct StopReading {};

class Diagnostics {
 public:
  // `file` must outlive this object.
  explicit Diagnostics(const SourceFile& file) : file_(file) {}

  // Throws StopReading if there are enough complaints now.
  void error(SourcePos pos, std::string message, std::string hint = {});

  // A complaint after which reading on makes no sense.
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

}  // namespace fenceline::fl
