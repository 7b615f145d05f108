// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/shared_cells.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/robustness/access_strength.h"
#include "ir/analysis/constructs.h"
#include "ir/eval.h"

namespace fenceline::robustness {
namespace {

// Calls visit(thread, point, instruction) for everything in the program.
template <class Visit>
void for_each_instruction(const Overlay& overlay, const Visit& visit) {
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p) visit(t, p, overlay.at(ThreadId(t), Point(p)));
}

// Can the thread execute the instruction again?
bool repeats(const Overlay& overlay, ThreadId thread, Point point) {
  std::vector<bool> seen(overlay.points(thread));
  std::vector<Point> open{point};
  while (!open.empty()) {
    const Point here = open.back();
    open.pop_back();
    for (size_t slot = 0; slot < overlay.at(thread, here).next.size(); ++slot) {
      const Point next = overlay.next(thread, here, slot);
      if (next == point) return true;
      if (seen[next.index()]) continue;
      seen[next.index()] = true;
      open.push_back(next);
    }
  }
  return false;
}

// Does the thread execute a release fence right before the instruction, however it gets there?
bool behind_release_fence(const Overlay& overlay, ThreadId thread, Point point) {
  bool found = false;
  for (size_t p = 0; p < overlay.points(thread); ++p) {
    const Instruction& before = overlay.at(thread, Point(p));
    for (size_t slot = 0; slot < before.next.size(); ++slot) {
      if (overlay.next(thread, Point(p), slot) != point) continue;
      if (before.kind != InstrKind::kFence || !fence_strength(before).release) return false;
      found = true;
    }
  }
  return found && overlay.program().thread(thread).entry != point;
}

// Is an acquire fence what the thread executes next, from here on?
bool before_acquire_fence(const Overlay& overlay, ThreadId thread, Point point) {
  while (overlay.at(thread, point).kind == InstrKind::kAtomicEnd) point = overlay.next(thread, point, 0);
  const Instruction& next = overlay.at(thread, point);
  return next.kind == InstrKind::kFence && fence_strength(next).acquire;
}

// Is it a load that acquires, behind which executions do not count if it read `initial`?
bool waits_for_change(const Overlay& overlay, ThreadId thread, Point point, Value initial) {
  const Instruction& load = overlay.at(thread, point);
  if (load.kind != InstrKind::kLoad || !load.dest.valid() || load.dest.is_element()) return false;
  const Point next = overlay.next(thread, point, 0);
  const Instruction& behind = overlay.at(thread, next);
  if (behind.kind != InstrKind::kAssume) return false;
  if (!read_strength(load).acquire && !before_acquire_fence(overlay, thread, overlay.next(thread, next, 0)))
    return false;
  bool about_load = true;
  const Evaluated holds = evaluate(overlay.program(), behind.a, [&](const Expr& leaf, Value index) {
    about_load = about_load && leaf.reg == load.dest.reg && index == 0;
    return initial;
  });
  return about_load && holds.ok() && holds.value == 0;
}

std::vector<bool> points_in_sections(const Overlay& overlay, ThreadId thread) {
  std::vector<bool> inside(overlay.points(thread));
  for (const std::vector<Point>& section : atomic_sections(overlay, thread))
    for (const Point point : section) inside[point.index()] = true;
  return inside;
}

}  // namespace

SharedCells::SharedCells(const Overlay& overlay) : numbers_(overlay.program().cell_count, kNone) {
  find_atomic(overlay);
  number_cells(overlay, AccessedCells(overlay));
  find_future(overlay);
  find_signals(overlay);
  look_for_features(overlay);
  number_columns();
  clocks_of_.resize(size());
  if (!only_sequential_) make_clocks();
}

// In the language, an access says it. In a program that was compiled for a machine, read-modify-writes and atomic sections
// are atomic, and so is what the source gave an order; where the source knows no orders, everything is.
void SharedCells::find_atomic(const Overlay& overlay) {
  bool orders = false;
  for_each_instruction(overlay, [&](size_t, size_t, const Instruction& instruction) {
    orders = orders || (instruction.is_memory_access() && instruction.order != MemoryOrder::kPlain);
  });
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    std::vector<bool>& atomic = atomic_.emplace_back(overlay.points(ThreadId(t)), !orders);
    const std::vector<bool> in_section = points_in_sections(overlay, ThreadId(t));
    for (size_t p = 0; p < atomic.size(); ++p) {
      const Instruction& instruction = overlay.at(ThreadId(t), Point(p));
      if (tagged_not_atomic(instruction))
        atomic[p] = false;
      else if (instruction.order != MemoryOrder::kPlain || instruction.kind == InstrKind::kRmw ||
               in_section[p])
        atomic[p] = true;
    }
  }
}

void SharedCells::number_cells(const Overlay& overlay, const AccessedCells& all) {
  std::vector<BitSet> threads(numbers_.size());  // that access a cell
  BitSet written;
  for_each_instruction(overlay, [&](size_t t, size_t p, const Instruction& instruction) {
    if (!instruction.is_memory_access()) return;
    all.at(ThreadId(t), Point(p)).for_each([&](size_t cell) {
      threads[cell].add(t);
      if (instruction.writes_memory()) written.add(cell);
    });
  });
  for (size_t cell = 0; cell < numbers_.size(); ++cell) {
    if (threads[cell].size() < 2 || !written.has(cell)) continue;
    numbers_[cell] = static_cast<uint32_t>(cells_.size());
    cells_.emplace_back(cell);
  }
  accessed_.resize(overlay.program().threads.size());
  for_each_instruction(overlay, [&](size_t t, size_t p, const Instruction& instruction) {
    BitSet& shared = accessed_[t].emplace_back();
    if (!instruction.is_memory_access()) return;
    all.at(ThreadId(t), Point(p)).for_each([&](size_t cell) {
      if (numbers_[cell] != kNone) shared.add(numbers_[cell]);
    });
  });
}

void SharedCells::find_future(const Overlay& overlay) {
  std::map<Future, size_t> numbers;
  for (size_t t = 0; t < accessed_.size(); ++t) {
    std::vector<Future> future(accessed_[t].size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t p = future.size(); p-- > 0;) {
        const Instruction& instruction = overlay.at(ThreadId(t), Point(p));
        Future all = future[p];
        if (instruction.reads_memory()) all.reads |= accessed_[t][p];
        if (instruction.writes_memory()) all.writes |= accessed_[t][p];
        for (size_t slot = 0; slot < instruction.next.size(); ++slot) {
          const Future& next = future[overlay.next(ThreadId(t), Point(p), slot).index()];
          all.reads |= next.reads;
          all.writes |= next.writes;
        }
        if (all == future[p]) continue;
        future[p] = std::move(all);
        changed = true;
      }
    }
    std::vector<size_t>& by_point = future_.emplace_back();
    for (Future& one : future) {
      const auto [found, is_new] = numbers.emplace(one, futures_.size());
      if (is_new) futures_.push_back(std::move(one));
      by_point.push_back(found->second);
    }
  }
}

// Who waits for the write must acquire.
void SharedCells::find_signals(const Overlay& overlay) {
  const std::vector<Value> initial = overlay.program().initial_memory();
  std::vector<size_t> writes(size());
  BitSet others;
  for_each_instruction(overlay, [&](size_t t, size_t p, const Instruction& instruction) {
    const BitSet& accessed = accessed_[t][p];
    if (accessed.empty()) return;
    if (instruction.kind == InstrKind::kStore) {
      accessed.for_each([&](size_t cell) { ++writes[cell]; });
      const bool releases =
          write_strength(instruction).release || behind_release_fence(overlay, ThreadId(t), Point(p));
      if (!releases || repeats(overlay, ThreadId(t), Point(p))) others |= accessed;
      return;
    }
    accessed.for_each([&](size_t cell) {
      if (!waits_for_change(overlay, ThreadId(t), Point(p), initial[cells_[cell].index()])) others.add(cell);
    });
  });
  for (size_t cell = 0; cell < size(); ++cell)
    if (writes[cell] == 1 && !others.has(cell)) signals_.add(cell);
}

void SharedCells::look_for_features(const Overlay& overlay) {
  kinds_.assign(size(), std::vector<Kinds>(threads()));
  for_each_instruction(overlay, [&](size_t t, size_t p, const Instruction& instruction) {
    if (instruction.kind == InstrKind::kFence) {
      const FenceStrength fence = fence_strength(instruction);
      acquire_fences_ = acquire_fences_ || fence.acquire;
      release_fences_ = release_fences_ || fence.release;
      sequential_fences_ = sequential_fences_ || fence.sequential;
    }
    if (accessed_[t][p].empty()) return;
    const bool atomic = atomic_[t][p];
    const auto note = [&](AccessKind kind, bool sequential) {
      accessed_[t][p].for_each([&](size_t cell) { kinds_[cell][t][static_cast<size_t>(kind)] = true; });
      sequential_accesses_ = sequential_accesses_ || sequential;
      only_sequential_ = only_sequential_ && (sequential || !atomic || accessed_[t][p].subset_of(signals_));
    };
    if (instruction.reads_memory())
      note(atomic ? AccessKind::kAtomicRead : AccessKind::kPlainRead, read_strength(instruction).sequential);
    if (instruction.writes_memory())
      note(atomic ? AccessKind::kAtomicWrite : AccessKind::kPlainWrite,
           write_strength(instruction).sequential);
  });
}

void SharedCells::number_columns() {
  for (size_t cell = 0; cell < size(); ++cell) {
    const auto any = [&](AccessKind kind) {
      return std::ranges::any_of(kinds_[cell],
                                 [kind](const Kinds& kinds) { return kinds[static_cast<size_t>(kind)]; });
    };
    const bool reads = any(AccessKind::kAtomicRead), writes = any(AccessKind::kAtomicWrite);
    const bool plain = !reads && !writes;
    only_plain_.push_back(plain);
    message_.push_back(reads && writes ? static_cast<uint32_t>(messages_++) : kNone);
    const bool wanted = !plain && !only_sequential_;
    columns_.push_back(wanted ? static_cast<uint32_t>(cells_of_columns_.size()) : kNone);
    if (wanted) cells_of_columns_.push_back(cell);
  }
}

void SharedCells::make_clocks() {
  const auto has = [&](size_t cell, size_t thread, AccessKind kind) {
    return kinds_[cell][thread][static_cast<size_t>(kind)];
  };
  for (size_t cell = 0; cell < size(); ++cell) {
    if (only_plain_[cell]) make_clock(cell, {}, AccessKind::kPlainWrite);
    for (size_t t = 0; t < threads(); ++t)
      for (size_t k = 0; k < kAccessKinds; ++k) {
        const auto kind = static_cast<AccessKind>(k);
        if (!has(cell, t, kind) || (only_plain_[cell] && is_write(kind))) continue;
        bool races = false;
        for (size_t u = 0; u < threads(); ++u)
          for (size_t other = 0; other < kAccessKinds && u != t; ++other)
            races = races || (has(cell, u, static_cast<AccessKind>(other)) &&
                              conflict(kind, static_cast<AccessKind>(other)));
        if (races) make_clock(cell, t, kind);
      }
  }
}

void SharedCells::make_clock(size_t cell, std::optional<size_t> thread, AccessKind kind) {
  clocks_of_[cell].push_back(clocks_.size());
  clocks_.push_back({cell, thread, kind});
}

}  // namespace fenceline::robustness
