// SPDX-License-Identifier: GPL-3.0-or-later
#include "task/synthesis.h"

namespace fenceline {

std::vector<std::string> threads_of(const Program& program, const CandidatePosition& candidate) {
  std::vector<std::string> names;
  ThreadId last;
  for (const auto& [thread, point] : candidate.points) {
    if (thread != last) names.push_back(program.thread(thread).name);
    last = thread;
  }
  return names;
}

uint64_t fence_cost(FenceKinds kinds) {
  if (kinds.has_store_load() && kinds.has_store_store()) return 3;
  return kinds.has_store_load() ? 2 : 1;
}

uint64_t cost_of(const Placement& placement) {
  uint64_t sum = 0;
  for (const PlacedFence& fence : placement) sum += fence_cost(fence.kinds);
  return sum;
}

Verdict Synthesis::verdict() const {
  switch (outcome) {
    case Outcome::kFound:
      return Verdict::kVerified;
    case Outcome::kImpossible:
      return Verdict::kViolated;
    case Outcome::kUnknown:
      break;
  }
  return Verdict::kUnknown;
}

std::string Synthesis::abstraction() const {
  std::string last;
  for (const Result& result : results)
    if (!result.abstraction.empty()) last = result.abstraction;
  return last;
}

}  // namespace fenceline
