// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exact machine, searched up to a budget of states: as an abstraction it has no spurious counterexamples
// and proves nothing. Engines that have to confirm alarms begin and end with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/cegar/abstract_search.h"
#include "engine/search/search.h"
#include "env/env.h"
#include "machine/store_buffer/system.h"
#include "task/task.h"

namespace fenceline::engine {

class ExactSearch final : public AbstractSearch {
 public:
  ExactSearch(const Task& task, Env& env, bool reduce, uint64_t state_budget);

  void run() override;
  bool violated() const override { return findings_.found; }
  // Never complete: proofs by exhaustive search are left to the explicit engine.
  const SearchEnd& end() const override { return end_; }
  uint64_t states() const override { return findings_.states; }
  uint64_t transitions() const override { return findings_.transitions; }
  std::optional<Concretised> concretise(std::string& why_not) override;
  Certificate checked_certificate() override;

 private:
  const Task& task_;
  machine::System system_;
  Search search_;
  Findings findings_;
  SearchEnd end_;
};

}  // namespace fenceline::engine
