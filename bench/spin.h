// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asking SPIN: `spin -a` turns a Promela model into a C program, the C compiler turns that into a verifier,
// the verifier searches. Only the search is timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/verdict.h"

namespace fenceline::bench {

// Ways to compile the verifier. Which is fastest depends on the model, so all are tried and the best one
// counts. `all` adds those that trade time for memory.
struct SpinVariant {
  std::string name;
  std::vector<std::string> flags;
};
std::vector<SpinVariant> spin_variants(bool all);

struct SpinResult {
  Verdict verdict = Verdict::kUnknown;
  std::string reason;  // kUnknown: why
  uint64_t states = 0;
  uint64_t transitions = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double peak_mb = 0;
};

struct SpinLimits {
  double seconds = 0;
  uint64_t expected_states = 0;  // chooses the size of the hash table and of the stack
};

// A model in a temporary folder of its own, which goes away with this object.
class SpinModel {
 public:
  explicit SpinModel(const std::string& promela);  // throws Bug with SPIN's complaint if it has one
  ~SpinModel();
  SpinModel(const SpinModel&) = delete;
  SpinModel& operator=(const SpinModel&) = delete;

  // Makes the verifiers for several variants at once; run() makes what is missing.
  void compile(const std::vector<SpinVariant>& variants, bool reduce);

  // `reduce`: SPIN's partial-order reduction. `deadlocks`: stuck states are violations.
  SpinResult run(const SpinVariant& variant, bool reduce, bool deadlocks, const SpinLimits& limits);

 private:
  static std::string name_of(const SpinVariant& variant, bool reduce);

  std::string folder_;
};

// Are SPIN and a C compiler here?
bool spin_installed();

}  // namespace fenceline::bench
