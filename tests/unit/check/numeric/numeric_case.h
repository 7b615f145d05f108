// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the checker of numeric certificates: certificates made of all states that are really
// reached, whose values are all numbers, and helpers to write others by hand.
#pragma once

#include <set>

#include "check/numeric/numeric_cut_points.h"
#include "check/statespace/certificate_steps.h"
#include "task/numeric_certificate.h"
#include "unit/check/statespace/certificate_case.h"

namespace fenceline::testing {

using CutPoints = std::vector<std::vector<bool>>;

// All points but those inside atomic sections.
inline CutPoints all_cut_points(const Case& subject) {
  const Overlay overlay(subject.program, subject.fences);
  CutPoints cut_points;
  for (size_t t = 0; t < subject.program.threads.size(); ++t) {
    cut_points.push_back(check::inside_sections_of(overlay, ThreadId(t)));
    cut_points.back().flip();
  }
  return cut_points;
}

// Only where memory is accessed, threads wait, fail or end, and where loops are.
inline CutPoints few_cut_points(const Case& subject) {
  const Overlay overlay(subject.program, subject.fences);
  CutPoints cut_points = all_cut_points(subject);
  for (size_t t = 0; t < cut_points.size(); ++t)
    for (size_t p = 0; p < cut_points[t].size(); ++p) {
      const Instruction& i = overlay.at(ThreadId(t), Point(p));
      const bool local = i.kind == InstrKind::kAssign || i.kind == InstrKind::kHavoc ||
                         i.kind == InstrKind::kMark || i.kind == InstrKind::kChoose ||
                         (i.kind == InstrKind::kFence && !i.fence.has_store_load()) ||
                         (i.kind == InstrKind::kStore && subject.buffering() != Buffering::kUnbuffered);
      if (local) cut_points[t][p] = false;
    }
  return cut_points;
}

inline NumericTerm number(Value value) { return {value}; }
inline NumericTerm dimension(Dimension d) { return {d}; }

inline NumericState exact(const ConcreteState& state) {
  NumericState result;
  result.locations = state.locations;
  for (const Value value : state.memory) result.memory.emplace_back(number(value));
  for (const auto& registers : state.registers) {
    auto& terms = result.registers.emplace_back();
    for (const Value value : registers) terms.emplace_back(number(value));
  }
  for (const ConcreteBuffer& buffer : state.buffers) {
    NumericBuffer& terms = result.buffers.emplace_back();
    terms.epoch = buffer.epoch;
    for (const ConcreteStore& store : buffer.pending)
      terms.entries.push_back({CellId(store.cell), number(store.value), store.epoch, store.marked});
  }
  result.disjuncts.emplace_back();
  return result;
}

// All states of the exploration in which every thread is at a cut point.
inline NumericCertificate at_cut_points(const Case& subject, const Exploration& exploration,
                                        const CutPoints& cut_points) {
  NumericCertificate certificate;
  certificate.smashed.resize(subject.program.objects.size());
  certificate.cut_points = cut_points;
  for (const ConcreteState& state : exploration.states) {
    bool all = true;
    for (size_t t = 0; t < cut_points.size(); ++t) all = all && cut_points[t][state.locations[t].index()];
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

inline Point first_of(const Case& subject, size_t thread, InstrKind kind, size_t which = 0) {
  const auto& code = subject.program.threads[thread].code;
  for (size_t p = 0; p < code.size(); ++p)
    if (code[p].kind == kind && which-- == 0) return Point(p);
  ADD_FAILURE() << "there is no such instruction";
  return Point(0);
}

// A certificate with the cut points of few_cut_points(), and no states.
inline NumericCertificate empty(const Case& subject) {
  NumericCertificate certificate;
  certificate.smashed.resize(subject.program.objects.size());
  certificate.cut_points = few_cut_points(subject);
  return certificate;
}

inline NumericState state_of(const Case& subject, std::vector<Point> locations) {
  NumericState state = exact(initial(subject.task()));
  state.locations = std::move(locations);
  return state;
}

inline void project_registers(NumericState& state) {
  for (auto& registers : state.registers)
    for (auto& reg : registers) reg.reset();
}

}  // namespace fenceline::testing
