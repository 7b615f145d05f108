// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/load_buffering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/bit_set.h"
#include "engine/executions/accessed_cells.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"
#include "ir/eval.h"
#include "ir/walk.h"

namespace fenceline::executions {
namespace {

using Dependency = sat::AccessPair::Dependency;
constexpr Dependency operator|(Dependency a, Dependency b) {
  return static_cast<Dependency>(static_cast<int>(a) | static_cast<int>(b));
}

BitSet intersection(const BitSet& a, const BitSet& b) {
  BitSet result;
  a.for_each([&](size_t i) {
    if (b.has(i)) result.add(i);
  });
  return result;
}

// The read or the write of the access at a point, as a number.
size_t access_id(Point point, bool write) { return point.index() * 2 + (write ? 1 : 0); }

// What certainly lies behind a load, when it was executed last or at any earlier time. Points of the thread.
struct Evidence {
  bool ctrl = false;  // a branch that depends on it
  BitSet fences;
  BitSet addressed;  // accesses whose address depends on it
  BitSet stores;     // of data that depend on it, to one cell only
  BitSet ordered;    // access_ids, executed last, that the model orders behind it
  // By cell: the last write to it since the load is one of these, and all of them are ordered behind the load.
  std::map<size_t, BitSet> last_writes;

  void meet(const Evidence& other) {
    ctrl = ctrl && other.ctrl;
    fences = intersection(fences, other.fences);
    addressed = intersection(addressed, other.addressed);
    stores = intersection(stores, other.stores);
    ordered = intersection(ordered, other.ordered);
    for (auto at = last_writes.begin(); at != last_writes.end();) {
      const auto with = other.last_writes.find(at->first);
      if (with == other.last_writes.end()) {
        at = last_writes.erase(at);
        continue;
      }
      at->second |= with->second;
      ++at;
    }
  }
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// Before an instruction; loads are named by their points.
struct LocalState {
  std::map<size_t, Evidence> newest, older;
  std::vector<BitSet> depends_on;  // by register: loads whose newest value it certainly depends on
  BitSet executed;                 // points

  // What holds on both paths. A load that was not executed on one of them does not matter there.
  void meet(const LocalState& other) {
    for (size_t r = 0; r < depends_on.size(); ++r) {
      BitSet met;
      depends_on[r].for_each([&](size_t l) {
        if (other.depends_on[r].has(l) || !other.newest.contains(l)) met.add(l);
      });
      other.depends_on[r].for_each([&](size_t l) {
        if (!newest.contains(l)) met.add(l);
      });
      depends_on[r] = std::move(met);
    }
    for (const auto member : {&LocalState::newest, &LocalState::older})
      for (const auto& [load, evidence] : other.*member)
        if (const auto [mine, is_new] = (this->*member).try_emplace(load, evidence); !is_new)
          mine->second.meet(evidence);
    executed = intersection(executed, other.executed);
  }
  friend bool operator==(const LocalState&, const LocalState&) = default;
};

// A load and a later store of its thread.
struct Pair {
  ThreadId thread;
  Point load, store;
  bool ordered = false;  // certainly, whenever the two are executed
};

// Whether one of the constraints of a model orders accesses.
class Order {
 public:
  Order(sat::PreservedOrder& preserved, size_t constraint) : preserved_(preserved), constraint_(constraint) {}

  bool operator()(const sat::AccessPair& pair) { return preserved_.orders(pair)[constraint_]; }

 private:
  sat::PreservedOrder& preserved_;
  size_t constraint_;
};

// The pairs of one thread.
class ThreadPairs {
 public:
  ThreadPairs(const Overlay& overlay, ThreadId thread, const AccessedCells& cells, Order& order)
      : overlay_(overlay),
        program_(overlay.program()),
        thread_(thread),
        cells_(cells),
        order_(order),
        in_section_(overlay.points(thread)),
        before_(overlay.points(thread)) {
    for (const std::vector<Point>& section : atomic_sections(overlay, thread))
      for (const Point point : section) in_section_[point.index()] = true;
    run();
  }

  const std::vector<Pair>& pairs() const { return pairs_; }
  // What is certain before an instruction; nothing if it is never reached.
  const std::optional<LocalState>& before(Point point) const { return before_[point.index()]; }

 private:
  const Instruction& at(Point point) const { return overlay_.at(thread_, point); }

  // A point, and what the flags are there: registers that only ever get constants. Compilers make them of the exits of
  // loops, and a path on which their values contradict each other is none.
  using Node = std::pair<Point, std::vector<Value>>;

  void find_flags() {
    const std::vector<Register>& registers = program_.thread(thread_).registers;
    is_flag_.assign(registers.size(), true);
    for (size_t p = 0; p < overlay_.points(thread_); ++p) {
      const Instruction& i = at(Point(p));
      if (!i.dest.valid() ||
          (i.kind == InstrKind::kAssign && program_.expr(i.a).op == ExprOp::kConst && !i.dest.is_element()))
        continue;
      for (size_t element = 0; element < i.dest.count; ++element)
        is_flag_[i.dest.reg.index() + element] = false;
    }
  }

  // Which successors are possible?
  bool possible(const Node& node, size_t slot) const {
    const Instruction& i = at(node.first);
    if (i.kind != InstrKind::kBranch) return true;
    bool known = true;
    for_each_expr(program_, i.a, [&](const Expr& e) {
      known = known && e.op != ExprOp::kRegAt && (e.op != ExprOp::kReg || is_flag_[e.reg.index()]);
    });
    if (!known) return true;
    const Evaluated condition =
        evaluate(program_, i.a, [&](const Expr& leaf, Value) { return node.second[leaf.reg.index()]; });
    return !condition.ok() || (condition.value != 0) == (slot == 0);
  }

  void run() {
    constexpr size_t kMostNodes = 20'000;
    find_flags();
    LocalState entry;
    entry.depends_on.resize(is_flag_.size());
    Node first{program_.thread(thread_).entry, {}};
    for (size_t r = 0; r < is_flag_.size(); ++r)
      first.second.push_back(is_flag_[r] ? program_.thread(thread_).registers[r].init : 0);
    std::map<Node, LocalState> before{{first, std::move(entry)}};
    std::vector<Node> todo{first};
    while (!todo.empty()) {
      const Node node = std::move(todo.back());
      todo.pop_back();
      LocalState after = before.at(node);
      execute(node.first, after);
      after.executed.add(node.first.index());
      Node next = node;
      if (const Instruction& i = at(node.first); i.dest.valid() && is_flag_[i.dest.reg.index()])
        next.second[i.dest.reg.index()] = program_.expr(i.a).imm;
      for (size_t slot = 0; slot < at(node.first).next.size(); ++slot) {
        if (!possible(node, slot)) continue;
        next.first = overlay_.next(thread_, node.first, slot);
        const auto [there, is_new] = before.try_emplace(next, after);
        if (!is_new) {
          LocalState met = there->second;
          met.meet(after);
          if (met == there->second) continue;
          there->second = std::move(met);
        }
        if (before.size() > kMostNodes) throw Unsupported("a thread with too many paths");
        todo.push_back(next);
      }
    }
    for (auto& [node, state] : before) {
      std::optional<LocalState>& there = before_[node.first.index()];
      if (at(node.first).writes_memory()) add_pairs(node.first, state);
      if (there)
        there->meet(state);
      else
        there = std::move(state);
    }
  }

  BitSet dependencies(const LocalState& state, ExprId expr) const {
    BitSet result;
    if (!expr.valid()) return result;
    for_each_expr(program_, expr, [&](const Expr& e) {
      if (e.op != ExprOp::kReg && e.op != ExprOp::kRegAt) return;
      for (size_t i = 0; i < (e.op == ExprOp::kReg ? 1 : e.count); ++i)
        result |= state.depends_on[e.reg.index() + i];
    });
    return result;
  }

  void assign(LocalState& state, const Dest& dest, BitSet on) const {
    if (!dest.valid()) return;
    if (!dest.is_element()) {
      state.depends_on[dest.reg.index()] = std::move(on);
      return;
    }
    on |= dependencies(state, dest.index);
    for (size_t i = 0; i < dest.count; ++i) state.depends_on[dest.reg.index() + i] |= on;
  }

  template <class F>
  static void for_each_load(LocalState& state, const F& f) {
    for (auto& [load, evidence] : state.newest) f(load, true, evidence);
    for (auto& [load, evidence] : state.older) f(load, false, evidence);
  }

  void execute(Point point, LocalState& state) {
    const Instruction& i = at(point);
    switch (i.kind) {
      case InstrKind::kFence:
        return for_each_load(state, [&](size_t, bool, Evidence& e) { e.fences.add(point.index()); });
      case InstrKind::kBranch:
        return depend_on(state, i.a);
      case InstrKind::kAssume:
        if (i.branches) depend_on(state, i.a);
        return;
      case InstrKind::kAssign:
        return assign(state, i.dest, dependencies(state, i.a));
      case InstrKind::kHavoc:
        return assign(state, i.dest, {});
      case InstrKind::kLoad:
      case InstrKind::kStore:
      case InstrKind::kRmw:
        return access(point, i, state);
      case InstrKind::kChoose:
      case InstrKind::kAssert:
      case InstrKind::kAtomicBegin:
      case InstrKind::kAtomicEnd:
      case InstrKind::kMark:
      case InstrKind::kHalt:
        return;
    }
  }

  void depend_on(LocalState& state, ExprId condition) const {
    dependencies(state, condition).for_each([&](size_t load) { state.newest[load].ctrl = true; });
  }

  void access(Point point, const Instruction& i, LocalState& state) {
    if (i.reads_memory()) note_order(point, false, state);
    if (i.writes_memory()) note_order(point, true, state);
    dependencies(state, i.address.offset).for_each([&](size_t load) {
      state.newest[load].addressed.add(point.index());
    });
    if (certainly_writes(i) && cells(point).size() == 1)
      dependencies(state, i.a).for_each([&](size_t load) { state.newest[load].stores.add(point.index()); });
    if (!i.reads_memory()) return;
    BitSet on = i.kind == InstrKind::kRmw && i.rmw == RmwOp::kCas ? dependencies(state, i.a) : BitSet();
    const size_t load = point.index();
    if (const auto before = state.newest.find(load); before != state.newest.end())
      if (const auto [mine, is_new] = state.older.try_emplace(load, before->second); !is_new)
        mine->second.meet(before->second);
    for (BitSet& loads : state.depends_on) loads.remove(load);
    Evidence& now = state.newest[load] = {};
    if (certainly_writes(i) && own_write_is_ordered(point))
      note_write(point, true, now), now.ordered.add(access_id(point, true));
    on.remove(load);
    on.add(load);
    assign(state, i.dest, std::move(on));
  }

  // Is the write of the read-modify-write ordered behind its read?
  bool own_write_is_ordered(Point point) {
    return order_({.first = &at(point),
                   .second = &at(point),
                   .second_writes = true,
                   .same_instruction = true,
                   .in_section = in_section_[point.index()]});
  }

  // A compare-exchange may not write.
  static bool certainly_writes(const Instruction& i) {
    return i.writes_memory() && !(i.kind == InstrKind::kRmw && is_cas(i.rmw));
  }

  // An access is executed: behind which loads is it ordered?
  void note_order(Point point, bool write, LocalState& state) {
    const Instruction& i = at(point);
    BitSet data, addr = dependencies(state, i.address.offset);
    if (write) data = dependencies(state, i.a);
    if (write && i.kind == InstrKind::kRmw && is_cas(i.rmw)) data |= dependencies(state, i.b);
    for_each_load(state, [&](size_t load, bool newest, Evidence& evidence) {
      const bool is_ordered =
          ordered(Point(load), point, write, evidence, newest && addr.has(load), newest && data.has(load));
      evidence.ordered.remove(access_id(point, write));
      if (write) note_write(point, is_ordered, evidence);
      if (is_ordered && (!write || certainly_writes(i))) evidence.ordered.add(access_id(point, write));
    });
  }

  void note_write(Point point, bool is_ordered, Evidence& evidence) const {
    const bool certain = certainly_writes(at(point)) && cells(point).size() == 1;
    cells(point).for_each([&](size_t cell) {
      const auto known = evidence.last_writes.find(cell);
      if (!is_ordered)
        evidence.last_writes.erase(cell);
      else if (certain)
        evidence.last_writes[cell] = BitSet{point.index()};
      else if (known != evidence.last_writes.end())
        known->second.add(point.index());
    });
  }

  void add_pairs(Point point, const LocalState& state) {
    const Instruction& store = at(point);
    BitSet data = dependencies(state, store.a);
    if (store.kind == InstrKind::kRmw && is_cas(store.rmw)) data |= dependencies(state, store.b);
    const BitSet addr = dependencies(state, store.address.offset);
    std::map<size_t, bool> kept;
    for (const auto& [load, evidence] : state.newest)
      kept[load] = ordered(Point(load), point, true, evidence, addr.has(load), data.has(load));
    for (const auto& [load, evidence] : state.older)
      kept[load] = kept[load] && ordered(Point(load), point, true, evidence, false, false);
    if (store.kind == InstrKind::kRmw) {
      const bool own = own_write_is_ordered(point);
      const auto [mine, is_new] = kept.try_emplace(point.index(), own);
      if (!is_new) mine->second = mine->second && own;
    }
    for (const auto& [load, is_kept] : kept) {
      const auto known = std::find_if(pairs_.begin(), pairs_.end(), [&, l = load](const Pair& pair) {
        return pair.load == Point(l) && pair.store == point;
      });
      if (known == pairs_.end())
        pairs_.push_back({thread_, Point(load), point, is_kept});
      else
        known->ordered = known->ordered && is_kept;
    }
  }

  const BitSet& cells(Point point) const { return cells_.at(thread_, point); }
  bool alias(Point a, Point b) const { return cells(a).size() == 1 && cells(a) == cells(b); }

  // Is the load certainly ordered before the access at `point`, which is executed now?
  bool ordered(Point load, Point point, bool write, const Evidence& evidence, bool by_address, bool by_data) {
    Dependency on = evidence.ctrl ? Dependency::kCtrl : Dependency::kNone;
    if (by_address) on = on | Dependency::kAddr;
    if (by_data) on = on | Dependency::kData;
    const sat::AccessPair direct{.first = &at(load),
                                 .second = &at(point),
                                 .second_writes = write,
                                 .of_second = on,
                                 .ends_alias = alias(load, point)};
    if (order_(direct)) return true;
    bool found = false;
    const auto through = [&](size_t middle, bool writes, Dependency of_middle, bool same_cell) {
      sat::AccessPair with = direct;
      with.middle = &at(Point(middle));
      with.middle_writes = writes;
      with.of_middle = of_middle;
      with.middle_and_second_alias = same_cell;
      found = found || order_(with);
    };
    evidence.fences.for_each([&](size_t fence) { through(fence, false, Dependency::kNone, false); });
    evidence.addressed.for_each([&](size_t other) {
      if (Point(other) != load && Point(other) != point)
        through(other, at(Point(other)).kind == InstrKind::kStore, Dependency::kAddr, false);
    });
    evidence.stores.for_each([&](size_t store) {
      if (Point(store) != load && alias(Point(store), point)) through(store, true, Dependency::kData, true);
    });
    evidence.ordered.for_each([&](size_t other) {
      found = found || (Point(other / 2) != point && order_({.first = &at(Point(other / 2)),
                                                             .second = &at(point),
                                                             .first_writes = other % 2 == 1,
                                                             .second_writes = write}));
    });
    if (!write) found = found || behind_last_write(point, evidence);
    return found;
  }

  // A read is ordered behind the last write of its thread to the cell, whichever that is.
  bool behind_last_write(Point read, const Evidence& evidence) {
    if (cells(read).size() != 1) return false;
    bool result = false;
    cells(read).for_each([&](size_t cell) {
      const auto writes = evidence.last_writes.find(cell);
      if (writes == evidence.last_writes.end()) return;
      result = true;
      writes->second.for_each([&](size_t write) {
        result =
            result &&
            order_(
                {.first = &at(Point(write)), .second = &at(read), .first_writes = true, .ends_alias = true});
      });
    });
    return result;
  }

  const Overlay& overlay_;
  const Program& program_;
  ThreadId thread_;
  const AccessedCells& cells_;
  Order& order_;
  std::vector<bool> is_flag_;                      // by register
  std::vector<bool> in_section_;                   // by point
  std::vector<std::optional<LocalState>> before_;  // likewise
  std::vector<Pair> pairs_;
};

// All threads, with one constraint of the model.
class LoadBuffering {
 public:
  LoadBuffering(const Overlay& overlay, const AccessedCells& cells, sat::PreservedOrder& preserved,
                size_t constraint)
      : overlay_(overlay), cells_(cells), order_(preserved, constraint) {
    for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
      threads_.emplace_back(overlay, ThreadId(t), cells, order_);
      pairs_.insert(pairs_.end(), threads_.back().pairs().begin(), threads_.back().pairs().end());
    }
    find_waits();
  }

  // Is there a pair that is not ordered, and that can be followed by others so that a cycle results?
  bool possible() {
    next_.resize(pairs_.size());
    for (size_t a = 0; a < pairs_.size(); ++a)
      for (size_t b = 0; b < pairs_.size(); ++b)
        if (may_read(pairs_[a], pairs_[b])) next_[a].push_back(b);
    for (size_t i = 0; i < pairs_.size(); ++i)
      if (!pairs_[i].ordered && on_cycle(i)) return true;
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
        if (intersection(cells_.at(ThreadId(t), Point(p)), cells).empty()) continue;
        if (wait) return;
        wait = Wait{thread, point, ThreadId(t), Point(p)};
      }
    if (wait && wait->of_store != thread) waits_.push_back(*wait);
  }

  // The store of `from` by the load of `to`, in another thread.
  bool may_read(const Pair& from, const Pair& to) const {
    return from.thread != to.thread &&
           !intersection(cells_.at(from.thread, from.store), cells_.at(to.thread, to.load)).empty() &&
           std::none_of(waits_.begin(), waits_.end(),
                        [&](const Wait& wait) { return excludes(wait, from, to); });
  }

  // The store comes behind the wait, and the load before the store that is waited for: the model orders the load before
  // the store, so the load cannot read it.
  bool excludes(const Wait& wait, const Pair& from, const Pair& to) const {
    if (wait.thread != from.thread || wait.of_store != to.thread) return false;
    const std::optional<LocalState>& at_store = threads_[from.thread.index()].before(from.store);
    return at_store && at_store->executed.has(wait.load.index()) &&
           is_ordered(from.thread, wait.load, from.store) && is_ordered(to.thread, to.load, wait.store) &&
           !reaches(to.thread, wait.store, to.load);
  }

  bool is_ordered(ThreadId thread, Point load, Point store) const {
    const std::vector<Pair>& pairs = threads_[thread.index()].pairs();
    return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
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

  bool on_cycle(size_t pair) const {
    std::vector<bool> seen(pairs_.size());
    std::vector<size_t> todo = next_[pair];
    while (!todo.empty()) {
      const size_t at = todo.back();
      todo.pop_back();
      if (at == pair) return true;
      if (seen[at]) continue;
      seen[at] = true;
      todo.insert(todo.end(), next_[at].begin(), next_[at].end());
    }
    return false;
  }

  const Overlay& overlay_;
  const AccessedCells& cells_;
  Order order_;
  std::vector<ThreadPairs> threads_;
  std::vector<Pair> pairs_;
  std::vector<Wait> waits_;
  std::vector<std::vector<size_t>> next_;  // by pair: those that may follow it on a cycle
};

}  // namespace

bool may_buffer_loads(const Overlay& overlay, const CatModel& model) {
  // What a load can return is known only if a thread sees its own stores.
  if (!sat::forbids_reading_the_future(model) || !sat::reads_own_last_write(model)) return true;
  const AccessedCells cells(overlay);
  const std::vector<bool> candidates = sat::orders_external_reads(model);
  sat::PreservedOrder preserved(model);
  try {
    for (size_t constraint = 0; constraint < candidates.size(); ++constraint)
      if (candidates[constraint] && !LoadBuffering(overlay, cells, preserved, constraint).possible())
        return false;
  } catch (const Unsupported&) {  // it is not known
  }
  return true;
}

}  // namespace fenceline::executions
