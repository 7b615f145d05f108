// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/replay/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "check/replay/replay_loop.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/private_cells.h"
#include "ir/analysis/retried_waits.h"

namespace fenceline::check {
namespace {

constexpr size_t kMostSteps = 1'000'000;  // of one thread

// What all threads share.
struct Setting {
  const Overlay& overlay;
  Liveness used;
  PrivateCells cells;
  RetriedWaits retried;

  explicit Setting(const Overlay& of)
      : overlay(of),
        used(of.program(), Reads::kUsed, {}),
        cells(of.program(), std::vector<bool>(of.program().cell_count)),
        retried(of.program()) {}
};

// One thread alone, from the end on.
class AloneFromEnd {
 public:
  AloneFromEnd(const Setting& setting, const Interpreter& end, ThreadId thread)
      : setting_(setting),
        program_(setting.overlay.program()),
        end_(end),
        memory_(end.memory()),
        thread_(thread),
        loops_(setting.overlay, thread) {
    heads_.resize(setting.overlay.points(thread));
    for (uint32_t loop = 0; loop < loops_.size(); ++loop) heads_[loops_.header(loop).index()] = true;
  }

  WaitingThread run() {
    nodes_.emplace_back();
    evaluate_again();
    todo_.emplace_back(0, end_);
    while (!todo_.empty()) {
      const auto [node, machine] = std::move(todo_.back());
      todo_.pop_back();
      follow(node, machine, true);
    }
    drop_what_assumptions_exclude();
    if (!goes_on(nodes_.front())) reject("is stopped by an assumption");
    return report();
  }

 private:
  // The thread at the head of a loop; the first one is where it is at the end.
  struct Node {
    std::vector<size_t> next;
    bool blocked = false;  // it may come to an operation that is not enabled
  };
  using Key = std::tuple<Point, std::vector<Value>, std::vector<Value>>;

  [[noreturn]] void reject(const std::string& why) const {
    throw RejectedTrace{fmt::format("{} {}: it does not wait for ever", program_.thread(thread_).name, why)};
  }
  const Instruction& next(const Interpreter& machine) const {
    return setting_.overlay.at(thread_, machine.location(thread_));
  }

  // A blocking operation that was not enabled when its condition was evaluated may be so now.
  void evaluate_again() {
    const Point at = end_.location(thread_);
    const std::optional<Point> retry = setting_.retried.retry(thread_, at);
    if (!retry) return;
    if (Interpreter copy = end_; step(copy, 0)) return;
    std::vector<Point> locations;
    std::vector<std::vector<Value>> registers;
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      locations.push_back(ThreadId(t) == thread_ ? *retry : end_.location(ThreadId(t)));
      registers.push_back(end_.registers(ThreadId(t)));
    }
    end_ = Interpreter(setting_.overlay, memory_, locations, registers);
  }

  // Up to the next heads of loops, along all paths.
  void follow(size_t node, Interpreter machine, bool first) {
    for (;; first = false) {
      if (steps_++ > kMostSteps) reject("makes too many steps to be followed");
      if (machine.ended(thread_)) reject("can end");
      if (!first && heads_[machine.location(thread_).index()]) return arrive(node, machine);
      if (next(machine).kind == InstrKind::kAtomicBegin) return enter_section(node, machine);
      const Range choices = machine.choices(thread_);
      if (choices.lo != choices.hi) {
        for (Value choice = choices.lo;; ++choice) {
          Interpreter copy = machine;
          if (step(copy, choice)) follow(node, std::move(copy), false);
          if (choice == choices.hi) return;
        }
      }
      const bool writes = next(machine).writes_memory();
      if (!step(machine, choices.lo)) {
        // An assumption. An execution in which it does not hold does not count, unless the thread waits there.
        if (setting_.retried.retry(thread_, machine.location(thread_))) nodes_[node].blocked = true;
        return;
      }
      if (writes) need_same_memory(machine);
    }
  }

  // False: it is not possible.
  bool step(Interpreter& machine, Value choice) {
    try {
      const Effect effect = machine.execute(thread_, choice, 0);
      if (!effect.error.none()) reject("can fail");
      return true;
    } catch (const Impossible&) {
      return false;
    }
  }

  // Paths through a section that do not reach its end are no steps.
  void enter_section(size_t node, const Interpreter& machine) {
    std::vector<Interpreter> passed, inside{machine};
    while (!inside.empty()) {
      Interpreter now = std::move(inside.back());
      inside.pop_back();
      if (steps_++ > kMostSteps) reject("makes too many steps to be followed");
      const Range choices = now.choices(thread_);
      for (Value choice = choices.lo;; ++choice) {
        Interpreter copy = now;
        if (step(copy, choice)) (copy.inside_atomic() ? inside : passed).push_back(std::move(copy));
        if (choice == choices.hi) break;
      }
    }
    if (passed.empty()) nodes_[node].blocked = true;
    for (Interpreter& copy : passed) {
      need_same_memory(copy);
      follow(node, std::move(copy), false);
    }
  }

  void arrive(size_t from, const Interpreter& machine) {
    const auto [entry, is_new] = numbers_.emplace(key(machine), nodes_.size());
    nodes_[from].next.push_back(entry->second);
    if (!is_new) return;
    todo_.emplace_back(nodes_.size(), machine);
    nodes_.emplace_back();
  }

  Key key(const Interpreter& machine) const {
    const Point at = machine.location(thread_);
    Point counts = at;  // inserted fences read nothing
    while (setting_.overlay.inserted(thread_, counts)) counts = setting_.overlay.next(thread_, counts, 0);
    std::vector<Value> registers = machine.registers(thread_), memory;
    for (size_t r = 0; r < registers.size(); ++r)
      if (!setting_.used.live(thread_, counts, RegId(r))) registers[r] = 0;
    const std::vector<Value> now = machine.memory();
    for (size_t c = 0; c < now.size(); ++c)
      if (is_private(c) && setting_.cells.live(thread_, counts, CellId(c))) memory.push_back(now[c]);
    return {at, std::move(registers), std::move(memory)};
  }

  bool is_private(size_t cell) const { return setting_.cells.is_private(thread_, CellId(cell)); }

  void need_same_memory(const Interpreter& machine) const {
    const std::vector<Value> now = machine.memory();
    for (size_t c = 0; c < now.size(); ++c)
      if (now[c] != memory_[c] && !is_private(c))
        reject(fmt::format("can change {}", program_.cell_name(CellId(c))));
  }

  static bool goes_on(const Node& node) { return node.blocked || !node.next.empty(); }

  void drop_what_assumptions_exclude() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Node& node : nodes_)
        changed |= std::erase_if(node.next, [this](size_t to) { return !goes_on(nodes_[to]); }) > 0;
    }
  }

  // One of the paths, until it comes back to where it was.
  WaitingThread report() const {
    WaitingThread waiting;
    waiting.thread = thread_;
    Interpreter machine = end_;
    std::vector<Key> heads;
    bool repeats = false;
    for (size_t steps = 0; steps < kMostSteps; ++steps) {
      const Instruction& i = next(machine);
      if (heads_[machine.location(thread_).index()] && !machine.inside_atomic()) {
        const Key here = key(machine);
        if (repeats && here == heads.front()) break;
        if (!repeats && std::find(heads.begin(), heads.end(), here) != heads.end()) {
          repeats = waiting.loop = true;
          heads = {here};
          waiting.reads.clear();
          waiting.pos = i.pos;
        }
        if (!repeats) heads.push_back(here);
      }
      if (i.kind == InstrKind::kAtomicBegin && !waiting.loop) {
        waiting.pos = i.pos;
        waiting.reads.clear();
      }
      if (!waiting.pos.known()) waiting.pos = i.pos;
      try {
        const Effect effect = machine.execute(thread_, machine.choices(thread_).lo, 0);
        if (!i.reads_memory() || !effect.cell.valid()) continue;
        const WaitingThread::Read read{effect.cell, effect.value.value_or(0)};
        if (std::find(waiting.reads.begin(), waiting.reads.end(), read) == waiting.reads.end())
          waiting.reads.push_back(read);
      } catch (const Impossible&) {
        break;  // in a section that is not enabled
      }
    }
    return waiting;
  }

  const Setting& setting_;
  const Program& program_;
  Interpreter end_;
  const std::vector<Value> memory_;
  ThreadId thread_;
  Loops loops_;
  std::vector<bool> heads_;  // by point
  std::map<Key, size_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<std::pair<size_t, Interpreter>> todo_;
  size_t steps_ = 0;
};

// With all stores flushed.
Interpreter drained(const Setting& setting, const Interpreter& end) {
  const Program& program = setting.overlay.program();
  std::vector<Value> memory = end.memory();
  std::vector<Point> locations;
  std::vector<std::vector<Value>> registers;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    const ThreadId thread(t);
    for (const BufferedStore& store : end.buffer(thread)) {
      if (!setting.cells.is_private(thread, store.cell) && memory[store.cell.index()] != store.value)
        throw RejectedTrace{
            fmt::format("a store to {} has not reached memory", program.cell_name(store.cell))};
      memory[store.cell.index()] = store.value;
    }
    locations.push_back(end.location(thread));
    registers.push_back(end.registers(thread));
  }
  return {setting.overlay, memory, locations, registers};
}

}  // namespace

std::vector<WaitingThread> waiting_for_ever(const Overlay& overlay, const Interpreter& end) {
  const Setting setting(overlay);
  const Program& program = overlay.program();
  const Interpreter machine = drained(setting, end);
  if (const auto thread = machine.ended_program())
    throw RejectedTrace{fmt::format("{} has ended the program", program.thread(*thread).name)};
  std::vector<WaitingThread> waiting;
  for (size_t t = 0; t < program.threads.size(); ++t)
    if (!machine.ended(ThreadId(t))) waiting.push_back(AloneFromEnd(setting, machine, ThreadId(t)).run());
  if (waiting.empty()) throw RejectedTrace{"all threads have ended: none waits for ever"};
  return waiting;
}

}  // namespace fenceline::check
