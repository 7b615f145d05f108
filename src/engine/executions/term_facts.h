// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the terms of a plan say about every graph, whatever the program does: which relations cannot have a cycle, which
// pairs never change, which relations are symmetric.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/executions/model_plan.h"

namespace fenceline::executions {

class TermFacts {
 public:
  // Keeps a reference.
  explicit TermFacts(const std::vector<PlanTerm>& terms) : terms_(terms) {}

  // Is the term acyclic in every graph, whatever the model says?
  bool holds_in_graphs(uint32_t term) const;
  // Later events do not change which pairs of two events are in the term.
  bool is_fixed(uint32_t term) const;
  bool is_symmetric(uint32_t term) const;
  // Is it rf | co | fr?
  bool is_communication(uint32_t term) const;

  std::vector<PlanTerm> leaves_of_union(uint32_t term) const;
  static bool is_base(const PlanTerm& term, Base base) {
    return term.op == PlanOp::kBase && term.base == base;
  }
  static bool has_base(const std::vector<PlanTerm>& terms, Base base);

 private:
  // How much of a term is in the transitive closure of base relations: perhaps not all, all but pairs (x, x), all.
  enum class Part : uint8_t { kSome, kOrIdentity, kAll };
  Part within(uint32_t term, const std::vector<Base>& bases) const;
  bool is_path_of_fixed(uint32_t term) const;

  const std::vector<PlanTerm>& terms_;
};

}  // namespace fenceline::executions
