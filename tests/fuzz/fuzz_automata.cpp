// SPDX-License-Identifier: GPL-3.0-or-later
//
// The automata engine against the explicit and the coherence engine, on random programs with random
// properties, most of which fill their buffers without end.
//
// Every program is verified with the default options, every proof with its certificate, and with some of the
// other options. No engine may say `verified` where another says `violated`; every violation must have a
// trace that replays, and no engine may have a shorter one than what this engine calls a shortest; a small
// proof must have a certificate that check/ accepts. A Bug (a rejected certificate, a counterexample that the
// reduction hides) is a failure, too. How often each engine has no answer, and why, is counted.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beyond_fl.h"
#include "engine/automata/options.h"
#include "engine/coherence/options.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "random_property.h"
#include "random_runs.h"
#include "reference/depth_first.h"

namespace fenceline::fuzz {
namespace {

// Enough for some ten thousand states; programs that need more have no answer here.
constexpr uint64_t kMemory = uint64_t{2} << 20;
// Automata take more room, and a single step on them may take long.
constexpr uint64_t kAutomataMemory = uint64_t{8} << 20;
constexpr double kSeconds = 1;
constexpr double kSecondsOfVariant = 0.2;
constexpr uint64_t kSmallProof = 500;  // states up to which a certificate is expected

// What differs from the default options.
struct Variant {
  const char* name;
  void (*change)(Options&);
};

constexpr Variant kVariants[] = {
    {"default", [](Options&) {}},
    {"dfs", [](Options& o) { o.of<automata::AutomataOptions>().search = reference::make_depth_first; }},
    {"dfs without sleep sets",
     [](Options& o) {
       o.of<automata::AutomataOptions>().search = reference::make_depth_first;
       o.of<automata::AutomataOptions>().sleep_sets = false;
     }},
    {"without library", [](Options& o) { o.of<automata::AutomataOptions>().library = false; }},
    {"without acceleration", [](Options& o) { o.of<automata::AutomataOptions>().acceleration = false; }},
    {"without reduction", [](Options& o) { o.of<engine::StateSpaceOptions>().reduction = false; }},
    {"without fusing", [](Options& o) { o.of<engine::StateSpaceOptions>().fusing = false; }},
    {"without liveness", [](Options& o) { o.of<engine::StateSpaceOptions>().liveness = false; }},
    {"never widened", [](Options& o) { o.of<automata::AutomataOptions>().widen_above = 0; }},
    {"widened above 1", [](Options& o) { o.of<automata::AutomataOptions>().widen_above = 1; }},
    {"widened above 2", [](Options& o) { o.of<automata::AutomataOptions>().widen_above = 2; }},
    {"widened above 4", [](Options& o) { o.of<automata::AutomataOptions>().widen_above = 4; }},
    {"widened above 8", [](Options& o) { o.of<automata::AutomataOptions>().widen_above = 8; }},
    {"dfs widened above 2",
     [](Options& o) {
       o.of<automata::AutomataOptions>().search = reference::make_depth_first;
       o.of<automata::AutomataOptions>().widen_above = 2;
     }},
    {"without library, reduction and fusing",
     [](Options& o) {
       o.of<automata::AutomataOptions>().library = o.of<engine::StateSpaceOptions>().reduction =
           o.of<engine::StateSpaceOptions>().fusing = false;
     }},
};
constexpr size_t kCount = std::size(kVariants);

struct Outcome {
  std::string engine_name;
  std::string verdict = "unknown";  // or what was thrown
  Result result;
  bool out_of_limits = false;

  bool decided() const { return verdict == "verified" || verdict == "violated"; }
  double statistic(const std::string& name) const {
    for (const auto& [key, value] : result.statistics.figures)
      if (key == name) return value;
    return 0;
  }
};

Outcome answer_of(std::string engine_name, std::string_view engine, const Task& task, const Options& options,
                  double seconds, uint64_t memory) {
  Outcome outcome;
  outcome.engine_name = std::move(engine_name);
  Limits limits(seconds, memory);
  try {
    outcome.result = engine::verify_by(engine, task, options, limits);
    outcome.verdict = to_string(outcome.result.verdict());
    outcome.out_of_limits = limits.poll() != LimitReached::kNone;
  } catch (const std::exception& problem_found) {
    outcome.verdict = problem_found.what();
  }
  return outcome;
}

std::string why_unknown(const Outcome& outcome) {
  if (outcome.out_of_limits) return "a limit";
  if (outcome.result.spurious())
    return outcome.statistic("widened_states") > 0 ? "spurious, widened" : "spurious";
  return outcome.result.reason.empty() ? "unsupported" : outcome.result.reason;
}

// Empty if there is nothing to complain about. `sections`: are there atomic sections? They are one step, but
// traces show what happens in them.
std::string complaint(const Outcome& outcome, const std::vector<Outcome>& others, bool sections) {
  if (!outcome.decided() && outcome.verdict != "unknown") return outcome.engine_name + ": " + outcome.verdict;
  if (outcome.verdict == "violated" &&
      !(outcome.result.trace() && outcome.result.replay() && outcome.result.replay()->ok))
    return outcome.engine_name + ": a violation without a trace that replays";
  if (outcome.verdict == "verified" && outcome.engine_name.starts_with("automata") &&
      outcome.result.statistics.states <= kSmallProof && !outcome.out_of_limits &&
      !(outcome.result.certificate() && outcome.result.certificate()->checked))
    return outcome.engine_name + ": a small proof without a certificate: " + outcome.result.reason;
  for (const Outcome& other : others) {
    if (outcome.decided() && other.decided() && outcome.verdict != other.verdict)
      return fmt::format("{}: {}, {}: {}", outcome.engine_name, outcome.verdict, other.engine_name,
                         other.verdict);
    for (const auto& [one, two] : {std::pair{&outcome, &other}, std::pair{&other, &outcome}})
      if (!sections && one->result.shortest() && one->engine_name.starts_with("automata") &&
          two->result.trace() && two->result.trace()->steps.size() < one->result.trace()->steps.size())
        return fmt::format("{} calls a trace shortest, {} has a shorter one", one->engine_name,
                           two->engine_name);
  }
  return "";
}

void count(const std::string& model, const std::vector<Outcome>& all, Tally& tally) {
  bool others = false;
  for (const Outcome& outcome : all) {
    ++tally[fmt::format("{} {}: {}", model, outcome.engine_name, outcome.verdict)];
    if (!outcome.engine_name.starts_with("automata")) {
      others = others || outcome.decided();
      continue;
    }
    if (outcome.verdict == "unknown")
      ++tally[fmt::format("{} {}: unknown: {}", model, outcome.engine_name, why_unknown(outcome))];
    if (outcome.verdict == "verified" &&
        !(outcome.result.certificate() && outcome.result.certificate()->checked))
      ++tally[fmt::format("{} {}: verified without a certificate", model, outcome.engine_name)];
    if (outcome.statistic("widened_states") > 0)
      ++tally[fmt::format("{} {}: widened", model, outcome.engine_name)];
    if (outcome.engine_name == "automata default" && outcome.decided() && !others)
      ++tally[fmt::format("{} automata default: the only one to decide", model)];
    if (outcome.engine_name == "automata default" && outcome.statistic("accelerated_states") > 0)
      ++tally[fmt::format("{} automata default: accelerated", model)];
  }
}

// The default always, of the others a few.
unsigned some_of_them(Rng& rng) {
  unsigned bits = 1;
  for (int i = 0; i < 2; ++i) bits |= 1U << rng.below(kCount);
  return bits;
}

std::optional<Disagreement> disagreement(const std::string& text, const std::vector<std::string>& models,
                                         unsigned which, Tally* tally) {
  const Program program = read_program(text);
  const Property property = !program.properties.empty()
                                ? program.properties.front()
                                : Property{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const FenceSet fences;
  const bool sections = text.find("atomic") != std::string::npos || text.find("await") != std::string::npos;
  for (const std::string& model : models) {
    const Task task{program, fences, memory_model(model), property};
    Options options;
    options.of<engine::StateSpaceOptions>().buffer_limit = 3;
    options.of<coherence::CoherenceOptions>().max_order = 2;
    options.certify = Certify::kNever;
    std::vector<Outcome> all = {answer_of("explicit", "explicit", task, options, 0, kMemory),
                                answer_of("coherence", "coherence", task, options, 0, kMemory)};
    for (size_t i = 0; i < kCount; ++i) {
      if ((which >> i & 1U) == 0) continue;
      Options varied;
      varied.certify = Certify::kAlways;
      kVariants[i].change(varied);
      all.push_back(answer_of(std::string("automata ") + kVariants[i].name, "automata", task, varied,
                              i == 0 ? kSeconds : kSecondsOfVariant, kAutomataMemory));
      const std::string what = complaint(all.back(), all, sections);
      if (what.empty()) continue;
      return Disagreement{model + ": " + what, [model, i](const std::string& less) {
                            return disagreement(less, {model}, 1U | 1U << i, nullptr).has_value();
                          }};
    }
    if (tally != nullptr) count(model, all, *tally);
  }
  return std::nullopt;
}

// Partial fences: what is not in a queue but orders queues.
std::string other_fences(std::string text, Rng& rng) {
  const std::string full = " fence;";
  for (size_t at = text.find(full); at != std::string::npos; at = text.find(full, at + 1))
    text.replace(at, full.size(), rng.chance(70) ? " sfence;" : " fence(store-load);");
  return text;
}

// Other kinds of properties, made from the text: errors at `c`, deadlocks, final states.
std::string other_property(std::string text, Rng& rng) {
  const size_t property = text.find("property p");
  if (property == std::string::npos) return text;
  switch (rng.below(3)) {
    case 0:
      return text.substr(0, property) + "property p: no deadlock;\n";
    case 1:
      for (const std::string of_loops = "c: skip;"; text.find(of_loops) != std::string::npos;)
        text.replace(text.find(of_loops), of_loops.size(), "assert (r0 != r1);");
      if (text.find("assert") == std::string::npos) return text;
      return text.substr(0, text.find("property p"));
    default:
      return text.substr(0, property) + "property p: finally" + text.substr(text.find(" (", property));
  }
}

std::string random_text(Rng& rng) {
  const uint64_t kind = rng.below(100);
  std::string text = kind < 15   ? random_task(static_cast<Family>(rng.below(kFamilies)), rng)
                     : kind < 40 ? random_lock_task(rng)
                                 : random_looping_task(rng);
  if (rng.chance(30)) text = other_fences(std::move(text), rng);
  return rng.chance(kind < 15 ? 40 : 10) ? other_property(std::move(text), rng) : text;
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(runs, random_text, [&](const std::string& text, Rng& rng) {
    return disagreement(text, runs.models, runs.every ? ~0U : some_of_them(rng), &tally);
  });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: the automata engine contradicts no other\n";
  return check_variety(runs, 100, 10, [&](const std::string& model, const std::string& verdict) {
    return tally[fmt::format("{} automata default: {}", model, verdict)];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  return fenceline::fuzz::fuzz_main(argc, argv, {.models = {"sc", "tso", "pso"}}, fenceline::fuzz::run);
}
