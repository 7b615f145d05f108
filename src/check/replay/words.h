// SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps and expressions in words, for people. Temporaries of the front end never appear: a condition that
// was loaded into one is told as the place it came from, so that the reader sees `flag[1] == 1`, not `%3 ==
// 1`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "check/replay/interpreter.h"
#include "ir/edit/overlay.h"

namespace fenceline {

// The text of a leaf other than a constant; `index` is the text of its operand, if it has one.
using LeafText = std::function<std::string(const Expr& leaf, const std::string& index)>;

// C syntax, with the parentheses that are needed.
std::string expression_text(const Program& program, ExprId id, const LeafText& leaf);

// The formula of a property: "P[0]@cs && P[1]@cs", "P.r == 1".
std::string formula_text(const Program& program, ExprId id);

// Tells the steps of one run. It has to hear of all of them, in order, since it remembers what temporaries
// hold.
class Narrator {
 public:
  // Keeps a reference: the overlay must outlive the narrator.
  explicit Narrator(const Overlay& overlay) : overlay_(overlay) {}

  // "flag[0] = 1", "r1 = flag[1] reads 0", "flag[1] is 0", "cas(lock, 0, 1) succeeds", ...
  std::string tell(ThreadId thread, Point point, const Effect& effect);
  std::string tell_flush(const Effect& effect) const;  // "flag[0] = 1 reaches memory"

 private:
  std::string text(ThreadId thread, ExprId expr) const;
  std::string place(ThreadId thread, const Address& address, CellId cell) const;
  std::string target(ThreadId thread, const Dest& dest, RegId reg) const;  // "r1 = ", "" for a temporary
  std::string rmw(ThreadId thread, const Instruction& i, const Effect& effect) const;
  void remember(ThreadId thread, RegId reg, std::string origin);

  const Overlay& overlay_;
  std::map<std::pair<ThreadId, RegId>, std::string> origins_;  // what a temporary holds, in words
};

}  // namespace fenceline
