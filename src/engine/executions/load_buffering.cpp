// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/load_buffering.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/publication.h"
#include "engine/executions/thread_pairs.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "ir/analysis/accessed_cells.h"

namespace fenceline::executions {
namespace {

// All threads, with one constraint of the model.
class LoadBuffering {
 public:
  LoadBuffering(const Overlay& overlay, const AccessedCells& cells, const PairOrder& order,
                ThreadPairs::Iterations iterations)
      : overlay_(overlay), cells_(cells), order_(order) {
    for (size_t t = 0; t < overlay.program().threads.size(); ++t)
      threads_.emplace_back(overlay, ThreadId(t), cells, order, iterations);
  }

  // Is there a pair that is not ordered, and that can be followed by others so that a cycle results?
  bool possible() {
    const auto has_unordered = [](const ThreadPairs& thread) {
      return std::any_of(thread.pairs().begin(), thread.pairs().end(),
                         [](const LoadStorePair& pair) { return !pair.ordered; });
    };
    if (std::none_of(threads_.begin(), threads_.end(), has_unordered)) return false;
    find_waits();
    find_accesses();
    for (size_t t = 0; t < threads_.size(); ++t)
      for (const LoadStorePair& pair : threads_[t].pairs())
        if (!pair.ordered && on_cycle(ThreadId(t), pair)) return true;
    return false;
  }

 private:
  // A load whose thread goes on only if it has read from the one store there is to its cell: a join, a start.
  struct Wait {
    ThreadId thread;
    Point load;
    ThreadId of_store;
    Point store;
  };
  struct Access {
    ThreadId thread;
    Point point;
    std::vector<size_t>
        next;  // of a load: stores of its thread; of a store: loads of other threads that may read it
  };

  void find_waits() {
    for (size_t t = 0; t < threads_.size(); ++t)
      for (size_t p = 0; p < overlay_.points(ThreadId(t)); ++p)
        if (overlay_.at(ThreadId(t), Point(p)).kind == InstrKind::kLoad) add_wait(ThreadId(t), Point(p));
  }

  void add_wait(ThreadId thread, Point point) {
    const Instruction& load = overlay_.at(thread, point);
    const Instruction& next = overlay_.at(thread, overlay_.next(thread, point, 0));
    const BitSet& cells = cells_.at(thread, point);
    if (next.kind != InstrKind::kAssume || cells.size() != 1 || load.dest.is_element()) return;
    // `r != 0`, and the cell is 0 at first.
    const Program& program = overlay_.program();
    const Expr& condition = program.expr(next.a);
    if (condition.op != ExprOp::kNe || program.expr(condition.a).op != ExprOp::kReg ||
        program.expr(condition.a).reg != load.dest.reg || program.expr(condition.b).op != ExprOp::kConst ||
        program.expr(condition.b).imm != 0)
      return;
    bool is_zero = true;
    cells.for_each([&](size_t cell) { is_zero = program.initial_memory()[cell] == 0; });
    if (!is_zero) return;
    std::optional<Wait> wait;
    for (size_t t = 0; t < threads_.size(); ++t)
      for (size_t p = 0; p < overlay_.points(ThreadId(t)); ++p) {
        if (!overlay_.at(ThreadId(t), Point(p)).writes_memory()) continue;
        if (!cells_.at(ThreadId(t), Point(p)).meets(cells)) continue;
        if (wait) return;
        wait = Wait{thread, point, ThreadId(t), Point(p)};
      }
    if (wait && wait->of_store != thread) waits_.push_back(*wait);
  }

  // The loads and stores of all pairs, and what may follow each on a cycle.
  void find_accesses() {
    loads_.resize(threads_.size());
    stores_.resize(threads_.size());
    for (size_t t = 0; t < threads_.size(); ++t) {
      loads_[t].assign(overlay_.points(ThreadId(t)), kNone);
      stores_[t].assign(overlay_.points(ThreadId(t)), kNone);
      for (const LoadStorePair& pair : threads_[t].pairs()) {
        const size_t store = number(stores_[t], ThreadId(t), pair.store);
        accesses_[number(loads_[t], ThreadId(t), pair.load)].next.push_back(store);
      }
    }
    const size_t cells = overlay_.program().initial_memory().size();
    std::vector<std::vector<size_t>> loads_of(cells);
    for_each_number(loads_, [&](size_t load) {
      cells_of(load).for_each([&](size_t cell) { loads_of[cell].push_back(load); });
    });
    std::vector<size_t> seen_by(accesses_.size(), kNone);
    for_each_number(stores_, [&](size_t store) {
      cells_of(store).for_each([&](size_t cell) {
        for (const size_t load : loads_of[cell]) {
          if (std::exchange(seen_by[load], store) == store) continue;
          if (may_read(accesses_[store], accesses_[load])) accesses_[store].next.push_back(load);
        }
      });
    });
  }

  static constexpr size_t kNone = ~size_t{0};

  size_t number(std::vector<size_t>& numbers, ThreadId thread, Point point) {
    size_t& known = numbers[point.index()];
    if (known == kNone) {
      known = accesses_.size();
      accesses_.push_back({thread, point, {}});
    }
    return known;
  }

  template <class F>
  static void for_each_number(const std::vector<std::vector<size_t>>& numbers, const F& f) {
    for (const std::vector<size_t>& of_thread : numbers)
      for (const size_t number : of_thread)
        if (number != kNone) f(number);
  }

  const BitSet& cells_of(size_t access) const {
    return cells_.at(accesses_[access].thread, accesses_[access].point);
  }

  bool may_read(const Access& store, const Access& load) const {
    return store.thread != load.thread && std::none_of(waits_.begin(), waits_.end(), [&](const Wait& wait) {
             return excludes(wait, store, load);
           });
  }

  // The store comes behind the wait, and the load before the store that is waited for: the model orders the load before
  // the store, so the load cannot read it.
  bool excludes(const Wait& wait, const Access& store, const Access& load) const {
    return wait.thread == store.thread && wait.of_store == load.thread &&
           threads_[store.thread.index()].executed_before(wait.load, store.point) &&
           is_ordered(store.thread, wait.load, store.point) &&
           is_ordered(load.thread, load.point, wait.store) && !reaches(load.thread, wait.store, load.point);
  }

  bool is_ordered(ThreadId thread, Point load, Point store) const {
    const std::vector<LoadStorePair>& pairs = threads_[thread.index()].pairs();
    return std::any_of(pairs.begin(), pairs.end(), [&](const LoadStorePair& pair) {
      return pair.load == load && pair.store == store && pair.ordered;
    });
  }

  bool reaches(ThreadId thread, Point from, Point to) const {
    std::vector<bool> seen(overlay_.points(thread));
    std::vector<Point> todo{from};
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      for (size_t slot = 0; slot < overlay_.at(thread, point).next.size(); ++slot) {
        const Point next = overlay_.next(thread, point, slot);
        if (next == to) return true;
        if (seen[next.index()]) continue;
        seen[next.index()] = true;
        todo.push_back(next);
      }
    }
    return false;
  }

  // From the store back to the load, through each other thread at most once.
  bool on_cycle(ThreadId thread, const LoadStorePair& pair) {
    const size_t load = loads_[thread.index()][pair.load.index()];
    leads_to_ = can_reach(load);
    steps_ = 0;
    visited_ = BitSet{thread.index()};
    return follow(stores_[thread.index()][pair.store.index()], load);
  }

  // Is the pair that begins with the load ordered if the load reads from the store?
  bool is_published(size_t store, size_t load) {
    if (!publication_) publication_.emplace(overlay_, cells_, order_);
    return publication_->is_published(accesses_[store].thread, accesses_[store].point, accesses_[load].thread,
                                      accesses_[load].point);
  }

  // By access: does a path lead from it to the load?
  std::vector<bool> can_reach(size_t load) const {
    std::vector<std::vector<size_t>> before(accesses_.size());
    for (size_t a = 0; a < accesses_.size(); ++a)
      for (const size_t next : accesses_[a].next) before[next].push_back(a);
    std::vector<bool> result(accesses_.size());
    std::vector<size_t> todo{load};
    while (!todo.empty()) {
      const size_t at = todo.back();
      todo.pop_back();
      for (const size_t other : before[at]) {
        if (result[other]) continue;
        result[other] = true;
        todo.push_back(other);
      }
    }
    return result;
  }

  bool follow(size_t store, size_t load) {
    for (const size_t next : accesses_[store].next) {
      if (next == load) {
        if (is_published(store, load)) continue;
        return true;
      }
      const size_t thread = accesses_[next].thread.index();
      if (!leads_to_[next] || visited_.has(thread)) continue;
      if (++steps_ > kMostSteps) return true;
      visited_.add(thread);
      for (const size_t from : accesses_[next].next)
        if (leads_to_[from] && follow(from, load)) return true;
      visited_.remove(thread);
    }
    return false;
  }

  static constexpr size_t kMostSteps = 100'000;

  const Overlay& overlay_;
  const AccessedCells& cells_;
  const PairOrder order_;
  std::vector<ThreadPairs> threads_;
  std::optional<Publication> publication_;  // once it is asked for
  std::vector<Wait> waits_;
  std::vector<Access> accesses_;
  std::vector<std::vector<size_t>> loads_, stores_;  // by thread and point: accesses
  // Of the search for a cycle.
  std::vector<bool> leads_to_;
  BitSet visited_;
  size_t steps_ = 0;
};

// The constraints to try, those first that order a store behind a load that its data depend on: coherence by itself decides
// few programs.
std::vector<size_t> constraints_of(const CatModel& model, sat::PreservedOrder& preserved) {
  const std::vector<bool> by_data =
      preserved.orders({.second_writes = true, .of_second = sat::AccessPair::Dependency::kData});
  const std::vector<bool> candidates = sat::orders_external_reads(model);
  std::vector<size_t> result;
  for (const bool first : {true, false})
    for (size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i] && by_data[i] == first) result.push_back(i);
  return result;
}

}  // namespace

bool may_buffer_loads(const Overlay& overlay, const CatModel& model) {
  // What a load can return is known only if a thread sees its own stores.
  if (!sat::forbids_reading_the_future(model) || !sat::reads_own_last_write(model)) return true;
  const AccessedCells cells(overlay);
  sat::PreservedOrder preserved(model);
  for (const auto iterations : {ThreadPairs::Iterations::kTogether, ThreadPairs::Iterations::kFirstAndLater})
    for (const size_t constraint : constraints_of(model, preserved)) {
      try {
        if (!LoadBuffering(overlay, cells, PairOrder(preserved, constraint), iterations).possible())
          return false;
      } catch (const Unsupported&) {  // it is not known
      }
    }
  return true;
}

}  // namespace fenceline::executions
