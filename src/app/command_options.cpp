// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_options.h"

#include "env/errors.h"

namespace fenceline {
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
          choice(
              {"--method", "M",
               "auto: prop if the program has integers without bound, else lazy. "
               "lazy: learn from one wrong run after the other; avoid: from all of them at once; foil: where "
               "accesses overtake each other, one fence for the last time it happens in a wrong run; prop, "
               "bfs, dfs: search among all sets of places, in the order that what is known suggests, the "
               "largest or the smallest first; descent: leave out one fence after the other",
               kOfInfer},
              &InferOptions::method, methods()),
          choice({"--positions", "P",
                  "where fences may be put: after stores, or after all statements that make a step", kOfInfer,
                  kCommon},
                 &InferOptions::positions, {{"stores", Positions::kStores}, {"all", Positions::kAll}}),
          choice({"--fences", "KINDS",
                  "full: full fences only; any: then weaken each one as far as everything stays verified",
                  kOfInfer, kCommon},
                 &InferOptions::fences, {{"full", InferFences::kFull}, {"any", InferFences::kAny}}),
          flag({"--all", "",
                "find all minimum placements, not just one; prop, bfs, dfs: all from which no fence can be "
                "left "
                "out",
                kOfInfer, kCommon},
               &InferOptions::all_placements),
          word({"--patch", "OUT",
                "write the program with its fences to OUT, `-`: standard output, and nothing else there",
                kOfInfer, kCommon},
               &InferOptions::patch),
          flag({"--in-place", "", "write the fences into FILE itself", kOfInfer, kCommon},
               &InferOptions::in_place),
          word({"--plot", "FILE", "prop, bfs, dfs, descent: draw how the search went (SVG)", kOfInfer},
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
          }};
}

OptionGroup reduce_options() {
  return {
      "Reduction",
      {
          whole_number({"--slots", "K", "how many stores can wait in a buffer of the reduced program; 0: 2",
                        kOfReduce, kCommon},
                       &ReduceOptions::slots, 0, 16),
          choice({"--refine", "R",
                  "all: at each place a variable remembers whether a store was flushed there; none: nowhere",
                  kOfReduce, kCommon},
                 &ReduceOptions::refine,
                 {{"all", ReduceRefinement::kAll}, {"none", ReduceRefinement::kNone}}),
      }};
}

}  // namespace fenceline
