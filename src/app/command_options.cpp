// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_options.h"

#include "env/errors.h"

namespace fenceline::app {
namespace {

constexpr OptionLevel kCommon = OptionLevel::kCommon;

const std::vector<Choice<InferMethod>>& methods() {
  static const std::vector<Choice<InferMethod>> all = {
      {"auto", InferMethod::kAuto}, {"lazy", InferMethod::kLazy},      {"avoid", InferMethod::kAvoid},
      {"foil", InferMethod::kFoil}, {"prop", InferMethod::kProp},      {"bfs", InferMethod::kBfs},
      {"dfs", InferMethod::kDfs},   {"descent", InferMethod::kDescent}};
  return all;
}

}  // namespace

std::string_view to_string(InferMethod method) {
  for (const Choice<InferMethod>& one : methods())
    if (one.value == method) return one.word;
  throw Bug("a method without a name");
}

OptionGroup infer_options() {
  return {
      "Inference",
      {
          choice({"--method", "M",
                  "auto: prop if the program has unbounded integers, else lazy. lazy: learn from one "
                  "counterexample after the other; avoid: from the whole state graph; foil: one fence for "
                  "the last reordering of each counterexample; prop, bfs, dfs: search among all sets of "
                  "candidate positions, guided by known results, the largest or the smallest sets first; "
                  "descent: remove one fence after the other",
                  kOfInfer},
                 &InferOptions::method, methods()),
          choice({"--positions", "P",
                  "candidate positions: after stores, or after all statements that are steps", kOfInfer,
                  kCommon},
                 &InferOptions::positions,
                 {{"stores", synth::Positions::kStores}, {"all", synth::Positions::kAll}}),
          choice({"--fences", "KINDS",
                  "full: full fences only; any: then weaken each fence while all properties stay verified",
                  kOfInfer, kCommon},
                 &InferOptions::fences, {{"full", InferFences::kFull}, {"any", InferFences::kAny}}),
          flag({"--all", "", "find all minimum placements, not just one; prop, bfs, dfs: all minimal ones",
                kOfInfer, kCommon},
               &InferOptions::all_placements),
          word({"--patch", "OUT",
                "write the program with its fences to OUT, `-`: standard output, which then has nothing else",
                kOfInfer, kCommon},
               &InferOptions::patch),
          flag({"--in-place", "", "write the fences into FILE itself", kOfInfer, kCommon},
               &InferOptions::in_place),
          word({"--plot", "FILE", "prop, bfs, dfs, descent: plot the search (SVG)", kOfInfer},
               &InferOptions::plot),
      }};
}

OptionGroup litmus_options() {
  return {"Litmus tests",
          {
              word({"--model", "M",
                    "the memory model; without it, each test is run under the model of its architecture",
                    kOfLitmus, kCommon},
                   &LitmusOptions::model),
              whole_number({"--jobs", "N", "tests to run at the same time; 0: as many as there are cores",
                            kOfLitmus, kCommon},
                           &LitmusOptions::tests_at_once, 0, 64),
              choice({"--engine", "E",
                      "what finds the final states and counts executions: executions, sat or enumeration; "
                      "auto: executions where it is possible, else sat",
                      kOfLitmus, kCommon},
                     &LitmusOptions::engine,
                     {{"auto", engine::OutcomeEngine::kAuto},
                      {"executions", engine::OutcomeEngine::kExecutions},
                      {"sat", engine::OutcomeEngine::kSat},
                      {"enumeration", engine::OutcomeEngine::kEnumeration}}),
          }};
}

OptionGroup reduce_options() {
  return {"Reduction",
          {
              whole_number({"--slots", "K", "capacity of a store buffer of the reduced program; 0: 2",
                            kOfReduce, kCommon},
                           &ReduceOptions::slots, 0, 16),
              choice({"--refine", "R",
                      "all: a variable per flush position records whether a store was flushed there; none: "
                      "no such variables",
                      kOfReduce, kCommon},
                     &ReduceOptions::refine,
                     {{"all", ReduceRefinement::kAll}, {"none", ReduceRefinement::kNone}}),
          }};
}

}  // namespace fenceline::app
