// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/deferral_queue/queue_system.h"

#include <utility>

#include "machine/deferral_queue/queue_worker.h"

namespace fenceline::machine {
namespace {

constexpr uint32_t kNoVariable = ~uint32_t{0};

}  // namespace

uint32_t LocalStates::number_of(std::string_view packed) {
  const std::lock_guard lock(mutex_);
  if (const auto found = numbers_.find(packed); found != numbers_.end()) return found->second;
  const auto number = static_cast<uint32_t>(states_.size());
  numbers_.emplace(states_.emplace_back(packed), number);
  return number;
}

std::string_view LocalStates::packed(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return states_[number];
}

size_t LocalStates::size() const {
  const std::lock_guard lock(mutex_);
  return states_.size();
}

QueueSystem::QueueSystem(const Program& program, const FenceSet& fences, ReorderTable table,
                         const HistoryLanguage* language, const Observed& observed,
                         const queue::RuleOptions& options, queue::ThreadSymmetry* symmetry)
    : overlay_(program, fences),
      table_(std::move(table)),
      language_(language),
      symmetry_(symmetry != nullptr && symmetry->any() ? symmetry : nullptr),
      liveness_(program, observed.always, observed.at_end),
      stamps_(program),
      variables_(program.cell_count, kNoVariable),
      first_register_(1, 0) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    rules_.emplace_back(overlay_, ThreadId(t), table_, liveness_, stamps_.far(), options);
    local_states_.emplace_back();
    first_register_.push_back(first_register_.back() +
                              static_cast<uint32_t>(program.threads[t].registers.size()));
  }
  for (uint32_t cell = 0; cell < program.cell_count; ++cell)
    variables_[cell] = transactional_variable(program, CellId(cell)).value_or(kNoVariable);
}

bool QueueSystem::merges_stores() const {
  for (const LocalStates& states : local_states_)
    for (uint32_t number = 0; number < states.size(); ++number)
      for (const queue::Entry& entry : queue::unpacked(states.packed(number)).entries)
        if (entry.many) return true;
  return false;
}

size_t QueueSystem::local_states() const {
  size_t all = 0;
  for (const LocalStates& states : local_states_) all += states.size();
  return all;
}

std::unique_ptr<TransitionSystem> QueueSystem::worker() const { return std::make_unique<QueueWorker>(*this); }

}  // namespace fenceline::machine
