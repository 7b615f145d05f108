// SPDX-License-Identifier: GPL-3.0-or-later
#include "liveness_by_definition.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "check/replay/interpreter.h"
#include "ir/edit/overlay.h"

namespace fenceline::fuzz {
namespace {

struct TooManyStates {};

class StateGraph {
 public:
  StateGraph(const Program& program, const MemoryModel& model, size_t most)
      : program_(program), most_(most), overlay_(program, no_fences_) {
    std::map<size_t, std::set<size_t>> users;  // threads, by object
    for (size_t t = 0; t < program.threads.size(); ++t)
      for (const Instruction& i : program.threads[t].code)
        if (i.is_memory_access()) users[i.address.object.index()].insert(t);
    for (size_t o = 0; o < program.objects.size(); ++o)
      for (size_t c = 0; users[o].size() > 1 && c < program.objects[o].size(); ++c)
        shared_.push_back(program.objects[o].first_cell.index() + c);
    reach(check::Interpreter(overlay_, model.buffering));
    while (!todo_.empty()) {
      const auto [number, machine] = std::move(todo_.back());
      todo_.pop_back();
      expand(number, machine);
    }
  }

  bool some_state_is_never_left() {
    for (bool changed = true; changed;) {
      changed = false;
      for (State& state : states_) {
        if (!state.stuck) continue;
        for (const size_t next : state.next)
          if (!states_[next].stuck || states_[next].visible != state.visible) state.stuck = false;
        changed = changed || !state.stuck;
      }
    }
    for (const State& state : states_)
      if (state.stuck) return true;
    return false;
  }

 private:
  struct State {
    std::vector<Value> visible;  // shared memory, and which threads have ended
    std::vector<size_t> next;
    bool stuck = false;  // as far as is known
  };

  size_t reach(const check::Interpreter& machine) {
    std::vector<Value> key = machine.memory();
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const ThreadId thread(t);
      key.push_back(machine.location(thread).value());
      for (const Value value : machine.registers(thread)) key.push_back(value);
      for (const BufferedStore& store : machine.buffer(thread)) {
        key.push_back(store.cell.value());
        key.push_back(store.value);
      }
      key.push_back(-1);
    }
    const auto [entry, is_new] = numbers_.emplace(std::move(key), states_.size());
    if (!is_new) return entry->second;
    if (states_.size() == most_) throw TooManyStates();
    State& state = states_.emplace_back();
    const std::vector<Value> memory = machine.memory();
    for (const size_t cell : shared_) state.visible.push_back(memory[cell]);
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      state.visible.push_back(machine.ended(ThreadId(t)) ? 1 : 0);
      state.stuck = state.stuck || !machine.ended(ThreadId(t));
    }
    if (machine.ended_program()) state.stuck = false;
    todo_.emplace_back(entry->second, machine);
    return entry->second;
  }

  void expand(size_t number, const check::Interpreter& machine) {
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      step(number, machine, ThreadId(t));
      std::set<CellId> cells;
      for (const BufferedStore& store : machine.buffer(ThreadId(t))) cells.insert(store.cell);
      for (const CellId cell : cells) {
        check::Interpreter copy = machine;
        try {
          copy.flush(ThreadId(t), cell);
        } catch (const check::Impossible&) {
          continue;
        }
        lead(number, reach(copy));
      }
    }
  }

  void lead(size_t from, size_t to) { states_[from].next.push_back(to); }

  // Atomic sections to their end.
  void step(size_t number, const check::Interpreter& machine, ThreadId thread) {
    const Range choices = machine.choices(thread);
    for (Value choice = choices.lo; choice <= choices.hi; ++choice) {
      check::Interpreter copy = machine;
      try {
        if (copy.execute(thread, choice, 0).failed()) {
          states_[number].stuck = false;
          continue;
        }
      } catch (const check::Impossible&) {
        continue;
      }
      if (copy.inside_atomic())
        step(number, copy, thread);
      else
        lead(number, reach(copy));
    }
  }

  const Program& program_;
  size_t most_;
  const FenceSet no_fences_;
  const Overlay overlay_;
  std::vector<size_t> shared_;  // cells
  std::map<std::vector<Value>, size_t> numbers_;
  std::vector<State> states_;
  std::vector<std::pair<size_t, check::Interpreter>> todo_;
};

bool is_simple(const Program& program) {
  for (const Thread& thread : program.threads) {
    std::set<size_t> assumptions, in_sections;
    for (size_t p = 0; p < thread.code.size(); ++p) {
      const Instruction& i = thread.code[p];
      if (i.kind == InstrKind::kFence && !(i.fence == FenceKinds::full())) return false;
      if (i.kind == InstrKind::kAssume) assumptions.insert(p);
      if (i.kind != InstrKind::kAtomicBegin) continue;
      std::vector<size_t> todo{p};
      while (!todo.empty()) {
        const size_t at = todo.back();
        todo.pop_back();
        if (!in_sections.insert(at).second || thread.code[at].kind == InstrKind::kAtomicEnd) continue;
        for (const Point next : thread.code[at].next) todo.push_back(next.index());
      }
    }
    for (const size_t p : assumptions)
      if (!in_sections.contains(p)) return false;
  }
  return true;
}

}  // namespace

std::optional<bool> violates_liveness(const Program& program, const MemoryModel& model, size_t most_states) {
  if (!is_simple(program)) return std::nullopt;
  try {
    return StateGraph(program, model, most_states).some_state_is_never_left();
  } catch (const TooManyStates&) {
    return std::nullopt;
  } catch (const check::ValueTooLarge&) {
    return std::nullopt;
  }
}

}  // namespace fenceline::fuzz
