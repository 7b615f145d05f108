// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reduction to SC (transform/to_sc/) against the machine: random programs with random properties, random
// fences laid over them, some slots, and variables that record some of the flushes. The explicit engine
// verifies the original on TSO and PSO, and the reduced program on SC:
//
//   if the reduced program never overflows, both answers must be the same;
//   if it does, what is violated there must be violated in the original.
//
// And what is observable, which is more than any one property observes: program counters, registers and
// memory in all reachable states must be the same, without overflow, and else part of it.
//
// That the reduced program is well formed is checked when it is made; here it is printed and read back too.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "model/memory_model.h"
#include "random_property.h"
#include "random_runs.h"
#include "transform/to_sc/to_sc.h"
#include "visible_states.h"

namespace fenceline::fuzz {
namespace {

// Enough for some ten thousand states. Programs that need more have no answer here.
constexpr uint64_t kMemory = uint64_t{4} << 20;
// No slots need more: at most three of them, for at most five cells of a thread.
constexpr uint64_t kBufferLimit = 16;
// Of larger programs not all states are compared; with --every, of few.
constexpr size_t kMaxStates = 2'000, kMaxStatesOfEvery = 20'000;

std::string explicit_verdict(const Task& task) {
  Options options;
  options.of<engine::StateSpaceOptions>().buffer_limit = kBufferLimit;
  return verdict_of("explicit", task, options, Limits(0, kMemory));
}

bool is_verdict(const std::string& text) {
  return text == "verified" || text == "violated" || text == "unknown";
}

// Fences after some of the instructions that a statement ends with.
FenceSet random_fences(const Program& program, Rng& rng) {
  FenceSet fences;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const StatementEnd& end : program.threads[t].ends)
      if (!end.inside_atomic && rng.chance(10))
        fences.add(ThreadId(t), end.point, FenceKinds(static_cast<uint8_t>(rng.below(16))));
  return fences;
}

// Empty if exactly what should be observable is.
std::string difference(const VisibleStates& original, const VisibleStates& reduced) {
  if (!original.complete) return "";
  const auto part_of = [](const auto& less, const auto& more) {
    return std::includes(more.begin(), more.end(), less.begin(), less.end());
  };
  if (!part_of(reduced.states, original.states)) return "the reduced program has a state of its own";
  if (!part_of(reduced.finals, original.finals)) return "the reduced program has an end of its own";
  if (reduced.error && !original.error) return "the reduced program has an error of its own";
  if (!reduced.complete || reduced.overflow) return "";
  if (reduced.states != original.states) return "the reduced program lacks a state";
  if (reduced.finals != original.finals) return "the reduced program lacks an end";
  return reduced.error == original.error ? "" : "the reduced program lacks an error";
}

// Empty if nothing contradicts anything.
std::string disagreement(const std::string& text, const RandomRuns& runs, uint64_t seed, Tally* tally) {
  const size_t max_states = runs.every ? kMaxStatesOfEvery : kMaxStates;
  Rng rng(seed);
  const Program program = read_program(text);
  if (program.properties.empty()) return "";  // shrinking took it away
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const Property& property = rng.chance(15) ? errors : program.properties.front();
  const auto slots = static_cast<unsigned>(rng.between(1, 3));
  const FenceSet fences = rng.chance(50) ? random_fences(program, rng) : FenceSet();
  const FenceSet none;
  for (const std::string& name : runs.models) {
    const MemoryModel& model = memory_model(name);
    std::set<transform::FlushPoint> remembered;
    for (const transform::FlushPoint& point : transform::flush_points(program, fences, model))
      if (rng.chance(10)) remembered.insert(point);
    const transform::ReducedProgram reduced =
        transform::to_sc(program, fences, model, property, slots, remembered);
    const std::string printed = print_program(reduced.program);
    if (print_program(parse_program({"reduced", printed})) != printed) return name + ": does not read back";

    const VisibleStates there = visible_states(program, fences, model, max_states);
    const VisibleStates here =
        there.complete ? visible_states(reduced, program, 4 * max_states) : VisibleStates();
    if (const std::string what = difference(there, here); !what.empty())
      return name + ", " + std::to_string(slots) + " slots: " + what;
    if (tally != nullptr)
      ++(*tally)[name + (!there.complete || !here.complete ? " states not all compared"
                         : here.overflow                   ? " states compared, with overflow"
                                                           : " states compared, no overflow")];

    const std::string original = explicit_verdict({program, fences, model, property});
    const MemoryModel& sc = memory_model("sc");
    const std::string answer = explicit_verdict({reduced.program, none, sc, reduced.property});
    const std::string overflow = explicit_verdict({reduced.program, none, sc, reduced.overflow_property});
    const std::string all = name + ": original " + original + ", reduced to " + std::to_string(slots) +
                            " slots " + answer + ", overflow " + overflow;
    if (tally != nullptr)
      ++(*tally)[name + " original " + original + ", reduced " + answer + ", overflow " + overflow];
    if (!is_verdict(original) || !is_verdict(answer) || !is_verdict(overflow)) return all;
    if (original == "unknown" || answer == "unknown" || overflow == "unknown") continue;
    if (overflow == "verified" ? answer != original : answer == "violated" && original == "verified")
      return all;
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(
      runs, [](Rng& rng) { return random_mixed_task(80, rng); },
      [&](Rng& rng) -> EngineComparison {
        const uint64_t seed = rng.next();
        return [&runs, seed](const std::string& text, Tally* counted) {
          return disagreement(text, runs, seed, counted);
        };
      },
      tally);
  if (!agree) return 1;
  print(tally);
  std::cout << runs.count << " programs: what they do is what they do when reduced to SC\n";
  return check_variety(runs, 500, 20, [&](const std::string& model, const std::string& verdict) {
    return tally[model + " original " + verdict + ", reduced " + verdict + ", overflow verified"];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  return fenceline::fuzz::fuzz_main(argc, argv, {.models = {"tso", "pso"}}, fenceline::fuzz::run);
}
