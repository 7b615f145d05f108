// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/early_stores.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "engine/sat/preserved_order.h"
#include "ir/analysis/value_sets.h"

namespace fenceline::sat {
namespace {

// What orders a load and a later store.
struct Kept {
  bool fences = false, locations = false;
};

class ThreadLoops {
 public:
  ThreadLoops(const Overlay& overlay, ThreadId thread, const Liveness& liveness, Kept kept)
      : overlay_(overlay),
        program_(overlay.program()),
        thread_(thread),
        liveness_(liveness),
        kept_(kept),
        size_(static_cast<uint32_t>(overlay.points(thread))),
        successors_(size_) {
    for (uint32_t i = 0; i < size_; ++i)
      for (size_t slot = 0; slot < at(i).next.size(); ++slot)
        successors_[i].push_back(overlay.next(thread, Point(i), slot).value());
    find_what_depends_on_loads();
  }

  // Is there a store behind some load, without a fence between them that orders the two? Nor does it order
  // them that both are certainly about one location.
  bool has_early_store() const {
    for (uint32_t load = 0; load < size_; ++load) {
      if (!at(load).reads_memory()) continue;
      const std::vector<bool> unfenced = reachable(successors_[load], kept_.fences);
      for (uint32_t i = 0; i < size_; ++i)
        if (at(i).writes_memory() && unfenced[i] && !(kept_.locations && same_location(load, i))) return true;
    }
    return false;
  }

  std::optional<SourcePos> affected() const {
    std::optional<SourcePos> found;
    divide(successors_, found);
    return found;
  }

 private:
  const Instruction& at(uint32_t point) const { return overlay_.at(thread_, Point(point)); }

  bool same_location(uint32_t one, uint32_t other) const {
    const Address &a = at(one).address, &b = at(other).address;
    const Expr &here = program_.expr(a.offset), &there = program_.expr(b.offset);
    return a.object == b.object && here.op == ExprOp::kConst && there.op == ExprOp::kConst &&
           here.imm == there.imm;
  }

  bool names_tainted(ExprId id) const {
    if (!id.valid()) return false;
    const auto named = registers_of(program_, id).registers;
    return std::any_of(named.begin(), named.end(), [&](RegId reg) { return tainted_[reg.index()]; });
  }

  // Registers whose values depend on loads, by data or by control. Flow-insensitive: what holds at one point
  // holds at all.
  void find_what_depends_on_loads() {
    tainted_.resize(program_.thread(thread_).registers.size());
    const std::vector<std::vector<bool>> always_later = post_dominators();
    std::vector<bool> controlled(size_);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const Instruction& instruction = at(i);
        if (instruction.kind == InstrKind::kBranch && names_tainted(instruction.a))
          for (const uint32_t next : successors_[i])
            for (uint32_t point = 0; point < size_; ++point)
              if (always_later[next][point] && !always_later[i][point] && !controlled[point])
                controlled[point] = changed = true;
        if (!instruction.dest.valid()) continue;
        const bool depends = instruction.reads_memory() || controlled[i] || names_tainted(instruction.a) ||
                             names_tainted(instruction.b) ||
                             (instruction.dest.is_element() && names_tainted(instruction.dest.index));
        for (uint32_t k = 0; depends && k < std::max(1U, instruction.dest.count); ++k)
          if (std::vector<bool>::reference mark = tainted_[instruction.dest.reg.index() + k]; !mark)
            mark = changed = true;
      }
    }
  }

  // By point, the points that every path from it to the end of the thread passes, itself too. Where no path
  // leads to the end it is taken to pass only itself and what it reaches first: all else is decided by
  // branches.
  std::vector<std::vector<bool>> post_dominators() const {
    std::vector<std::vector<bool>> later(size_, std::vector<bool>(size_, true));
    std::vector<bool> ends(size_);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const bool now = successors_[i].empty() || std::any_of(successors_[i].begin(), successors_[i].end(),
                                                               [&](uint32_t next) { return ends[next]; });
        if (now && !ends[i]) ends[i] = changed = true;
      }
    }
    for (uint32_t i = 0; i < size_; ++i)
      if (!ends[i] || successors_[i].empty()) {
        later[i].assign(size_, false);
        later[i][i] = true;
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = size_; i-- > 0;) {
        if (!ends[i] || successors_[i].empty()) continue;
        std::vector<bool> all(size_, true);
        for (const uint32_t next : successors_[i])
          for (uint32_t point = 0; point < size_; ++point) all[point] = all[point] && later[next][point];
        all[i] = true;
        if (all != later[i]) {
          later[i] = std::move(all);
          changed = true;
        }
      }
    }
    return later;
  }

  void divide(const std::vector<std::vector<uint32_t>>& graph, std::optional<SourcePos>& found) const {
    for (const std::vector<uint32_t>& nodes : cyclic_components(graph)) {
      if (found) return;
      const uint32_t header = *std::min_element(nodes.begin(), nodes.end());
      std::vector<bool> inside(size_);
      for (const uint32_t node : nodes) inside[node] = true;
      if ((decided_by_a_load(nodes, inside) || reached_by_a_load(header)) && does_something(nodes, header) &&
          has_later_store(nodes)) {
        found = at(header).pos;
        return;
      }
      std::vector<std::vector<uint32_t>> inner(size_);
      for (const uint32_t node : nodes)
        for (const uint32_t to : graph[node])
          if (inside[to] && to != header) inner[node].push_back(to);
      divide(inner, found);
    }
  }

  bool decided_by_a_load(const std::vector<uint32_t>& nodes, const std::vector<bool>& inside) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return at(node).kind == InstrKind::kBranch && names_tainted(at(node).a) &&
             std::any_of(successors_[node].begin(), successors_[node].end(),
                         [&](uint32_t to) { return !inside[to]; });
    });
  }

  // Does it depend on a load whether the thread comes to this point (again): on a branch from which a path
  // leads elsewhere, or stays in another loop for ever, or on an assumption?
  bool reached_by_a_load(uint32_t point) const {
    std::vector<bool> sure(size_), possible(size_);  // all paths, some path leads there
    sure[point] = possible[point] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < size_; ++i) {
        const std::vector<uint32_t>& next = successors_[i];
        const auto is = [&](const std::vector<bool>& set) { return [&](uint32_t to) { return set[to]; }; };
        if (!sure[i] && !next.empty() && std::all_of(next.begin(), next.end(), is(sure)))
          sure[i] = changed = true;
        if (!possible[i] && std::any_of(next.begin(), next.end(), is(possible))) possible[i] = changed = true;
      }
    }
    for (uint32_t i = 0; i < size_; ++i) {
      if (!possible[i] || !names_tainted(at(i).a)) continue;
      if (at(i).kind == InstrKind::kAssume) return true;
      if (at(i).kind == InstrKind::kBranch &&
          std::any_of(successors_[i].begin(), successors_[i].end(), [&](uint32_t to) { return !sure[to]; }))
        return true;
    }
    return false;
  }

  // Can an iteration be something else than idle?
  bool does_something(const std::vector<uint32_t>& nodes, uint32_t header) const {
    Point head(header);
    while (overlay_.inserted(thread_, head)) head = overlay_.next(thread_, head, 0);
    return std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      const Instruction& instruction = at(node);
      if (instruction.writes_memory()) return true;
      for (uint32_t k = 0; instruction.dest.valid() && k < std::max(1U, instruction.dest.count); ++k)
        if (liveness_.live(thread_, head, RegId(instruction.dest.reg.index() + k))) return true;
      return false;
    });
  }

  bool has_later_store(const std::vector<uint32_t>& nodes) const {
    const std::vector<bool> behind = reachable({nodes.begin(), nodes.end()}, false);
    for (uint32_t i = 0; i < size_; ++i)
      if (at(i).writes_memory() && behind[i]) return true;
    return false;
  }

  std::vector<bool> reachable(std::vector<uint32_t> stack, bool cut_at_fences) const {
    std::vector<bool> seen(size_);
    while (!stack.empty()) {
      const uint32_t node = stack.back();
      stack.pop_back();
      if (seen[node]) continue;
      if (cut_at_fences && at(node).kind == InstrKind::kFence && at(node).fence.has_load_store()) continue;
      seen[node] = true;
      stack.insert(stack.end(), successors_[node].begin(), successors_[node].end());
    }
    return seen;
  }

  const Overlay& overlay_;
  const Program& program_;
  ThreadId thread_;
  const Liveness& liveness_;
  Kept kept_;
  uint32_t size_;
  std::vector<std::vector<uint32_t>> successors_;
  std::vector<bool> tainted_;  // by register: its value may depend on a load
};

}  // namespace

std::optional<SourcePos> loop_with_early_stores(const Overlay& overlay, const Liveness& liveness,
                                                const CatModel& model) {
  Kept kept;
  if (forbids_reading_the_future(model)) {
    kept.fences = keeps_load_store_fences(model);
    kept.locations = keeps_load_store_locations(model);
  }
  std::vector<ThreadLoops> threads;
  for (size_t thread = 0; thread < overlay.program().threads.size(); ++thread)
    threads.emplace_back(overlay, ThreadId(thread), liveness, kept);
  if (std::none_of(threads.begin(), threads.end(),
                   [](const ThreadLoops& thread) { return thread.has_early_store(); }))
    return std::nullopt;
  for (const ThreadLoops& thread : threads)
    if (const auto found = thread.affected()) return found;
  return std::nullopt;
}

}  // namespace fenceline::sat
