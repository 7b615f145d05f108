// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/automata/symbolic_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "check/check_certificate.h"
#include "engine/automata/concrete.h"
#include "env/errors.h"

namespace fenceline::automata {
namespace {

constexpr uint64_t kPollInterval = 64;

// Only counts.
class AnySuccessor final : public machine::StateSink {
 public:
  bool any = false;
  bool final_state = false;
  void expanding(const machine::StateView& view) override { final_state = view.final_state; }
  void state(machine::PackedState) override { any = true; }
  void buffer_full() override { any = true; }
  void error() override { any = true; }
  void overflow() override { any = true; }
};

}  // namespace

SymbolicSearch::SymbolicSearch(const Task& task, const SymbolicSearchOptions& options, Env& env)
    : task_(task),
      env_(env),
      options_(options),
      system_(property::system_for(task, {.fuse = options.fuse,
                                          .fuse_local = options.fuse_local,
                                          .reduce = options.reduce,
                                          .liveness = options.liveness})),
      worker_(system_.symbolic_worker()),
      cycles_(*worker_, system_.code()),
      monitor_(task.program, task.property) {}

void SymbolicSearch::Observer::expanding(const machine::StateView& view) {
  const property::Monitor::Finding finding = search_.monitor_.look(view);
  if (finding == property::Monitor::Finding::kViolated) search_.found({}, view.final_state);
  if (finding == property::Monitor::Finding::kUndefined) search_.end_.undefined_formula = true;
}

void SymbolicSearch::Observer::error() {
  if (looks_at_errors(search_.task_.property.kind)) search_.found(search_.worker_->path(), false);
}

void SymbolicSearch::Observer::buffer_full() { throw Bug("a set of buffers was full"); }

// While a store is pending there is always a step. So only the contents with empty buffers count.
bool SymbolicSearch::is_deadlock(machine::PackedState state) {
  const std::optional<machine::PackedState> drained = worker_->drained(state);
  if (!drained) return false;
  const machine::KeptState kept(*drained);
  AnySuccessor sink;
  worker_->successors(kept.packed(), sink);
  return !sink.any && !sink.final_state && !worker_->excused(kept.packed());
}

bool SymbolicSearch::out_of_resources(uint64_t bytes) {
  if (options_.state_budget != 0 && states() > options_.state_budget) end_.out_of_states = true;
  if (++polled_ % kPollInterval == 0 && end_.limit == LimitReached::kNone) {
    end_.limit = env_.limits.poll(bytes);
    if (env_.progress.due())
      env_.progress.show(
          fmt::format("automata: {} states, {} languages", states(), worker_->languages().size()));
  }
  return end_.limit != LimitReached::kNone || end_.out_of_states;
}

std::string SymbolicSearch::show(Language language) {
  return worker_->languages().text(language, [this](const Letter& letter) {
    if (letter.variable == Letter::kBarrier) return std::string("|");
    return fmt::format("({},{}{})", task_.program.cell_name(CellId(letter.variable)), letter.value,
                       letter.marked ? "!" : "");
  });
}

std::vector<BufferSeen> SymbolicSearch::endless_buffers(size_t count) {
  std::map<std::tuple<size_t, Language>, std::pair<uint64_t, uint32_t>>
      seen;  // how often, and one program counter
  for_each_maximal([&](machine::PackedState state) {
    const machine::SymbolicSnapshot snapshot = worker_->describe(state);
    for (size_t t = 0; t < snapshot.queues.size(); ++t)
      for (const Language queue : snapshot.queues[t]) {
        auto& [times, point] = seen[{t, queue}];
        ++times;
        point = snapshot.locations[t];
      }
  });
  std::vector<BufferSeen> buffers;
  for (size_t t = 0; t < task_.program.threads.size(); ++t) {
    std::vector<std::tuple<uint64_t, Language, uint32_t>> own;
    for (const auto& [key, value] : seen)
      if (std::get<0>(key) == t && worker_->languages().is_endless(std::get<1>(key)))
        own.emplace_back(value.first, std::get<1>(key), value.second);
    std::sort(own.begin(), own.end(), std::greater<>());
    for (size_t i = 0; i < std::min(count, own.size()); ++i)
      buffers.push_back({ThreadId(t), Point(std::get<2>(own[i])), show(std::get<1>(own[i]))});
  }
  return buffers;
}

std::vector<BufferSeen> SymbolicSearch::growing_buffers() {
  std::map<uint64_t, std::pair<uint64_t, machine::KeptState>> classes;
  for_each_maximal([&](machine::PackedState state) {
    auto& [times, latest] = classes[worker_->take_candidate(state)];
    ++times;
    latest = machine::KeptState(state);
  });
  std::vector<BufferSeen> buffers;
  const auto most = std::max_element(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return a.second.first < b.second.first;
  });
  if (most == classes.end()) return buffers;
  const machine::SymbolicSnapshot snapshot = worker_->describe(most->second.second.packed());
  for (size_t t = 0; t < snapshot.queues.size(); ++t)
    for (const Language queue : snapshot.queues[t])
      if (queue != Languages::empty_word())
        buffers.push_back({ThreadId(t), Point(snapshot.locations[t]), show(queue)});
  return buffers;
}

std::optional<engine::Concretised> SymbolicSearch::concretise(std::string& why_not) {
  return concretise_symbolic(task_, system(), code(), path(), env_, why_not);
}

Certificate SymbolicSearch::checked_certificate() {
  AutomataCertificate certificate;
  std::map<Language, uint32_t> numbers;
  for_each_maximal([&](machine::PackedState state) {
    certificate.states.push_back(spelled_out(state, certificate, numbers));
  });
  const check::CertificateCheck check = check::check_certificate(task_, certificate, env_.limits);
  if (!check.ok && !check.gave_up) throw Bug("a certificate is rejected: " + check.why_not);
  return {"antichain of symbolic states", certificate.states.size(), check.ok};
}

SymbolicState SymbolicSearch::spelled_out(machine::PackedState packed, AutomataCertificate& certificate,
                                          std::map<Language, uint32_t>& numbers) {
  machine::SymbolicSnapshot snapshot = system().describe(packed);
  const auto number = [&](Language language) {
    const auto [known, fresh] = numbers.try_emplace(language, certificate.automata.size());
    if (fresh) certificate.automata.push_back(system().languages().automaton(language));
    return known->second;
  };
  SymbolicState state;
  for (const uint32_t point : snapshot.locations) state.locations.emplace_back(point);
  state.memory = std::move(snapshot.memory);
  state.registers = std::move(snapshot.registers);
  for (size_t t = 0; t < snapshot.queues.size(); ++t) {
    const Buffering buffering = task_.model.buffering;
    const size_t count = buffering == Buffering::kUnbuffered  ? 0
                         : buffering == Buffering::kPerThread ? 1
                                                              : task_.program.cell_count;
    std::vector<uint32_t>& queues = state.queues.emplace_back(count, SymbolicState::kNoQueue);
    const std::vector<uint32_t>& cells = system().cells_of_queues(ThreadId(t));
    for (size_t q = 0; q < (buffering == Buffering::kPerCell ? cells.size() : count); ++q)
      queues[cells.empty() ? 0 : cells[q]] =
          number(snapshot.queues[t].empty() ? Languages::empty_word() : snapshot.queues[t][q]);
  }
  return state;
}

}  // namespace fenceline::automata
