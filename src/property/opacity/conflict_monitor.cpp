// SPDX-License-Identifier: GPL-3.0-or-later
#include "property/opacity/conflict_monitor.h"

#include <fmt/format.h>

#include <bit>

#include "env/errors.h"

namespace fenceline::property {

ConflictMonitor::ConflictMonitor(PropertyKind property, const HistoryAlphabet& alphabet)
    : property_(property), alphabet_(alphabet) {
  if (alphabet.threads > ConflictState::kMaximalThreads ||
      alphabet.variables > ConflictState::kMaximalVariables)
    throw Unsupported(fmt::format("histories of more than {} threads or {} transactional variables",
                                  ConflictState::kMaximalThreads, ConflictState::kMaximalVariables));
  number(ConflictState(property, alphabet.threads));
}

uint32_t ConflictMonitor::next(uint32_t state, uint32_t letter) const {
  std::atomic<uint32_t>& known = known_step(state, letter);
  if (const uint32_t to = known.load(std::memory_order_acquire); to != kUnknown) return to;
  const std::lock_guard lock(mutex_);
  const uint32_t to = find_step(state, letter);
  known.store(to, std::memory_order_release);
  return to;
}

uint32_t ConflictMonitor::size() const {
  const std::lock_guard lock(mutex_);
  return states_.size();
}

// The number of a state is published only after its block exists, so every caller sees the block.
std::atomic<uint32_t>& ConflictMonitor::known_step(uint32_t state, uint32_t letter) const {
  const auto block = static_cast<size_t>(std::bit_width(state / kFirstBlock));
  const uint32_t first = block == 0 ? 0 : kFirstBlock << (block - 1);
  return blocks_[block][size_t{state - first} * alphabet_.letters() + letter];
}

uint32_t ConflictMonitor::find_step(uint32_t state, uint32_t letter) const {
  ConflictState reached(property_, alphabet_.threads);
  reached.unpack(states_[state].data());
  return reached.step(alphabet_.step(letter)) ? number(reached) : kRejected;
}

uint32_t ConflictMonitor::number(const ConflictState& state) const {
  const uint32_t before = states_.size();
  state.pack(packed_);
  const uint32_t found = states_.add(packed_);
  if (found < before) return found;
  if (found >= kUnknown) throw Unsupported("more than four billion states of histories");
  const auto block = static_cast<size_t>(std::bit_width(found / kFirstBlock));
  if (blocks_[block] == nullptr) {
    const uint32_t states = block == 0 ? kFirstBlock : kFirstBlock << (block - 1);
    const size_t steps = size_t{states} * alphabet_.letters();
    blocks_[block] = std::make_unique_for_overwrite<std::atomic<uint32_t>[]>(steps);
    for (size_t i = 0; i < steps; ++i) blocks_[block][i].store(kUnknown, std::memory_order_relaxed);
  }
  return found;
}

}  // namespace fenceline::property
