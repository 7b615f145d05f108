// SPDX-License-Identifier: GPL-3.0-or-later
//
// A benchmark against a model with another meaning is worthless. Here the translation is put to the
// test: for every file, model and property, SPIN must give our verdict, with its reduction and without; and
// where nothing is violated it must store exactly as many states as our machine without reduction has.
#include "validate.h"

#include <fmt/format.h>

#include "env/errors.h"
#include "promela.h"
#include "runs.h"
#include "spin.h"

namespace fenceline::bench {
namespace {

constexpr double kSeconds = 120;

struct Counts {
  int compared = 0;
  int different = 0;
  int skipped = 0;
};

// SPIN has no bounds: what we call "nothing within the bound" is verified for it.
Verdict as_spin_sees_it(const OurResult& result) {
  return result.complete() ? Verdict::kVerified : result.verdict;
}

void compare(const Task& task, Counts& counts) {
  const std::string name =
      fmt::format("{:36} {:4} {:10}", task.program.source.name, task.model.name, task.property.name);
  OurOptions options;
  options.seconds = kSeconds;
  const OurResult reduced = run_ours(task, options);
  options.reduction = false;
  const OurResult full = run_ours(task, options);
  SpinResult spin_full, spin_reduced;
  try {
    const bool deadlocks = task.property.kind == PropertyKind::kNoDeadlock;
    const SpinLimits limits{kSeconds, full.states};
    const SpinVariant variant{"default", {}};
    PromelaOptions promela;
    spin_full = SpinModel(to_promela(task, promela)).run(variant, false, deadlocks, limits);
    promela.fuse = true;
    spin_reduced = SpinModel(to_promela(task, promela)).run(variant, true, deadlocks, limits);
  } catch (const Unsupported& unsupported) {
    ++counts.skipped;
    fmt::print("{} skipped: {}\n", name, unsupported.what());
    return;
  }
  ++counts.compared;
  const bool same_verdict =
      as_spin_sees_it(full) == spin_full.verdict && as_spin_sees_it(reduced) == spin_reduced.verdict;
  const bool same_states = !full.complete() || full.states == spin_full.states;
  if (!same_verdict || !same_states) ++counts.different;
  fmt::print("{} ours {:8} spin {:8} / {:8} states {:>8} {:>8} reduced {:>8} {:>8} {}\n", name,
             full.bounded ? "bounded" : to_string(full.verdict), to_string(spin_full.verdict),
             to_string(spin_reduced.verdict), full.states, spin_full.states, reduced.states,
             spin_reduced.states,
             same_verdict ? same_states ? "same" : "DIFFERENT STATES" : "DIFFERENT VERDICT");
  std::fflush(stdout);
}

}  // namespace

int validate(const std::vector<std::string>& files) {
  Counts counts;
  const FenceSet no_fences;
  for (const std::string& file : files) {
    const Program program = load_program(file);
    for (const Property& property : properties_named(program, ""))
      for (const char* model : {"sc", "tso", "pso"})
        compare(Task{program, no_fences, memory_model(model), property}, counts);
  }
  fmt::print("{} compared, {} different, {} skipped\n", counts.compared, counts.different, counts.skipped);
  return counts.different;
}

}  // namespace fenceline::bench
