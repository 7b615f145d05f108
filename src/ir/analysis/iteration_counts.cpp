// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/iteration_counts.h"

#include <memory>
#include <utility>

#include "ir/analysis/value_sets.h"

namespace fenceline {
namespace {

constexpr uint64_t kMostSteps = 40'000;  // of one loop, in instructions

using Values = std::vector<ValueSet>;  // by register
using State = std::optional<Values>;   // nothing: not reached

class Counting {
 public:
  Counting(const Overlay& overlay, ThreadId thread, const Loops& loops, const Ranges& ranges)
      : overlay_(overlay),
        program_(overlay.program()),
        thread_(thread),
        loops_(loops),
        ranges_(ranges),
        points_(overlay.points(thread)),
        before_(points_),
        changed_(loops.size()) {
    sort();
    for (size_t i = 0; i < points_; ++i) {
      const Dest& dest = at(i).dest;
      if (!dest.valid()) continue;
      for (uint32_t loop = loops.innermost(Point(i)); loop != Loops::kNone; loop = loops.outer(loop))
        for (uint32_t k = 0; k < dest.count; ++k) changed_[loop].push_back(dest.reg.index() + k);
    }
  }

  std::vector<std::optional<uint32_t>> run() {
    for (uint32_t loop = 0; loop < loops_.size(); ++loop)
      if (is_entered_elsewhere(loop)) return std::vector<std::optional<uint32_t>>(loops_.size());
    // All loops at once: what they change is any value.
    std::vector<Values> entry(loops_.size());
    Values initial;
    for (const Register& reg : program_.thread(thread_).registers)
      initial.push_back(ValueSet::single(reg.init));
    join(before_[program_.thread(thread_).entry.index()], initial);
    for (const uint32_t point : order_) {
      State& state = before_[point];
      if (!state) continue;
      for (uint32_t loop = 0; loop < loops_.size(); ++loop)
        if (loops_.header(loop).index() == point) {
          entry[loop] = *state;
          forget(loop, *state);
        }
      step(point, Loops::kNone);
    }
    std::vector<std::optional<uint32_t>> result;
    for (uint32_t loop = 0; loop < loops_.size(); ++loop) result.push_back(count(loop, entry[loop]));
    return result;
  }

 private:
  const Instruction& at(size_t point) const { return overlay_.at(thread_, Point(point)); }

  bool leads_back(uint32_t from, uint32_t to) const {
    for (uint32_t loop = loops_.innermost(Point(from)); loop != Loops::kNone; loop = loops_.outer(loop))
      if (loops_.header(loop).index() == to) return true;
    return false;
  }

  // Without the edges that lead back to headers there are no cycles.
  void sort() {
    std::vector<uint8_t> seen(points_);
    std::vector<std::pair<uint32_t, size_t>> stack{{program_.thread(thread_).entry.value(), 0}};
    seen[stack.front().first] = 1;
    while (!stack.empty()) {
      auto& [point, slot] = stack.back();
      if (slot == at(point).next.size()) {
        order_.push_back(point);
        stack.pop_back();
        continue;
      }
      const uint32_t to = overlay_.next(thread_, Point(point), slot++).value();
      if (seen[to] != 0 || leads_back(point, to)) continue;
      seen[to] = 1;
      stack.push_back({to, 0});
    }
    order_ = {order_.rbegin(), order_.rend()};
  }

  static void join(State& state, const Values& other) {
    if (!state) {
      state = other;
      return;
    }
    for (size_t i = 0; i < other.size(); ++i) (*state)[i] = (*state)[i].join(other[i]);
  }

  ValueSet any(size_t reg) const { return ranges_.registers[thread_.index()][reg]; }

  void forget(uint32_t loop, Values& values) const {
    for (const size_t reg : changed_[loop]) values[reg] = any(reg);
  }

  static void narrow(const Program& program, ExprId id, const Outcome& outcome, State& state) {
    bool possible = true;
    narrow_registers(
        program, id, outcome, [&](RegId reg) -> const ValueSet& { return (*state)[reg.index()]; },
        [&](RegId reg, const ValueSet& values) {
          if (values.is_empty())
            possible = false;
          else
            (*state)[reg.index()] = values;
        });
    if (!possible) state.reset();
  }

  ValueSet value(ExprId id, const Values& values) const {
    return values_of(program_, id, [&](RegId reg) -> const ValueSet& { return values[reg.index()]; });
  }

  void assign(const Dest& dest, Values& values, const ValueSet* value) const {
    if (!dest.valid()) return;
    for (uint32_t k = 0; k < dest.count; ++k) {
      const size_t reg = dest.reg.index() + k;
      const ValueSet now = value != nullptr ? value->meet(any(reg)) : any(reg);
      values[reg] = dest.is_element() ? values[reg].join(now) : now;
    }
  }

  // Passes the state on to the successors. Where an edge leads to the header of `loop`, to back_.
  void step(uint32_t point, uint32_t loop) {
    const Instruction& instruction = at(point);
    State state = std::move(before_[point]);
    before_[point].reset();
    if (!state) return;
    switch (instruction.kind) {
      case InstrKind::kAssign: {
        const ValueSet now = value(instruction.a, *state);
        if (now.is_empty()) return;
        assign(instruction.dest, *state, &now);
        break;
      }
      case InstrKind::kLoad:
      case InstrKind::kRmw:
      case InstrKind::kHavoc:
        assign(instruction.dest, *state, nullptr);
        break;
      case InstrKind::kAssume:
      case InstrKind::kAssert:
        if (!may_hold(value(instruction.a, *state))) return;
        narrow(program_, instruction.a, may_hold, state);
        break;
      case InstrKind::kBranch: {
        const ValueSet condition = value(instruction.a, *state);
        for (const size_t slot : {size_t{0}, size_t{1}}) {
          const Outcome outcome = slot == 0 ? may_hold : may_not_hold;
          if (!outcome(condition)) continue;
          State there = state;
          narrow(program_, instruction.a, outcome, there);
          if (there) pass(point, slot, *there, loop);
        }
        return;
      }
      case InstrKind::kStore:
      case InstrKind::kFence:
      case InstrKind::kChoose:
      case InstrKind::kAtomicBegin:
      case InstrKind::kAtomicEnd:
      case InstrKind::kMark:
      case InstrKind::kHalt:
        break;
    }
    for (size_t slot = 0; state && slot < instruction.next.size(); ++slot) pass(point, slot, *state, loop);
  }

  void pass(uint32_t point, size_t slot, const Values& values, uint32_t loop) {
    const Point to = overlay_.next(thread_, Point(point), slot);
    if (loop != Loops::kNone && !loops_.contains(loop, to)) return;
    if (loop != Loops::kNone && to == loops_.header(loop))
      join(back_, values);
    else if (!leads_back(point, to.value()))
      join(before_[to.index()], values);
  }

  // By an edge that does not lead to its header. Then the points have no order that all paths agree with.
  bool is_entered_elsewhere(uint32_t loop) const {
    for (size_t i = 0; i < points_; ++i)
      for (size_t slot = 0; slot < at(i).next.size(); ++slot) {
        const Point to = overlay_.next(thread_, Point(i), slot);
        if (to != loops_.header(loop) && loops_.contains(loop, to) && !loops_.contains(loop, Point(i)))
          return true;
      }
    return false;
  }

  std::optional<uint32_t> count(uint32_t loop, Values now) {
    if (now.empty()) return std::nullopt;
    const uint32_t header = loops_.header(loop).value();
    uint64_t steps = 0;
    for (uint32_t visits = 1; visits <= kMostVisits; ++visits) {
      back_.reset();
      before_[header] = now;
      for (const uint32_t point : order_) {
        if (!loops_.contains(loop, Point(point))) continue;
        for (uint32_t inner = loops_.innermost(Point(point)); inner != loop; inner = loops_.outer(inner))
          if (before_[point] && loops_.header(inner).index() == point) forget(inner, *before_[point]);
        step(point, loop);
        if (++steps > kMostSteps) {
          before_.assign(points_, std::nullopt);
          return std::nullopt;
        }
      }
      if (!back_) return visits;
      if (*back_ == now) return std::nullopt;
      now = *back_;
    }
    return std::nullopt;
  }

  const Overlay& overlay_;
  const Program& program_;
  ThreadId thread_;
  const Loops& loops_;
  const Ranges& ranges_;
  size_t points_;
  std::vector<uint32_t> order_;
  std::vector<State> before_;                 // by point
  State back_;                                // where the iteration leads back
  std::vector<std::vector<size_t>> changed_;  // by loop: registers
};

}  // namespace

std::vector<std::optional<uint32_t>> most_visits(const Overlay& overlay, ThreadId thread, const Loops& loops,
                                                 const Ranges& ranges) {
  if (loops.size() == 0) return {};
  return Counting(overlay, thread, loops, ranges).run();
}

}  // namespace fenceline
