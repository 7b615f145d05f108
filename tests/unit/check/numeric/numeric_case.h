// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the checker of numeric certificates: certificates made of all states that are really
// reached, whose values are all numbers, and short ways to write others by hand.
#pragma once

#include <set>

#include "check/numeric/numeric_cut_points.h"
#include "check/statespace/certificate_steps.h"
#include "task/numeric_certificate.h"
#include "unit/check/statespace/certificate_case.h"

namespace fenceline::testing {

using Stops = std::vector<std::vector<bool>>;

// All points but those inside atomic sections.
inline Stops all_stops(const Case& asked) {
  const Overlay overlay(asked.program, asked.fences);
  Stops stops;
  for (size_t t = 0; t < asked.program.threads.size(); ++t) {
    stops.push_back(inside_sections_of(overlay, ThreadId(t)));
    stops.back().flip();
  }
  return stops;
}

// Only where memory is accessed, threads wait, fail or end, and where loops are.
inline Stops few_stops(const Case& asked) {
  const Overlay overlay(asked.program, asked.fences);
  Stops stops = all_stops(asked);
  for (size_t t = 0; t < stops.size(); ++t)
    for (size_t p = 0; p < stops[t].size(); ++p) {
      const Instruction& i = overlay.at(ThreadId(t), Point(p));
      const bool local = i.kind == InstrKind::kAssign || i.kind == InstrKind::kHavoc ||
                         i.kind == InstrKind::kMark || i.kind == InstrKind::kChoose ||
                         (i.kind == InstrKind::kFence && !i.fence.has_store_load()) ||
                         (i.kind == InstrKind::kStore && asked.buffering() != Buffering::kUnbuffered);
      if (local) stops[t][p] = false;
    }
  return stops;
}

inline NumericTerm number(Value value) { return {value}; }
inline NumericTerm dimension(Dimension d) { return {d}; }

inline NumericState exact(const ConcreteState& state) {
  NumericState result;
  result.where = state.where;
  for (const Value value : state.memory) result.memory.emplace_back(number(value));
  for (const auto& registers : state.registers) {
    auto& terms = result.registers.emplace_back();
    for (const Value value : registers) terms.emplace_back(number(value));
  }
  for (const ConcreteBuffer& buffer : state.buffers) {
    NumericBuffer& terms = result.buffers.emplace_back();
    terms.epoch = buffer.epoch;
    for (const ConcreteStore& store : buffer.waiting)
      terms.entries.push_back({CellId(store.cell), number(store.value), store.epoch, store.marked});
  }
  result.disjuncts.emplace_back();
  return result;
}

// All states of the exploration in which every thread stands at a stop.
inline NumericCertificate at_stops(const Case& asked, const Exploration& exploration, const Stops& stops) {
  NumericCertificate certificate;
  certificate.smashed.resize(asked.program.objects.size());
  certificate.stops = stops;
  for (const ConcreteState& state : exploration.states) {
    bool all = true;
    for (size_t t = 0; t < stops.size(); ++t) all = all && stops[t][state.where[t].index()];
    if (all) certificate.states.push_back(exact(state));
  }
  return certificate;
}

// coefficient * dimension + ... + constant >= 0, or == 0.
inline LinearConstraint at_least_zero(std::map<Dimension, Value> terms, Value constant) {
  return {{constant, std::move(terms)}, false};
}
inline LinearConstraint zero(std::map<Dimension, Value> terms, Value constant) {
  return {{constant, std::move(terms)}, true};
}

inline Point first_of(const Case& asked, size_t thread, InstrKind kind, size_t which = 0) {
  const auto& code = asked.program.threads[thread].code;
  for (size_t p = 0; p < code.size(); ++p)
    if (code[p].kind == kind && which-- == 0) return Point(p);
  ADD_FAILURE() << "there is no such instruction";
  return Point(0);
}

// A certificate with the stops that few_stops() gives, and no states.
inline NumericCertificate empty(const Case& asked) {
  NumericCertificate certificate;
  certificate.smashed.resize(asked.program.objects.size());
  certificate.stops = few_stops(asked);
  return certificate;
}

inline NumericState state_of(const Case& asked, std::vector<Point> where) {
  NumericState state = exact(initial(asked.task()));
  state.where = std::move(where);
  return state;
}

inline void forget_registers(NumericState& state) {
  for (auto& registers : state.registers)
    for (auto& reg : registers) reg.reset();
}

}  // namespace fenceline::testing
