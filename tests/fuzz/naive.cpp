// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread's buffer is one list of entries and barriers in program order, for all models. TSO flushes its
// first entry. PSO flushes any entry that has neither a barrier nor an entry of its cell before it; a barrier
// at the front has nothing before it to hold back and is dropped. This is equivalent to the epochs
// of docs/semantics.md in other words, on purpose. Within a stretch without barriers the order of PSO entries
// of different cells means nothing, so they are kept sorted by cell: otherwise equal states would look
// different.
#include "naive.h"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>

namespace fenceline::fuzz {
namespace {

constexpr int kBarrier = -1;

struct Entry {
  int cell = kBarrier;
  Value value = 0;
  bool marked = false;
};

struct ThreadState {
  int pc = 0;
  std::vector<Value> regs;
  std::vector<Entry> buffer;
};

struct State {
  std::vector<Value> memory;
  std::vector<ThreadState> threads;
};

// Values are small (max_value) and so are program counters, so a state fits into a short string.
std::u16string encode(const State& state) {
  std::u16string key;
  key.reserve(64);
  const auto put = [&key](Value v) { key.push_back(static_cast<char16_t>(v)); };
  for (const Value v : state.memory) put(v);
  for (const ThreadState& thread : state.threads) {
    put(thread.pc);
    for (const Value v : thread.regs) put(v);
    put(static_cast<Value>(thread.buffer.size()));
    for (const Entry& entry : thread.buffer) {
      put(entry.cell * 2 + entry.marked);
      put(entry.value);
    }
  }
  return key;
}

class Explorer {
 public:
  Explorer(const FlatProgram& program, Model model, const NaiveOptions& options)
      : program_(program), model_(model), options_(options) {}

  Answer run() {
    State initial;
    initial.memory = program_.initial_memory;
    for (const FlatThread& thread : program_.threads)
      initial.threads.push_back({.pc = thread.entry, .regs = thread.initial_regs, .buffer = {}});
    visit(std::move(initial));
    while (!work_.empty()) {
      const State state = std::move(work_.front());
      work_.pop_front();
      expand(state);
      if (!answer_.reason.empty()) return Answer::skipped(answer_.reason);
      if (seen_.size() > options_.max_states) return Answer::skipped("too many states");
    }
    answer_.complete = true;
    answer_.states = seen_.size();
    return std::move(answer_);
  }

 private:
  const FlatInstr& instr_of(const State& state, size_t t) const {
    return program_.threads[t].code[static_cast<size_t>(state.threads[t].pc)];
  }

  void visit(State state) {
    for (const Value v : state.memory) check_value(v);
    for (const ThreadState& thread : state.threads) {
      for (const Value v : thread.regs) check_value(v);
      size_t entries = 0;
      for (const Entry& entry : thread.buffer) {
        entries += entry.cell != kBarrier;
        check_value(entry.value);
      }
      if (entries > options_.max_entries) answer_.reason = "unbounded buffers";
    }
    if (answer_.reason.empty() && seen_.insert(encode(state)).second) work_.push_back(std::move(state));
  }

  void check_value(Value v) {
    if (v > options_.max_value || v < -options_.max_value) answer_.reason = "unbounded values";
  }

  void expand(const State& state) {
    bool moved = false, excused = false, all_ended = true, all_empty = true;
    for (size_t t = 0; t < state.threads.size(); ++t) {
      std::vector<State> successors;
      bool error = false;
      step(state, t, false, successors, error);
      flush(state, t, successors);
      answer_.error_reachable |= error;
      moved |= error || !successors.empty();
      for (State& next : successors) visit(std::move(next));

      const FlatInstr& instr = instr_of(state, t);
      all_ended &= instr.kind == FlatKind::kHalt;
      all_empty &= state.threads[t].buffer.empty();
      if (instr.kind == FlatKind::kAssume) {
        const std::optional<Value> holds = evaluate(instr.a, state.threads[t].regs);
        excused |= holds && *holds == 0;
      }
      excused |= instr.kind == FlatKind::kHalt && instr.kinds != 0 && options_.plant != Plant::kMainIsAThread;
    }
    if (all_ended && all_empty)
      record_final(state);
    else if (!moved && !excused)
      answer_.deadlock_reachable = true;
  }

  void record_final(const State& state) {
    std::vector<Value> final = state.memory;
    for (size_t t = 0; t < state.threads.size(); ++t) {
      const std::vector<Value>& regs = state.threads[t].regs;
      final.insert(final.end(), regs.begin(), regs.begin() + program_.threads[t].visible_regs);
    }
    answer_.finals.insert(std::move(final));
  }

  // ---- buffers ----

  static void drop_front_barriers(std::vector<Entry>& buffer) {
    while (!buffer.empty() && buffer.front().cell == kBarrier) buffer.erase(buffer.begin());
  }

  void flush(const State& state, size_t t, std::vector<State>& successors) const {
    const std::vector<Entry>& buffer = state.threads[t].buffer;
    for (size_t i = 0; i < buffer.size() && buffer[i].cell != kBarrier; ++i) {
      const auto same_cell = [&](const Entry& earlier) { return earlier.cell == buffer[i].cell; };
      if (model_ == Model::kTso && i > 0) break;
      if (std::any_of(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(i), same_cell)) continue;
      State next = state;
      next.memory[static_cast<size_t>(buffer[i].cell)] = buffer[i].value;
      std::vector<Entry>& rest = next.threads[t].buffer;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      drop_front_barriers(rest);
      successors.push_back(std::move(next));
    }
  }

  void buffer_store(std::vector<Entry>& buffer, int cell, Value value) const {
    auto spot = buffer.end();
    if (model_ == Model::kPso)
      while (spot != buffer.begin() && std::prev(spot)->cell > cell) --spot;
    buffer.insert(spot, {.cell = cell, .value = value, .marked = false});
  }

  static bool has_marked(const std::vector<Entry>& buffer) {
    return std::any_of(buffer.begin(), buffer.end(), [](const Entry& e) { return e.marked; });
  }

  // May the thread write this cell in memory now, as an rmw or a store in an atomic section does?
  bool may_write_memory(const ThreadState& thread, int cell, bool is_rmw) const {
    const Plant plant = options_.plant;
    if (plant == Plant::kRmwNoDrain) return true;
    if (model_ == Model::kTso) return thread.buffer.empty();
    // Marks hold back loads. An rmw is one; a store in an atomic section is not.
    const bool ignores_marks =
        is_rmw ? plant == Plant::kRmwIgnoresMarks : plant != Plant::kAtomicWaitsForMarks;
    const bool ignores_barriers = plant == Plant::kRmwIgnoresBarriers;
    const auto blocks_write = [&](const Entry& e) {
      return e.cell == cell || (e.cell == kBarrier && !ignores_barriers) || (e.marked && !ignores_marks);
    };
    return std::none_of(thread.buffer.begin(), thread.buffer.end(), blocks_write);
  }

  Value read(const State& state, size_t t, int cell) const {
    const std::vector<Entry>& buffer = state.threads[t].buffer;
    const auto same_cell = [cell](const Entry& e) { return e.cell == cell; };
    if (options_.plant == Plant::kForwardOldest) {
      const auto oldest = std::find_if(buffer.begin(), buffer.end(), same_cell);
      if (oldest != buffer.end()) return oldest->value;
    } else {
      const auto newest = std::find_if(buffer.rbegin(), buffer.rend(), same_cell);
      if (newest != buffer.rend()) return newest->value;
    }
    return state.memory[static_cast<size_t>(cell)];
  }

  // ---- steps ----

  // Writes `value` to the destination of the instruction of thread t, if it has one, and goes on.
  void assign_and_go(State next, size_t t, Value value, std::vector<State>& successors, bool& error) const {
    const FlatInstr& instr = instr_of(next, t);
    if (instr.dest >= 0) {
      const auto dest = static_cast<size_t>(instr.dest);
      if (!allowed(program_.threads[t].declared[dest], value)) {
        error = true;
        return;
      }
      next.threads[t].regs[dest] = value;
    }
    next.threads[t].pc = instr.next[0];
    successors.push_back(std::move(next));
  }

  // All successors by the next instruction of thread t. `error` is set if one of them fails; a failing step has
  // no successor.
  void step(const State& state, size_t t, bool in_atomic, std::vector<State>& successors, bool& error) const {
    const FlatInstr& instr = instr_of(state, t);
    const ThreadState& thread = state.threads[t];
    const auto go = [&](State next, size_t which = 0) {
      next.threads[t].pc = instr.next[which];
      successors.push_back(std::move(next));
    };
    const auto go_with = [&](Value value) { assign_and_go(state, t, value, successors, error); };

    switch (instr.kind) {
      case FlatKind::kHalt:
      case FlatKind::kJump:
      case FlatKind::kAtomicEnd:
        return;
      case FlatKind::kMark:
        return go(state);
      case FlatKind::kLoad: {
        const std::optional<int> cell = cell_of(program_, instr, thread.regs);
        if (!cell) error = true;
        if (!cell || has_marked(thread.buffer)) return;
        return go_with(read(state, t, *cell));
      }
      case FlatKind::kStore:
        return store(state, t, in_atomic, successors, error);
      case FlatKind::kRmw:
        return rmw(state, t, successors, error);
      case FlatKind::kFence:
        return fence_step(state, t, instr, successors);
      case FlatKind::kAssign:
      case FlatKind::kBranch:
      case FlatKind::kAssume:
      case FlatKind::kAssert: {
        const std::optional<Value> value = evaluate(instr.a, thread.regs);
        if (!value) {
          error = true;
        } else if (instr.kind == FlatKind::kAssign) {
          go_with(*value);
        } else if (instr.kind == FlatKind::kBranch) {
          go(state, *value != 0 ? 0 : 1);
        } else if (*value != 0) {
          go(state);
        } else if (instr.kind == FlatKind::kAssert) {
          error = true;
        }
        return;
      }
      case FlatKind::kChoose:
        for (size_t i = 0; i < instr.next.size(); ++i) go(state, i);
        return;
      case FlatKind::kHavoc:
        for (Value v = instr.lo; v <= instr.hi; ++v) go_with(v);
        return;
      case FlatKind::kAtomicBegin:
        return atomic_step(state, t, successors, error);
    }
  }

  void rmw(const State& state, size_t t, std::vector<State>& successors, bool& error) const {
    const FlatInstr& instr = instr_of(state, t);
    const ThreadState& thread = state.threads[t];
    const std::optional<int> cell = cell_of(program_, instr, thread.regs);
    if (!cell) error = true;
    if (!cell) return;
    State next = state;
    Value& memory = next.memory[static_cast<size_t>(*cell)];
    const std::optional<RmwEffect> effect = rmw_effect(instr, memory, thread.regs);
    const bool free = options_.plant == Plant::kFailedCasIsFree && effect && !effect->written;
    if (!free && !may_write_memory(thread, *cell, true)) return;
    if (!effect || (effect->written &&
                    !allowed(program_.vars[static_cast<size_t>(instr.var)].declared, *effect->written))) {
      error = true;
      return;
    }
    if (effect->written) memory = *effect->written;
    assign_and_go(std::move(next), t, effect->result, successors, error);
  }

  void store(const State& state, size_t t, bool in_atomic, std::vector<State>& successors,
             bool& error) const {
    const FlatInstr& instr = instr_of(state, t);
    const ThreadState& thread = state.threads[t];
    const std::optional<int> cell = cell_of(program_, instr, thread.regs);
    const std::optional<Value> value = evaluate(instr.a, thread.regs);
    const bool fits = value && allowed(program_.vars[static_cast<size_t>(instr.var)].declared, *value);
    if (!cell || !value) {
      error = true;
      return;
    }
    if (in_atomic && !may_write_memory(thread, *cell, false)) return;
    if (!fits) {
      error = true;
      return;
    }
    State next = state;
    if (in_atomic || model_ == Model::kSc)
      next.memory[static_cast<size_t>(*cell)] = *value;
    else
      buffer_store(next.threads[t].buffer, *cell, *value);
    next.threads[t].pc = instr.next[0];
    successors.push_back(std::move(next));
  }

  void fence_step(const State& state, size_t t, const FlatInstr& instr,
                  std::vector<State>& successors) const {
    const bool store_load = instr.kinds & kStoreLoad;
    const bool store_store = instr.kinds & kStoreStore;
    const bool alone_drains = (store_load && options_.plant == Plant::kStoreLoadDrains) ||
                              (store_store && options_.plant == Plant::kSfenceDrains);
    const bool drains = (model_ == Model::kTso && store_load) ||
                        (model_ == Model::kPso && ((store_load && store_store) || alone_drains));
    if (drains && !state.threads[t].buffer.empty()) return;
    const bool sync = (instr.kinds & kProcessWide) != 0 && options_.plant != Plant::kSyncIsAFence;
    for (const ThreadState& other : state.threads)
      if (sync && !other.buffer.empty()) return;
    State next = state;
    next.threads[t].pc = instr.next[0];
    std::vector<Entry>& buffer = next.threads[t].buffer;
    if (model_ == Model::kPso && !buffer.empty()) {
      if (store_load)
        for (Entry& entry : buffer) entry.marked = entry.cell != kBarrier;
      if (store_store && buffer.back().cell != kBarrier) buffer.push_back({});
    }
    successors.push_back(std::move(next));
  }

  // One step for the whole section: every path through it, with nothing in between.
  void atomic_step(const State& state, size_t t, std::vector<State>& successors, bool& error) const {
    std::vector<State> inside = {state};
    inside[0].threads[t].pc = instr_of(state, t).next[0];
    while (!inside.empty()) {
      State current = std::move(inside.back());
      inside.pop_back();
      const FlatInstr& instr = instr_of(current, t);
      if (instr.kind == FlatKind::kAtomicEnd) {
        current.threads[t].pc = instr.next[0];
        successors.push_back(std::move(current));
      } else {
        step(current, t, true, inside, error);
      }
    }
  }

  const FlatProgram& program_;
  const Model model_;
  const NaiveOptions& options_;
  Answer answer_;
  std::unordered_set<std::u16string> seen_;
  std::deque<State> work_;
};

}  // namespace

Answer explore_naively(const FlatProgram& program, Model model, const NaiveOptions& options) {
  return Explorer(program, model, options).run();
}

}  // namespace fenceline::fuzz
