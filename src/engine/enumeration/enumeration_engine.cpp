// SPDX-License-Identifier: GPL-3.0-or-later
//
// The enumeration engine: all executions of a small program that the axioms of the model allow, one by one. No
// machine, no solver, nothing left out because it does not matter: it exists to be compared with engines that
// are faster (docs/engine-enumeration.md).
//
// Which executions have to be looked at depends on the property. Its formula is about complete ones. An error is
// the end of an execution in which a thread stops there and the others have got anywhere. A flag of the model can
// be raised in every execution. A proof needs all of them; that a thread has a longer trace, or one with a value
// outside of 64 bits, makes the answer `unknown`, even if no execution contains it.
#include "engine/enumeration/enumeration_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "check/axiomatic/execution_checker.h"
#include "engine/enumeration/enumerate.h"
#include "engine/enumeration/possible_values.h"
#include "env/errors.h"
#include "model/memory_model.h"

namespace fenceline::engine {
namespace {

constexpr size_t kLongestTrace = 200;  // instructions of a thread

class EnumerationEngine final : public Engine {
 public:
  std::string_view name() const override { return "enumeration"; }
  std::string_view summary() const override {
    return "enumerates all executions that the model's axioms allow; a second opinion on small programs "
           "without loops that spin (every model; never chosen by auto)";
  }
  std::string unsupported_reason(const Task& task) const override;
  bool in_portfolio() const override { return false; }
  Result run(const Task& task, Env& env) const override;
};

std::string EnumerationEngine::unsupported_reason(const Task& task) const {
  if (std::string why = unsupported_by_executions(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kLiveness)
    return "the enumeration engine does not support liveness";
  // A thread that stops in the middle of an operation would not be noticed by a model that takes operations as
  // a whole, and what it has stored so far would be seen.
  if (looks_at_errors(task.property.kind) && axioms_of(task.model).uses("operation"))
    return fmt::format("the enumeration engine cannot check errors on {}, which takes operations as a whole",
                       task.model.name);
  return "";
}

class Decision {
 public:
  Decision(const Task& task, Env& env)
      : task_(task),
        env_(env),
        overlay_(task.program, task.fences),
        axioms_(axioms_of(task.model)),
        has_flags_(std::any_of(axioms_.constraints.begin(), axioms_.constraints.end(),
                               [](const Constraint& constraint) { return constraint.flag; })),
        // In a machine with store buffers a store takes effect after all earlier loads.
        loads_may_be_late_(task.model.buffering == Buffering::kNoMachine) {}

  Result run() {
    if (loads_may_be_late_) values_ = possible_values(overlay_);
    if (looks_at_end(task_.property.kind)) examine(Extent::kComplete);
    if (!over() && has_flags_)
      examine(Extent::kPartial);
    else if (!over() && looks_at_errors(task_.property.kind))
      examine(Extent::kFailing);
    if (!over() && executions_ == 0) find_any();
    return conclusion();
  }

 private:
  bool over() const { return counterexample_.has_value() || !limit_.empty(); }

  EnumerationOptions options(Extent extent) const {
    return {.extent = extent,
            .values = values_ ? &*values_ : nullptr,
            .limits = {.longest = kLongestTrace, .budget = UINT64_MAX, .limits = &env_.limits}};
  }

  void examine(Extent extent) {
    std::vector<ExprId> observed;
    if (extent == Extent::kComplete) observed.push_back(task_.property.formula);
    enumerate(extent, observed, [&](const EnumeratedExecution& found) {
      if (env_.progress.due())
        env_.progress.show(fmt::format("{} examined", counted(executions_, "execution")));
      ++executions_;
      const bool errors = looks_at_errors(task_.property.kind);
      // To a program that must not fail, a data race and its like are failures.
      if (errors && (found.fails || !found.flags.empty())) return violated(found);
      if (!found.flags.empty() && !flag_) flag_ = found.flags.front();
      if (extent != Extent::kComplete) return true;
      undefined_ |= !found.observed.has_value();
      return !found.observed || found.observed->front() != 0 || violated(found);
    });
  }

  // Is there an execution at all? The first one is that in which no thread has done anything.
  void find_any() {
    enumerate(Extent::kPartial, {}, [&](const EnumeratedExecution&) {
      ++executions_;
      return false;
    });
  }

  void enumerate(Extent extent, const std::vector<ExprId>& observed, const ExecutionVisitor& visit) {
    const Enumeration all = enumerate_executions(overlay_, axioms_, observed, options(extent), visit);
    limit_ = all.why_not;
    steps_ += all.steps;
    too_long_ |= all.too_long;
    too_large_ |= all.too_large;
  }

  // False: no other execution is needed.
  bool violated(const EnumeratedExecution& found) {
    counterexample_.emplace(ExecutionCounterexample{.execution = found.execution(), .check = {}});
    counterexample_->check = check::check_execution(task_, axioms_, counterexample_->execution);
    if (!counterexample_->check.ok)
      throw Bug("an enumerated execution is rejected: " + counterexample_->check.why_not);
    return false;
  }

  Result conclusion() {
    if (counterexample_) return with_figures(*std::move(counterexample_), "");
    if (!limit_.empty()) return unknown(UnknownReason::kLimit, limit_);
    if (executions_ == 0)
      return unknown(UnknownReason::kModel, "the model allows no execution of this program");
    if (undefined_ && !too_large_)
      return unknown(
          UnknownReason::kUndefined,
          "the formula of the property has no value in some states (it divides by zero or the like)");
    if (flag_)
      return unknown(UnknownReason::kModel,
                     fmt::format("the model raises its flag '{}': it does not define such programs",
                                 axioms_.constraints[*flag_].name));
    if (too_large_) return unknown(UnknownReason::kOverflow, "a value leaves the 64-bit integers");
    if (too_long_)
      return with_figures(
          Unknown{.reason = UnknownReason::kBound, .bound = Bound{"steps of a thread", kLongestTrace}},
          fmt::format("no violation in executions of up to {} steps of each thread; there may be "
                      "longer ones",
                      kLongestTrace));
    if (loads_may_be_late_ && !values_)
      return unknown(UnknownReason::kUnsupported,
                     "loads may return too many values to enumerate them all (docs/engine-enumeration.md)");
    return with_figures(Proof{}, fmt::format("no execution violates it ({} examined)", executions_));
  }

  Result unknown(UnknownReason kind, std::string reason) const {
    return with_figures(Unknown{.reason = kind}, std::move(reason));
  }

  Result with_figures(Conclusion conclusion, std::string reason) const {
    Result result;
    result.conclusion = std::move(conclusion);
    result.reason = std::move(reason);
    result.statistics.figures = {{"executions", static_cast<double>(executions_)},
                                 {"steps", static_cast<double>(steps_)}};
    return result;
  }

  const Task& task_;
  Env& env_;
  Overlay overlay_;
  CatModel axioms_;
  const bool has_flags_, loads_may_be_late_;
  std::optional<check::CellValues> values_;  // if loads may be late, and there are not too many
  uint64_t executions_ = 0, steps_ = 0;
  std::optional<ExecutionCounterexample> counterexample_;
  std::string limit_;           // which one was reached
  std::optional<size_t> flag_;  // one that is raised, where that is no violation
  bool undefined_ = false, too_long_ = false, too_large_ = false;
};

Result EnumerationEngine::run(const Task& task, Env& env) const {
  return measured([&] {
    try {
      return Decision(task, env).run();
    } catch (const Unsupported& unsupported) {
      return unknown_result(UnknownReason::kUnsupported, unsupported.what());
    }
  });
}

}  // namespace

std::unique_ptr<Engine> make_enumeration_engine() { return std::make_unique<EnumerationEngine>(); }

}  // namespace fenceline::engine
