// SPDX-License-Identifier: GPL-3.0-or-later
//
// One verification by our explicit engine, measured: in a process of its own, like SPIN's, so that both start
// with nothing and both pay for the memory they touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/verdict.h"
#include "task/task.h"

namespace fenceline::bench {

struct OurResult {
  Verdict verdict = Verdict::kUnknown;
  bool bounded = false;  // nothing was violated within the bound on store buffers
  std::string reason;
  uint64_t states = 0;
  uint64_t transitions = 0;
  double bytes_per_state = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double peak_mb = 0;

  // Did the search see all there is to see (up to the bound)?
  bool complete() const { return verdict == Verdict::kVerified || bounded; }
};

struct OurOptions {
  bool reduction = true;
  unsigned jobs = 1;
  uint64_t buffer_limit = 8;
  double seconds = 0;
};

OurResult run_ours(const Task& task, const OurOptions& options);

// Reads and parses a file.
Program load_program(const std::string& path);

// The property of that name; all of them if the name is empty. Throws UsageError if there is none.
std::vector<Property> properties_named(const Program& program, const std::string& name);

}  // namespace fenceline::bench
