// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/check/statespace/concrete_exploration.h"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "check/replay/interpreter.h"
#include "check/statespace/certificate_steps.h"
#include "check/statespace/coherence_buffer.h"

namespace fenceline::testing {
namespace {

struct Node {
  check::Interpreter machine;
  std::vector<ConcreteBuffer> buffers;
};

class Explorer {
 public:
  Explorer(const Task& task, size_t max_pending, size_t max_states)
      : task_(task),
        buffering_(task.model.buffering),
        overlay_(task.program, task.fences),
        max_pending_(max_pending),
        max_states_(max_states) {}

  Exploration run() {
    reach({check::Interpreter(overlay_, buffering_), std::vector<ConcreteBuffer>(threads())});
    while (!open_.empty()) {
      const Node node = std::move(open_.front());
      open_.pop_front();
      for (size_t t = 0; t < threads(); ++t) {
        execute(node, ThreadId(t));
        for (size_t i = 0; i < node.buffers[t].pending.size(); ++i) flush(node, ThreadId(t), i);
      }
    }
    return std::move(result_);
  }

 private:
  size_t threads() const { return task_.program.threads.size(); }

  static bool drained(const Node& node) {
    return std::all_of(node.buffers.begin(), node.buffers.end(),
                       [](const ConcreteBuffer& buffer) { return buffer.pending.empty(); });
  }

  void reach(Node node) {
    ConcreteState state;
    for (size_t t = 0; t < threads(); ++t) {
      state.locations.push_back(node.machine.location(ThreadId(t)));
      state.registers.push_back(node.machine.registers(ThreadId(t)));
    }
    state.memory = node.machine.memory();
    state.buffers = node.buffers;
    if (!seen_.insert(text_of(exactly(state, buffering_))).second) return;
    if (result_.states.size() == max_states_) {
      result_.complete = false;
      return;
    }
    result_.states.push_back(std::move(state));
    open_.push_back(std::move(node));
  }

  void execute(const Node& node, ThreadId thread) {
    const Instruction i = overlay_.at(thread, node.machine.location(thread));
    if (i.kind == InstrKind::kFence && i.fence.has_process_wide() && !drained(node)) return;
    Range choices = Range::single(0);
    if (i.kind == InstrKind::kHavoc) choices = i.havoc_range;
    if (i.kind == InstrKind::kChoose) choices = {0, static_cast<Value>(i.next.size()) - 1};
    for (Value choice = choices.lo; choice <= choices.hi; ++choice) {
      Node next = node;
      ConcreteBuffer& buffer = next.buffers[thread.index()];
      try {
        const Effect effect = next.machine.execute(thread, choice, 0);
        if (effect.failed()) continue;
        if (i.kind == InstrKind::kFence) buffer.fence(i.fence, buffering_);
        if (i.kind == InstrKind::kStore && !next.machine.inside_atomic() &&
            buffering_ != Buffering::kUnbuffered)
          buffer.store(effect.cell.value(), *effect.value);
      } catch (const check::Impossible&) {
        continue;
      }
      if (buffer.pending.size() > max_pending_)
        result_.complete = false;
      else if (next.machine.inside_atomic())
        execute(next, thread);
      else
        reach(std::move(next));
    }
  }

  void flush(const Node& node, ThreadId thread, size_t at) {
    Node next = node;
    const ConcreteBuffer& before = node.buffers[thread.index()];
    for (size_t i = 0; i < at; ++i)
      if (before.pending[i].cell == before.pending[at].cell) return;
    try {
      next.machine.flush(thread, CellId(before.pending[at].cell));
    } catch (const check::Impossible&) {
      return;
    }
    next.buffers[thread.index()] = before.without(at);
    reach(std::move(next));
  }

  const Task& task_;
  Buffering buffering_;
  Overlay overlay_;
  size_t max_pending_, max_states_;
  std::set<std::string> seen_;
  std::deque<Node> open_;
  Exploration result_;
};

void compress_epochs(BufferContents& buffer) {
  std::set<uint32_t> epochs;
  for (const auto& entry : buffer.head) epochs.insert(entry.epoch);
  for (const auto& tail : buffer.tail) epochs.insert({tail.oldest_epoch, tail.newest_epoch});
  const auto shorten = [&](uint32_t& epoch) {
    epoch = static_cast<uint32_t>(std::distance(epochs.begin(), epochs.find(epoch)));
  };
  for (auto& entry : buffer.head) shorten(entry.epoch);
  for (auto& tail : buffer.tail) shorten(tail.oldest_epoch), shorten(tail.newest_epoch);
}

void abstract(BufferContents& buffer, const Abstracting& abstracting, Buffering buffering) {
  std::map<uint32_t, BufferContents::Tail> tails;
  for (auto& tail : buffer.tail) tails[tail.cell] = tail;
  std::map<uint32_t, BufferContents::Tail> gone;
  std::vector<BufferContents::Entry> kept;
  std::map<uint32_t, size_t> kept_of;
  for (const auto& entry : buffer.head) {
    size_t& count = kept_of[buffering == Buffering::kPerCell ? entry.cell : 0];
    if (count < abstracting.head) {
      ++count;
      kept.push_back(entry);
      continue;
    }
    const bool first = !gone.contains(entry.cell);
    auto& tail = gone[entry.cell];
    tail.cell = entry.cell;
    if (first) tail.oldest_epoch = entry.epoch;
    tail.newest = entry.values;
    tail.values.insert(tail.values.end(), entry.values.begin(), entry.values.end());
    tail.newest_epoch = entry.epoch;
    tail.newest_marked = entry.marked;
    tail.all_present = true;
  }
  for (auto& [cell, tail] : gone) {
    if (tails.contains(cell)) {
      const auto& younger = tails[cell];
      tail.values.insert(tail.values.end(), younger.values.begin(), younger.values.end());
      tail.newest = younger.newest;
      tail.newest_epoch = younger.newest_epoch;
      tail.newest_marked = younger.newest_marked;
      tail.all_present = younger.all_present;
    }
    std::sort(tail.values.begin(), tail.values.end());
    tail.values.erase(std::unique(tail.values.begin(), tail.values.end()), tail.values.end());
    tails[cell] = tail;
  }
  buffer.head = kept;
  buffer.tail.clear();
  for (auto& [cell, tail] : tails) {
    if (!abstracting.all_present) tail.all_present = false;
    if (!abstracting.newest_known) tail.newest = tail.values;
    buffer.tail.push_back(tail);
  }
  compress_epochs(buffer);
}

}  // namespace

ConcreteState initial(const Task& task) {
  ConcreteState state;
  state.memory = task.program.initial_memory();
  for (const Thread& thread : task.program.threads) {
    state.locations.push_back(thread.entry);
    auto& registers = state.registers.emplace_back();
    for (const Register& reg : thread.registers) registers.push_back(reg.init);
    state.buffers.emplace_back();
  }
  return state;
}

Exploration explore(const Task& task, size_t max_pending, size_t max_states) {
  return Explorer(task, max_pending, max_states).run();
}

CoherenceState exactly(const ConcreteState& state, Buffering buffering) {
  CoherenceState exact{state.locations, state.memory, {}, {}};
  for (const auto& registers : state.registers)
    exact.registers.emplace_back(registers.begin(), registers.end());
  for (const ConcreteBuffer& buffer : state.buffers) exact.buffers.push_back(exactly(buffer, buffering));
  return exact;
}

CoherenceCertificate exactly(const Exploration& exploration, Buffering buffering) {
  CoherenceCertificate certificate;
  for (const ConcreteState& state : exploration.states)
    certificate.states.push_back(exactly(state, buffering));
  return certificate;
}

bool means(const CoherenceCertificate& certificate, const ConcreteState& state, Buffering buffering) {
  return std::any_of(certificate.states.begin(), certificate.states.end(),
                     [&](const CoherenceState& abstract) {
                       if (abstract.locations != state.locations || abstract.memory != state.memory)
                         return false;
                       for (size_t t = 0; t < state.registers.size(); ++t)
                         for (size_t r = 0; r < state.registers[t].size(); ++r)
                           if (abstract.registers[t][r] && abstract.registers[t][r] != state.registers[t][r])
                             return false;
                       for (size_t t = 0; t < state.buffers.size(); ++t)
                         if (!means(abstract.buffers[t], state.buffers[t], buffering)) return false;
                       return true;
                     });
}

CoherenceCertificate close(const Task& task, Abstracting abstracting, size_t max_states, bool& complete) {
  const Buffering buffering = task.model.buffering;
  const Overlay overlay(task.program, task.fences);
  check::CoherenceBuffer buffers(buffering);
  Limits limits;
  check::CertificateSteps<check::CoherenceBuffer> steps(overlay, buffers, buffering, limits);
  CoherenceCertificate certificate;
  certificate.states.push_back(exactly(initial(task), buffering));
  std::set<std::string> seen{text_of(certificate.states.front())};
  complete = true;
  check::CertificateSteps<check::CoherenceBuffer>::Visitor visitor;
  visitor.failed = [](ThreadId, const std::string&) {};
  visitor.reached = [&](const CoherenceState& successor, ThreadId, bool) {
    CoherenceState next = successor;
    for (BufferContents& buffer : next.buffers) abstract(buffer, abstracting, buffering);
    if (!seen.insert(text_of(next)).second) return;
    if (certificate.states.size() == max_states)
      complete = false;
    else
      certificate.states.push_back(std::move(next));
  };
  for (size_t i = 0; i < certificate.states.size(); ++i) {
    const CoherenceState state = certificate.states[i];  // the vector moves
    steps.each(state, visitor);
  }
  return certificate;
}

std::string text_of(const CoherenceState& state) {
  std::string text;
  const auto add = [&](int64_t value) { text += fmt::format("{} ", value); };
  const auto add_all = [&](const std::vector<Value>& values) {
    text += '{';
    for (const Value value : values) add(value);
    text += '}';
  };
  for (const Point point : state.locations) add(point.value());
  add_all(state.memory);
  for (const auto& registers : state.registers)
    for (const auto& value : registers) text += value ? fmt::format("{} ", *value) : "? ";
  for (const BufferContents& buffer : state.buffers) {
    text += buffer.barrier_pending ? "|! " : "| ";
    for (const auto& entry : buffer.head) {
      for (const int64_t number : {int64_t{entry.cell}, int64_t{entry.epoch}, int64_t{entry.marked}})
        add(number);
      add_all(entry.values);
    }
    for (const auto& tail : buffer.tail) {
      text += tail.all_present ? "all " : "some ";
      for (const int64_t number : {int64_t{tail.cell}, int64_t{tail.oldest_epoch}, int64_t{tail.newest_epoch},
                                   int64_t{tail.newest_marked}})
        add(number);
      add_all(tail.newest);
      add_all(tail.values);
    }
  }
  return text;
}

}  // namespace fenceline::testing
