// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which properties of a program are to be checked, and what each of them observes of a state.
#pragma once

#include <string>
#include <vector>

#include "env/options.h"
#include "machine/store_buffer/system.h"
#include "task/task.h"

namespace fenceline::property {

inline constexpr const char* kErrorsProperty = "errors";      // run-time errors of the program
inline constexpr const char* kDeadlockProperty = "deadlock";  // what --deadlock adds
inline constexpr const char* kLivenessProperty = "liveness";  // what --liveness adds

// The properties of the file that options.properties selects, then `errors` if none of them looks at errors
// and one cannot be excluded beforehand (or if there is nothing else to check), then `deadlock` with
// --deadlock and `liveness` with --liveness. Throws UsageError naming the properties there are if one is unknown.
std::vector<Property> properties_to_check(const Program& program, const Options& options);

// Whether deadlock or liveness is among them, by an option or by its name.
bool asks_for_progress(const Options& options);

// Why it cannot be decided whether the program deadlocks, on a machine; empty: it can be. A thread that waits
// outside of an atomic section has evaluated its condition once, and it is not known whether evaluating it
// again would help.
std::string deadlocks_undecided(const Program& program);
// The same for liveness, on any model: whether it would help is known of most conditions (ir/analysis/retried_waits.h).
std::string liveness_undecided(const Program& program);

// The registers whose values the property needs, and when.
machine::Observed observed_by(const Program& program, const Property& property);

// What partial-order reduction must not step over.
machine::Visibility visible_to(const Program& program, const Property& property);

// The machine for a task: it keeps what the property needs and steps over nothing that the property observes.
machine::System system_for(const Task& task, const machine::SystemOptions& options);

// Evaluates one property in states.
class Monitor {
 public:
  Monitor(const Program& program, const Property& property) : program_(program), property_(property) {}

  enum class Finding { kFine, kViolated, kUndefined };  // kUndefined: the formula divides by zero or the like

  // Deadlock, liveness and run-time errors are not visible in a single state: kFine.
  Finding look(const machine::StateView& view) const;

 private:
  const Program& program_;
  const Property& property_;
};

}  // namespace fenceline::property
