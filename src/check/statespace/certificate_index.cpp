// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/statespace/certificate_index.h"

#include <algorithm>

#include "base/hash.h"
#include "check/statespace/automata_buffer.h"
#include "check/statespace/coherence_buffer.h"

namespace fenceline::check {
namespace {

template <class State>
uint64_t hash_locations(const State& state) {
  uint64_t hash = 1;
  for (const Point point : state.locations) hash = hash_combine(hash, point.value());
  return hash;
}

// Precondition: the state has values for the registers of the pattern.
template <class State>
uint64_t hash_registers(const State& state, const std::vector<bool>& pattern, uint64_t hash) {
  size_t i = 0;
  for (const auto& registers : state.registers)
    for (const auto& value : registers) {
      if (pattern[i]) hash = hash_combine(hash, static_cast<uint64_t>(value.value_or(0)));
      hash = hash_combine(hash, pattern[i++] ? 1 : 0);
    }
  return hash;
}

template <class State>
std::vector<bool> known_registers(const State& state) {
  std::vector<bool> known;
  for (const auto& registers : state.registers)
    for (const auto& value : registers) known.push_back(value.has_value());
  return known;
}

bool implies(const std::vector<bool>& a, const std::vector<bool>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] && !b[i]) return false;
  return true;
}

}  // namespace

template <BufferAlgebra Buffers>
CertificateIndex<Buffers>::CertificateIndex(Buffers& buffers, const std::vector<State>& states)
    : buffers_(buffers), states_(states) {
  for (size_t i = 0; i < states.size(); ++i) {
    const uint64_t locations = hash_locations(states[i]);
    Pattern known = known_registers(states[i]);
    candidates_[hash_registers(states[i], known, hash_without_registers(states[i], locations))].push_back(
        static_cast<uint32_t>(i));
    std::vector<Pattern>& patterns = patterns_[locations];
    if (std::find(patterns.begin(), patterns.end(), known) == patterns.end())
      patterns.push_back(std::move(known));
  }
}

template <BufferAlgebra Buffers>
bool CertificateIndex<Buffers>::subsumed(const State& state) const {
  const uint64_t locations = hash_locations(state);
  const auto patterns = patterns_.find(locations);
  if (patterns == patterns_.end()) return false;
  const uint64_t hash = hash_without_registers(state, locations);
  const Pattern known = known_registers(state);
  for (const Pattern& pattern : patterns->second) {
    if (!implies(pattern, known)) continue;
    const auto candidates = candidates_.find(hash_registers(state, pattern, hash));
    if (candidates == candidates_.end()) continue;
    for (const uint32_t candidate : candidates->second)
      if (subsumes(states_[candidate], state)) return true;
  }
  return false;
}

template <BufferAlgebra Buffers>
bool CertificateIndex<Buffers>::subsumes(const State& general, const State& special) const {
  if (general.locations != special.locations || general.memory != special.memory) return false;
  for (size_t t = 0; t < general.registers.size(); ++t)
    for (size_t r = 0; r < general.registers[t].size(); ++r)
      if (general.registers[t][r] && general.registers[t][r] != special.registers[t][r]) return false;
  for (size_t t = 0; t < general.buffers.size(); ++t)
    if (!buffers_.subsumes(general.buffers[t], special.buffers[t])) return false;
  return true;
}

template <BufferAlgebra Buffers>
uint64_t CertificateIndex<Buffers>::hash_without_registers(const State& state, uint64_t locations) const {
  uint64_t hash = locations;
  for (const Value value : state.memory) hash = hash_combine(hash, static_cast<uint64_t>(value));
  for (const auto& buffer : state.buffers) hash = hash_combine(hash, buffers_.hash(buffer));
  return hash;
}

template <BufferAlgebra Buffers>
uint64_t CertificateIndex<Buffers>::bytes() const {
  return states_.size() * 64;
}

template class CertificateIndex<AutomataBuffer>;
template class CertificateIndex<CoherenceBuffer>;

}  // namespace fenceline::check
