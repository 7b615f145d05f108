// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/load_evidence.h"

#include <utility>

namespace fenceline::executions {

void LoadEvidence::meet(const LoadEvidence& other) {
  ctrl = ctrl && other.ctrl;
  fences &= other.fences;
  addressed &= other.addressed;
  stores &= other.stores;
  ordered &= other.ordered;
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

// A load that was not executed on one of the paths, or is settled there, does not matter there.
void LoadsBefore::meet(const LoadsBefore& other) {
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
  for (const auto member : {&LoadsBefore::newest, &LoadsBefore::older})
    for (const auto& [load, evidence] : other.*member)
      if (const auto [mine, is_new] = (this->*member).try_emplace(load, evidence); !is_new)
        mine->second.meet(evidence);
  loads |= other.loads;
  waits &= other.waits;
}

}  // namespace fenceline::executions
