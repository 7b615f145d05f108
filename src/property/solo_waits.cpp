// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/solo_waits.h"

#include <algorithm>

#include "ir/analysis/loops.h"

namespace fenceline::property {
namespace {

constexpr uint64_t kMostSteps = 100'000;  // of one thread, alone

}  // namespace

WaitAnalysis::WaitAnalysis(const Overlay& overlay)
    : overlay_(overlay),
      used_(overlay.program(), Reads::kUsed, {}),
      private_(overlay.program(), std::vector<bool>(overlay.program().cell_count)),
      retried_(overlay.program()),
      interpreter_(overlay.program()) {
  const FenceSet none;
  const Overlay plain(overlay.program(), none);
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    const Loops loops(plain, ThreadId(t));
    std::vector<bool>& heads = heads_.emplace_back(overlay.program().threads[t].code.size());
    for (uint32_t loop = 0; loop < loops.size(); ++loop) heads[loops.header(loop).index()] = true;
  }
}

bool WaitAnalysis::keeps_registers(const Program& program) {
  const RetriedWaits retried(program);
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p)
      if (retried.retry(ThreadId(t), Point(p))) return true;
  return false;
}

SoloWaits::SoloWaits(const WaitAnalysis& analysis)
    : analysis_(analysis), program_(analysis.overlay_.program()) {}

SoloWaits::Finding SoloWaits::look(
    const machine::StateView& view,
    const std::function<void(size_t, std::vector<machine::PendingStore>&)>& pending) {
  if (view.final_state || !settle(view, pending)) return Finding::kFine;
  bool some = false, undecided = false;
  const size_t threads = program_.threads.size(), first = first_;
  for (size_t i = 0; i < threads; ++i) {
    const size_t t = (first + i) % threads;
    const Point at(view.locations[t]);
    if (const Instruction& here = analysis_.overlay_.at(ThreadId(t), at); here.kind == InstrKind::kHalt) {
      if (here.ends_program) return Finding::kFine;
      continue;
    }
    const std::span registers(view.registers + view.first_register[t], program_.threads[t].registers.size());
    switch (waits(ThreadId(t), at, registers)) {
      case Waits::kForEver:
        some = true;
        continue;
      case Waits::kUndecided:
        undecided = true;
        continue;
      case Waits::kGoesOn:
      case Waits::kDoesNotCount:
        first_ = t;
        return Finding::kFine;
    }
  }
  if (undecided) return Finding::kUndecided;
  return some ? Finding::kViolated : Finding::kFine;
}

// Does flushing everything that is pending change nothing that another thread accesses?
bool SoloWaits::settle(const machine::StateView& view,
                       const std::function<void(size_t, std::vector<machine::PendingStore>&)>& pending) {
  memory_.assign(view.memory, view.memory + program_.cell_count);
  for (size_t t = 0; t < program_.threads.size(); ++t) {
    pending_.clear();
    pending(t, pending_);
    for (const machine::PendingStore& store : pending_) {
      if (!analysis_.private_.is_private(ThreadId(t), store.cell) &&
          view.memory[store.cell.index()] != store.value)
        return false;
      memory_[store.cell.index()] = store.value;
    }
  }
  return true;
}

// ---- One thread

const Instruction& SoloWaits::next(const Alone& alone) const {
  return program_.thread(thread_).at(alone.state.at);
}

// A blocking operation that was not enabled when its condition was evaluated may be so now.
SoloWaits::Alone SoloWaits::begin(Point at, std::span<const Value> registers) const {
  while (analysis_.overlay_.inserted(thread_, at)) at = analysis_.overlay_.next(thread_, at, 0);
  Alone alone{{at, {registers.begin(), registers.end()}}, memory_};
  const std::optional<Point> retry = analysis_.retried_.retry(thread_, at);
  if (!retry) return alone;
  Alone tried = alone;
  std::string why;
  if (analysis_.interpreter_.step(thread_, tried.state, tried.memory, 0, why) ==
      SequentialInterpreter::Step::kBlocked)
    alone.state.at = *retry;
  return alone;
}

SoloWaits::Waits SoloWaits::waits(ThreadId thread, Point at, std::span<const Value> registers,
                                  std::span<const Value> memory) {
  memory_.assign(memory.begin(), memory.end());
  return waits(thread, at, registers);
}

SoloWaits::Waits SoloWaits::waits(ThreadId thread, Point at, std::span<const Value> registers) {
  thread_ = thread;
  known_.clear();
  nodes_.assign(1, {});
  todo_.clear();
  steps_ = 0;
  if (!follow(0, begin(at, registers))) return answer_;
  while (!todo_.empty()) {
    auto [node, from] = std::move(todo_.back());
    todo_.pop_back();
    if (!follow(node, std::move(from))) return answer_;
  }
  return comes_back() ? Waits::kForEver : Waits::kDoesNotCount;
}

// Up to the next heads of loops. A node that stands at the head of a loop leaves it first.
bool SoloWaits::follow(uint32_t node, Alone alone) {
  for (bool first = true;; first = false) {
    if (!first && analysis_.heads_[thread_.index()][alone.state.at.index()]) return arrive(node, alone);
    if (next(alone).kind == InstrKind::kAtomicBegin) return enter_section(node, std::move(alone));
    const uint64_t alternatives = analysis_.interpreter_.alternatives(thread_, alone.state);
    for (uint64_t i = 0; i + 1 < alternatives; ++i) {
      Alone copy = alone;
      const Stepped stepped = step(copy, i);
      if (stepped == Stepped::kStop) return false;
      // The step leads somewhere else, so it may be at the head of a loop.
      if (stepped == Stepped::kOn) {
        if (analysis_.heads_[thread_.index()][copy.state.at.index()]) {
          if (!arrive(node, copy)) return false;
        } else if (!follow(node, std::move(copy))) {
          return false;
        }
      }
    }
    const bool writes = next(alone).writes_memory();
    const Point here = alone.state.at;
    switch (step(alone, alternatives - 1)) {
      case Stepped::kOn:
        if (writes && changes_memory(alone)) return stop(Waits::kGoesOn);
        break;
      case Stepped::kBlocked:
        if (analysis_.retried_.retry(thread_, here)) nodes_[node].blocked = true;
        return true;
      case Stepped::kStop:
        return false;
    }
  }
}

// All of it is one step, if some path leads to its end.
bool SoloWaits::enter_section(uint32_t node, Alone alone) {
  std::vector<Alone> passed;
  if (!follow_section(std::move(alone), passed)) return false;
  if (passed.empty()) nodes_[node].blocked = true;
  for (Alone& one : passed) {
    if (changes_memory(one)) return stop(Waits::kGoesOn);
    if (analysis_.heads_[thread_.index()][one.state.at.index()]) {
      if (!arrive(node, one)) return false;
    } else if (!follow(node, std::move(one))) {
      return false;
    }
  }
  return true;
}

bool SoloWaits::follow_section(Alone alone, std::vector<Alone>& passed) {
  for (;;) {
    const bool last = next(alone).kind == InstrKind::kAtomicEnd;
    const uint64_t alternatives = analysis_.interpreter_.alternatives(thread_, alone.state);
    for (uint64_t i = 0; i + 1 < alternatives; ++i) {
      Alone copy = alone;
      const Stepped stepped = step(copy, i);
      if (stepped == Stepped::kStop) return false;
      if (stepped == Stepped::kOn && !follow_section(std::move(copy), passed)) return false;
    }
    const Stepped stepped = step(alone, alternatives - 1);
    if (stepped != Stepped::kOn) return stepped == Stepped::kBlocked;
    if (last) {
      passed.push_back(std::move(alone));
      return true;
    }
  }
}

SoloWaits::Stepped SoloWaits::step(Alone& alone, uint64_t alternative) {
  const auto end = [this](Waits answer) {
    stop(answer);
    return Stepped::kStop;
  };
  if (++steps_ > kMostSteps) return end(Waits::kUndecided);
  std::string why;
  switch (analysis_.interpreter_.step(thread_, alone.state, alone.memory, alternative, why)) {
    case SequentialInterpreter::Step::kOn:
      return Stepped::kOn;
    case SequentialInterpreter::Step::kBlocked:
      return Stepped::kBlocked;
    case SequentialInterpreter::Step::kEnded:
    case SequentialInterpreter::Step::kFailed:
      return end(Waits::kGoesOn);
    case SequentialInterpreter::Step::kOurLimit:
      break;
  }
  return end(Waits::kUndecided);
}

// Two arrivals are the same if nothing that is used later tells them apart.
bool SoloWaits::arrive(uint32_t from, const Alone& alone) {
  const Point at = alone.state.at;
  std::vector<Value> key{at.value()};
  for (size_t r = 0; r < alone.state.registers.size(); ++r)
    if (analysis_.used_.live(thread_, at, RegId(r))) key.push_back(alone.state.registers[r]);
  for (size_t c = 0; c < alone.memory.size(); ++c)
    if (analysis_.private_.is_private(thread_, CellId(c)) && analysis_.private_.live(thread_, at, CellId(c)))
      key.push_back(alone.memory[c]);
  const auto known =
      std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return one.first == key; });
  if (known != known_.end()) {
    nodes_[from].next.push_back(known->second);
    return true;
  }
  constexpr size_t kMostNodes = 1000;
  if (known_.size() == kMostNodes) return stop(Waits::kUndecided);
  const auto number = static_cast<uint32_t>(nodes_.size());
  nodes_[from].next.push_back(number);
  nodes_.emplace_back();
  known_.emplace_back(std::move(key), number);
  todo_.emplace_back(number, alone);
  return true;
}

bool SoloWaits::changes_memory(const Alone& alone) const {
  for (size_t c = 0; c < memory_.size(); ++c)
    if (alone.memory[c] != memory_[c] && !analysis_.private_.is_private(thread_, CellId(c))) return true;
  return false;
}

// Without the paths that assumptions end: is there one from the beginning that goes on for ever, or is blocked?
bool SoloWaits::comes_back() {
  const auto goes_on = [](const Node& node) { return node.blocked || !node.next.empty(); };
  for (bool changed = true; changed;) {
    changed = false;
    for (Node& node : nodes_)
      changed |= std::erase_if(node.next, [&](uint32_t to) { return !goes_on(nodes_[to]); }) > 0;
  }
  return goes_on(nodes_.front());
}

}  // namespace fenceline::property
