// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/circuit.h"

#include <algorithm>
#include <utility>

namespace fenceline::sat {

bool Circuit::has_operand(Lit gate, Lit part) const {
  if (gate.code < 0) return false;
  const auto found = operands_.find(gate.code);
  return found != operands_.end() && (found->second.first == part || found->second.second == part);
}

Lit Circuit::both(Lit a, Lit b) {
  if (a == kFalse || b == kFalse || a == !b) return kFalse;
  if (a == kTrue || a == b) return b;
  if (b == kTrue) return a;
  if (has_operand(a, b)) return a;
  if (has_operand(b, a)) return b;
  if (has_operand(a, !b) || has_operand(b, !a)) return kFalse;
  if (b < a) std::swap(a, b);
  Lit& gate = ands_[key(a, b)];
  if (gate != Lit{}) return gate;
  gate = fresh();
  solver_.add({!gate, a});
  solver_.add({!gate, b});
  solver_.add({gate, !a, !b});
  operands_[gate.code] = {a, b};
  return gate;
}

Lit Circuit::differ(Lit a, Lit b) {
  if (a.constant()) return a == kTrue ? !b : b;
  if (b.constant()) return b == kTrue ? !a : a;
  if (a == b) return kFalse;
  if (a == !b) return kTrue;
  const bool flip = (a.code < 0) != (b.code < 0);
  a = {a.variable()};
  b = {b.variable()};
  if (b < a) std::swap(a, b);
  Lit& gate = xors_[key(a, b)];
  if (gate == Lit{}) {
    gate = fresh();
    solver_.add({!gate, a, b});
    solver_.add({!gate, !a, !b});
    solver_.add({gate, !a, b});
    solver_.add({gate, a, !b});
  }
  return flip ? !gate : gate;
}

Lit Circuit::choose(Lit condition, Lit then, Lit otherwise) {
  if (condition == kTrue || then == otherwise) return then;
  if (condition == kFalse) return otherwise;
  if (then == !otherwise) return same(condition, then);
  if (then.constant()) return then == kTrue ? either(condition, otherwise) : both(!condition, otherwise);
  if (otherwise.constant()) return otherwise == kTrue ? either(!condition, then) : both(condition, then);
  return either(both(condition, then), both(!condition, otherwise));
}

Lit Circuit::all(std::vector<Lit> operands) {
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  std::erase(operands, kTrue);
  for (const Lit operand : operands)
    if (operand == kFalse || std::binary_search(operands.begin(), operands.end(), !operand)) return kFalse;
  if (operands.empty()) return kTrue;
  if (operands.size() == 1) return operands.front();
  if (operands.size() == 2) return both(operands[0], operands[1]);
  const Lit gate = fresh();
  std::vector<Lit> clause{gate};
  for (const Lit operand : operands) {
    solver_.add({!gate, operand});
    clause.push_back(!operand);
  }
  solver_.add(clause);
  return gate;
}

Lit Circuit::any(std::vector<Lit> operands) {
  for (Lit& operand : operands) operand = !operand;
  return !all(std::move(operands));
}

void Circuit::require(std::span<const Lit> any_of) {
  if (std::find(any_of.begin(), any_of.end(), kTrue) == any_of.end()) solver_.add(any_of);
}

void Circuit::at_most_one(const std::vector<Lit>& literals) {
  constexpr size_t kMostByPairs = 8;
  if (literals.size() > kMostByPairs) {
    Lit before = literals.front();  // one of those up to here
    for (size_t i = 1; i < literals.size(); ++i) {
      require({!before, !literals[i]});
      if (i + 1 == literals.size()) return;
      const Lit next = fresh();
      implies(before, next);
      implies(literals[i], next);
      before = next;
    }
  }
  for (size_t i = 0; i < literals.size(); ++i)
    for (size_t k = i + 1; k < literals.size(); ++k) require({!literals[i], !literals[k]});
}

}  // namespace fenceline::sat
