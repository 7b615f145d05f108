// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the models of all threads of a program share: analyses, what the property sees, and the names of
// variables.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "buffer_bounds.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/ranges.h"
#include "machine/code.h"
#include "promela.h"
#include "property/properties.h"
#include "terms.h"

namespace fenceline::bench {

// What all threads share.
struct PromelaContext {
  PromelaContext(const Task& verified, const PromelaOptions& chosen);

  bool checks(PropertyKind kind) const { return task.property.kind == kind; }
  bool checks_states() const { return checks(PropertyKind::kNever) || checks(PropertyKind::kAlways); }

  const Task& task;
  const Program& program;
  const PromelaOptions& options;
  Overlay overlay;
  machine::Code code;
  Ranges ranges;
  machine::Observed observed;
  Liveness liveness;
  bool growth;   // the code puts no bound on buffers
  bool limited;  // so we do
  BufferBounds bounds;
  machine::Visibility visible;   // what fusing must not step over
  machine::Visibility breaking;  // what may make the property false
  std::set<std::pair<ThreadId, RegId>> observed_registers;
  std::set<std::pair<size_t, size_t>> labels;  // thread and point of every kAt in the property

 private:
  void collect_labels(ExprId id);
};

// The bit that is 1 while the thread is at the point; there is one for every label in the property.
std::string at_flag(size_t thread, size_t point);

// A register that has only one value needs no variable.
PromelaTerm register_term(const PromelaContext& context, size_t thread, size_t reg);

// Empty if the register needs no variable.
std::string declare_register(const PromelaContext& context, size_t thread, size_t reg);

// The expression as a term; `leaf(expr, element)` supplies everything that is not an operation on numbers.
// Elements of local arrays are chosen by cases. Throws Unsupported if 32 bits are not enough.
using TermLeaf = std::function<PromelaTerm(const Expr&, uint32_t element)>;
PromelaTerm to_term(const PromelaContext& context, size_t thread, ExprId id, const TermLeaf& leaf);

// The property's formula, as a step of `mover` that ends at `where` leaves it. Other threads are known by
// their flags.
PromelaTerm formula_after(const PromelaContext& context, size_t mover, size_t where);

}  // namespace fenceline::bench
