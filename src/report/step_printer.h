// SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps and expressions as text. Temporaries of the front end never appear: a condition that was loaded into
// one is printed as the location it came from, so that the reader sees `flag[1] == 1`, not `%3 == 1`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/edit/overlay.h"
#include "task/counterexample.h"

namespace fenceline::report {

// The text of a leaf other than a constant; `index` is the text of its operand, if it has one.
using LeafText = std::function<std::string(const Expr& leaf, const std::string& index)>;

// C syntax, with the parentheses that are needed.
std::string expression_text(const Program& program, ExprId id, const LeafText& leaf);

// The formula of a property: "P[0]@cs && P[1]@cs", "P.r == 1".
std::string formula_text(const Program& program, ExprId id);

// "acquire"; empty for plain accesses.
std::string order_name(MemoryOrder order);

// " (acquire)": the memory order that the source gives an access; empty for a plain one.
std::string order_suffix(const Instruction& instruction);

// Is it a step that a reader has not written: what surrounds the start or the end of a thread, or belongs to an access
// with a memory order?
inline bool is_internal(const Instruction& instruction) { return instruction.role == StepRole::kInternal; }

// Prints the steps of one execution. It has to be given all of them, in order, since it keeps track of what
// temporaries hold.
class StepPrinter {
 public:
  // Keeps a reference: the overlay must outlive the printer.
  explicit StepPrinter(const Overlay& overlay) : overlay_(overlay) {}

  // "flag[0] = 1", "r1 = flag[1] reads 0", "flag[1] is 0", "cas(lock, 0, 1) succeeds", ...
  std::string step(ThreadId thread, Point point, const Effect& effect);
  std::string flush(const Effect& effect) const;  // "flag[0] = 1 reaches memory"

 private:
  std::string text(ThreadId thread, ExprId expr) const;
  std::string location(ThreadId thread, const Address& address, CellId cell) const;
  std::string target(ThreadId thread, const Dest& dest, RegId reg) const;  // "r1 = ", "" for a temporary
  std::string rmw(ThreadId thread, const Instruction& i, const Effect& effect) const;
  std::string thread_step(const Instruction& i, const Effect& effect) const;  // "start P", "join P"
  void remember(ThreadId thread, RegId reg, std::string origin);

  const Overlay& overlay_;
  std::map<std::pair<ThreadId, RegId>, std::string> origins_;  // the text of what a temporary holds
};

// By step. Empty for steps of the deferral-queue machine that only issue an access.
std::vector<std::string> step_texts(const Overlay& overlay, const Replay& replay);

struct ExecutionTexts {
  std::vector<std::string> events;  // by EventId; of an initial write, too
  std::string failing_step;         // of the thread that fails: what it was about to do
};
// Precondition: the check is that of the execution, and accepts it.
ExecutionTexts execution_texts(const Overlay& overlay, const Execution& execution,
                               const ExecutionCheck& check);

}  // namespace fenceline::report
