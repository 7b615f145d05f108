// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps of a thread from one cut point to the next, in all states that a state of forms represents: the
// instruction it is at, and then whatever is local, along every branch. The rules are those of
// docs/semantics.md, in the order of Interpreter: a step that is not enabled cannot fail.
//
// A thread that cannot go on before it has come to a cut point (an assumption that does not hold, a fence with
// pending stores, an error) keeps its program counter, and is reported as if it were at a cut point: if it is
// at none, no member subsumes it.
#pragma once

#include <string>
#include <vector>

#include "check/numeric/numeric_values.h"
#include "check/replay/evaluator.h"
#include "env/limits.h"
#include "ir/edit/overlay.h"
#include "task/task.h"

namespace fenceline::check {

class NumericSteps {
 public:
  using Reached = FunctionRef<void(FormState&&)>;

  // Keeps references. Precondition: the cut points of the certificate are right (numeric_cut_points.h).
  NumericSteps(const Task& task, const Overlay& overlay, const NumericCertificate& certificate,
               const NumericValues& values)
      : task_(task), overlay_(overlay), certificate_(certificate), values_(values) {}

  // The step of the thread at its cut point, and what is local behind it. Throws NotProved if it can fail and the
  // property forbids it, if a register is needed that is not known, and if a smashed object may get a value
  // outside its range; and OutOfLimits.
  void step(FormState state, ThreadId thread, Reached reached) const {
    run(std::move(state), thread, true, reached);
  }
  // Only what is local. Throws the same.
  void run_to_cut_point(FormState state, ThreadId thread, Reached reached) const {
    run(std::move(state), thread, false, reached);
  }

 private:
  // An intermediate state: is this the step at the cut point, is it inside an atomic section?
  struct Halfway {
    FormState state;
    bool first = false, section = false;
  };
  // One instruction being executed.
  struct Execution {
    ThreadId thread;
    const Instruction& instruction;
    bool first, section;
    std::vector<Halfway>& open;
    Reached reached;
  };
  using Then = NumericValues::Then;
  using ThenCell = FunctionRef<void(FormState&&, const std::optional<CellId>&)>;  // none: smashed
  using ThenState = FunctionRef<void(FormState&&)>;

  void run(FormState&& state, ThreadId thread, bool first, Reached reached) const;
  void execute(const Execution& now, FormState&& state) const;
  void load(const Execution& now, FormState&& state) const;
  void store(const Execution& now, FormState&& state) const;
  void rmw(const Execution& now, FormState&& state) const;
  void rmw_on(const Execution& now, FormState&& state, const std::optional<CellId>& cell) const;
  void fence(const Execution& now, FormState&& state) const;
  void havoc(const Execution& now, FormState&& state) const;

  void go(const Execution& now, FormState&& state, size_t slot = 0) const;
  void stuck(const Execution& now, FormState&& state) const;
  void fail(const Execution& now, FormState&& state, const ProgramError& error) const;
  void evaluate(const Execution& now, FormState&& state, ExprId expr, Then then) const;
  void cell_at(const Execution& now, FormState&& state, ThenCell then) const;
  void assign(const Execution& now, FormState&& state, const LinearForm& value, ThenState then) const;
  void need_in_range(const Execution& now, FormState&& state, const LinearForm& value, ThenState then) const;
  bool drained_for_write(const FormBuffer& buffer) const;
  bool drained_for_write(const FormBuffer& buffer, const std::optional<CellId>& cell) const;
  const std::optional<Range>& smashed(const Execution& now) const {
    return certificate_.smashed[now.instruction.address.object.index()];
  }
  Buffering buffering() const { return task_.model.buffering; }

  const Task& task_;
  const Overlay& overlay_;
  const NumericCertificate& certificate_;
  const NumericValues& values_;
};

}  // namespace fenceline::check
