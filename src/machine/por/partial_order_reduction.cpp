// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/por/partial_order_reduction.h"

#include <algorithm>

#include "base/graph.h"

namespace fenceline::machine {
namespace {

bool any_visible(const std::vector<bool>& visible, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i)
    if (i < visible.size() && visible[i]) return true;
  return false;
}

bool seen_at(const std::vector<std::vector<bool>>& table, size_t thread, uint32_t point) {
  return thread < table.size() && point < table[thread].size() && table[thread][point];
}

// Which point of a cycle is cut: the one whose step is least likely to be chosen anyway.
int reluctance(InstrKind kind) {
  switch (class_of(kind)) {
    case InstrClass::kRmw:
      return 4;
    case InstrClass::kLoad:
      return 3;
    case InstrClass::kStore:
      return 2;
    case InstrClass::kFence:
      return 1;
    case InstrClass::kLocal:
    case InstrClass::kAtomicBegin:
    case InstrClass::kAtomicEnd:
    case InstrClass::kHalt:
      break;
  }
  return 0;
}

// Does some other thread wait for the stores of this one somewhere? Then a store does not commute with it.
bool others_sync(const Code& code, size_t thread) {
  for (size_t t = 0; t < code.threads(); ++t)
    for (uint32_t p = 0; t != thread && p < code.points(t); ++p)
      if (code.at(t, p).fence == FenceEffect::kDrainAll) return true;
  return false;
}

}  // namespace

Reduction::Reduction(const Code& code, const Visibility& visibility, Fusing fusing, bool choose)
    : choose_(choose), cells_(code), awaits_(code, cells_), visible_cells_(visibility.cells) {
  const bool on = choose || fusing != Fusing::kNothing;
  for (size_t t = 0; t < code.threads(); ++t) {
    roles_.emplace_back(code.points(t), Role::kNeither);
    future_.emplace_back(code.points(t));
    if (!on) continue;
    for (uint32_t p = 0; p < code.points(t); ++p) roles_[t][p] = role(code, visibility, t, p);
    cut_cycles(code, t);
    find_awaits(code, visibility, t);
    for (uint32_t p = 0; p < code.points(t); ++p) {
      const InstrKind kind = code.at(t, p).kind;
      const bool local = kind != InstrKind::kStore && kind != InstrKind::kFence;
      if (roles_[t][p] == Role::kEager &&
          (fusing == Fusing::kNothing || (fusing == Fusing::kLocal && !local)))
        roles_[t][p] = Role::kNeither;
    }
    compute_future(code, t);
  }
  if (on) compute_contended();
}

Reduction::Role Reduction::role(const Code& code, const Visibility& visibility, size_t thread,
                                uint32_t point) const {
  const Operation& op = code.at(thread, point);
  if (seen_at(visibility.leaving, thread, point)) return Role::kNeither;
  for (const Point next : op.next)
    if (seen_at(visibility.arriving, thread, next.value())) return Role::kNeither;
  if (op.has_dest && any_visible(visibility.registers, op.dest, op.dest_count)) return Role::kNeither;
  switch (op.kind) {
    case InstrKind::kFence:
      if (op.fence == FenceEffect::kMonitor || op.fence == FenceEffect::kDrainAll) return Role::kNeither;
      [[fallthrough]];
    case InstrKind::kAssign:
    case InstrKind::kBranch:
    case InstrKind::kAssume:
    case InstrKind::kAssert:
    case InstrKind::kMark:
      return Role::kEager;
    case InstrKind::kChoose:
    case InstrKind::kHavoc:
      return Role::kLocalChoice;
    case InstrKind::kLoad:
      return Role::kAccess;
    case InstrKind::kStore:
      if (code.buffering() != Buffering::kUnbuffered)
        return others_sync(code, thread) ? Role::kNeither : Role::kEager;
      [[fallthrough]];
    case InstrKind::kRmw:
      return any_visible(visibility.cells, op.first_cell, op.cells) ? Role::kNeither : Role::kAccess;
    case InstrKind::kAtomicBegin:
    case InstrKind::kAtomicEnd:
    case InstrKind::kHalt:
      break;
  }
  return Role::kNeither;
}

// Takes the role from one point of every cycle, until no cycle is left among the points that have one.
void Reduction::cut_cycles(const Code& code, size_t thread) {
  std::vector<Role>& roles = roles_[thread];
  for (;;) {
    std::vector<std::vector<uint32_t>> graph(roles.size());
    for (uint32_t p = 0; p < roles.size(); ++p) {
      if (roles[p] == Role::kNeither) continue;
      for (const Point next : code.at(thread, p).next)
        if (roles[next.index()] != Role::kNeither) graph[p].push_back(next.value());
    }
    const std::vector<std::vector<uint32_t>> cyclic = cyclic_components(graph);
    if (cyclic.empty()) return;
    for (const std::vector<uint32_t>& component : cyclic) {
      const uint32_t cut = *std::max_element(component.begin(), component.end(), [&](uint32_t x, uint32_t y) {
        return reluctance(code.at(thread, x).kind) < reluctance(code.at(thread, y).kind);
      });
      roles[cut] = Role::kNeither;
    }
  }
}

// An await on a cycle stays as it is: the cycle is cut where its section begins.
void Reduction::find_awaits(const Code& code, const Visibility& visibility, size_t thread) {
  std::vector<std::vector<uint32_t>> graph(code.points(thread));
  for (uint32_t p = 0; p < graph.size(); ++p)
    for (const Point next : code.at(thread, p).next) graph[p].push_back(next.value());
  BitSet cyclic;
  for (const std::vector<uint32_t>& component : cyclic_components(graph))
    for (const uint32_t point : component) cyclic.add(point);
  for (uint32_t begin = 0; begin < graph.size(); ++begin) {
    if (awaits_.at(thread, begin) == nullptr || cyclic.has(begin)) continue;
    bool visible = false;
    uint32_t point = begin;
    for (bool in_section = true; in_section; point = code.at(thread, point).next.front().value()) {
      const Operation& op = code.at(thread, point);
      visible = visible || seen_at(visibility.leaving, thread, point) ||
                seen_at(visibility.arriving, thread, op.next.front().value()) ||
                (op.has_dest && any_visible(visibility.registers, op.dest, op.dest_count));
      in_section = op.kind != InstrKind::kAtomicEnd;
    }
    if (!visible) roles_[thread][begin] = Role::kAwait;
  }
}

void Reduction::compute_future(const Code& code, size_t thread) {
  std::vector<Future>& future = future_[thread];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t p = future.size(); p-- > 0;) {
      const Operation& op = code.at(thread, static_cast<uint32_t>(p));
      Future here;
      if (op.kind == InstrKind::kLoad || op.kind == InstrKind::kRmw)
        here.reads |= cells_.accessed(thread, static_cast<uint32_t>(p));
      if (op.kind == InstrKind::kStore || op.kind == InstrKind::kRmw)
        here.writes |= cells_.accessed(thread, static_cast<uint32_t>(p));
      for (const Point next : op.next) {
        here.reads |= future[next.index()].reads;
        here.writes |= future[next.index()].writes;
      }
      changed = changed || here.reads != future[p].reads || here.writes != future[p].writes;
      future[p] = here;
    }
  }
}

void Reduction::compute_contended() {
  std::vector<Future> always;
  for (const std::vector<Future>& points : future_) {
    Future all{~CellMask{0}, ~CellMask{0}};
    for (const Future& point : points) {
      all.reads &= point.reads;
      all.writes &= point.writes;
    }
    always.push_back(all);
  }
  contended_.assign(future_.size(), Future());
  for (size_t t = 0; t < future_.size(); ++t) {
    for (size_t u = 0; u < future_.size(); ++u) {
      if (u == t) continue;
      contended_[t].reads |= always[u].reads;
      contended_[t].writes |= always[u].writes;
    }
  }
}

}  // namespace fenceline::machine
