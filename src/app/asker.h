// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks engines on behalf of a search for fences. There is one limit for all questions: the user asked for
// fences, not for questions.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "app/registry.h"
#include "env/env.h"
#include "property/problem.h"

namespace fenceline {

class Asker {
 public:
  // `engine` is a name that the registry knows, or "auto". With several questions at once (`at_once` > 1)
  // each has one thread, nothing is said about progress, and whoever asks sees to it that an interrupt
  // reaches limits().
  Asker(const Registry& registry, const Options& options, Progress& progress, std::string engine,
        unsigned at_once = 1);
  Asker(const Asker&) = delete;

  // With "auto": abstract buffers keep every question finite, so the coherence engine comes first. Where it
  // finds a run that no real run follows, the explicit engine gets its chance for as long as is reasonable:
  // if buffers are bounded after all, it knows the truth, and no fence is put where only an abstraction wants
  // one. Callable from several threads if the constructor was told so.
  Result ask(const Problem& problem);

  Limits& limits() { return limits_; }
  std::string engines() const;  // that were asked

 private:
  Result ask(const std::string& name, const Problem& problem, Limits& limits);
  Result without_haste(Result result);

  const Registry& registry_;
  const bool together_;  // several questions at once
  const Options options_;
  Progress& progress_;
  Progress silence_;
  const std::string engine_;
  Limits limits_;
  mutable std::mutex mutex_;       // of what follows
  std::set<std::string> engines_;  // that were asked
  uint64_t questions_ = 0;
};

}  // namespace fenceline
