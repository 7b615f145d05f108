// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine against the explicit one, on random programs with arithmetic. Both an analysis with
// random options and now and then the whole engine are run; often all variables are left to the numerical
// domain, which is not what small programs need, but what shows mistakes.
//
// What an analysis proves must be what the search of all states proves, and check/ must not reject its
// certificate; where it does, one of the two has an error, though the verdict may be correct. (Where programs
// divide, multiply unknowns or look at bits, the checker knows less than the analysis, which has intervals of
// all variables from the start; there a rejection is only counted.) A violation must be one, too. How much of
// what is true each domain proves, and how often an alarm without any loss is none, is counted: an
// abstraction may be coarse, but it should not become coarser.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beyond_fl.h"
#include "check/check_certificate.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/options.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "random_numeric.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{4} << 20;  // some ten thousand states
constexpr uint64_t kMemoryOfSets = uint64_t{64} << 20;
constexpr double kSeconds = 0.4;

// How a program is analysed.
struct Configuration {
  numeric::AnalysisOptions options;
  bool disguised = false;     // what beyond_fl.h says about operators
  uint64_t fences = 0;        // 0: none are added, else where
  bool whole_engine = false;  // run that, too

  std::string name() const {
    return fmt::format(
        "{}, {} slots, delay {}, arrays {}{}{}{}", options.name(), options.slots, options.fixpoint.delay,
        static_cast<int>(options.plan.arrays), options.plan.everything_numeric ? ", all numeric" : "",
        options.fixpoint.use_thresholds ? "" : ", standard widening", fences != 0 ? ", fences added" : "");
  }
};

Configuration random_configuration(Rng& rng) {
  Configuration configuration;
  configuration.options.domain = static_cast<numeric::NumericDomain>(rng.below(4));
  configuration.options.slots = static_cast<unsigned>(rng.between(1, 4));
  configuration.options.fixpoint.disjuncts = static_cast<unsigned>(rng.between(1, 4));
  configuration.options.fixpoint.delay = static_cast<unsigned>(rng.between(0, 4));
  configuration.options.fixpoint.use_thresholds = rng.chance(80);
  configuration.options.plan.everything_numeric = rng.chance(50);
  configuration.options.plan.arrays = static_cast<numeric::ArrayMode>(rng.below(3));
  configuration.options.certificate = true;
  configuration.disguised = rng.chance(30);
  configuration.fences = rng.chance(20) ? rng.next() | 1U : 0;
  configuration.whole_engine = rng.chance(10);
  return configuration;
}

// Behind some steps that have one successor. Sections have no room for fences.
FenceSet some_fences(const Program& program, uint64_t seed) {
  FenceSet fences;
  if (seed == 0) return fences;
  const FenceKinds kinds[] = {FenceKinds::full(), FenceKinds::store_store(), FenceKinds::store_load(),
                              FenceKinds()};
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p) {
      const Instruction& instruction = program.threads[t].code[p];
      if (instruction.kind == InstrKind::kAtomicBegin) return {};
      Rng rng(seed + t * 1000 + p);
      if (instruction.next.size() == 1 && rng.chance(20))
        fences.add(ThreadId(t), Point(p), kinds[rng.below(std::size(kinds))]);
    }
  return fences;
}

std::string_view name_of(numeric::Analysis::Outcome outcome) {
  switch (outcome) {
    case numeric::Analysis::Outcome::kHolds:
      return "holds";
    case numeric::Analysis::Outcome::kAlarm:
      return "alarm";
    case numeric::Analysis::Outcome::kExactAlarm:
      return "exact alarm";
    case numeric::Analysis::Outcome::kLimit:
      return "limit";
  }
  throw Bug("an outcome that does not exist");
}

// Sets of numbers may lie between two integers, and the engine and the checker do not always notice at the
// same time. That is rare; if it is not, there is another error.
constexpr const char* kRejected = "certificates: rejected, linear";
constexpr uint64_t kOneOf = 1000;

// Does it use arithmetic that the checker of certificates supports less precisely than intervals do?
bool beyond_linear(const Program& program) {
  const auto constant = [&](ExprId id) { return program.expr(id).op == ExprOp::kConst; };
  return std::any_of(program.exprs.begin(), program.exprs.end(), [&](const Expr& e) {
    const OperatorClass c = class_of(e.op);
    if (c == OperatorClass::kMul) return !constant(e.a) && !constant(e.b);
    return c == OperatorClass::kDivide || c == OperatorClass::kShift || c == OperatorClass::kBitwise ||
           c == OperatorClass::kWrap;
  });
}

// Empty, or the error in the result of the analysis.
std::string complaint(const Task& task, const Configuration& configuration, const std::string& truth,
                      Tally& tally) {
  Limits limits(kSeconds, kMemoryOfSets);
  try {
    const numeric::Analysis analysis = numeric::analyze(task, configuration.options, limits);
    const std::string_view outcome = name_of(analysis.outcome);
    ++tally[fmt::format("{}: {}, really {}", to_string(configuration.options.domain), outcome, truth)];
    if (analysis.outcome != numeric::Analysis::Outcome::kHolds) return "";
    if (truth == "violated") return "an analysis proves what is violated";
    Limits more(kSeconds, kMemoryOfSets);
    const check::CertificateCheck check = check::check_certificate(task, *analysis.certificate, more);
    ++tally[check.ok                      ? "certificates: fine"
            : check.gave_up               ? "certificates: given up"
            : beyond_linear(task.program) ? "certificates: rejected, not linear"
                                          : kRejected];
  } catch (const Unsupported&) {
    ++tally["unsupported"];
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
  return "";
}

// The kind of a complaint is what has to stay the same while the program is shrunk.
std::string kind_of(const std::string& complaint) { return complaint.substr(0, complaint.find(':')); }

std::optional<Disagreement> disagreement(const std::string& text, const std::vector<std::string>& models,
                                         const Configuration& configuration, Tally& tally) {
  const Program program =
      configuration.disguised ? read_program(text) : frontend::parse_fl({"random.fl", text});
  const Property property = !program.properties.empty()
                                ? program.properties.front()
                                : Property{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const FenceSet fences = some_fences(program, configuration.fences);
  for (const std::string& model : models) {
    const Task task{program, fences, memory_model(model), property};
    Options options;
    options.of<engine::StateSpaceOptions>().buffer_limit = 12;
    options.certify = Certify::kNever;
    const std::string truth = verdict_of("explicit", task, options, Limits(kSeconds, kMemory));
    ++tally[fmt::format("explicit, {}: {}", model, truth)];
    std::string what = complaint(task, configuration, truth, tally);
    if (what.empty() && configuration.whole_engine) {
      Options of_engine;
      of_engine.of<numeric::NumericOptions>().domain = configuration.options.domain;
      of_engine.certify = Certify::kAlways;
      const std::string verdict = verdict_of("numeric", task, of_engine, Limits(kSeconds, kMemoryOfSets));
      ++tally[fmt::format("engine: {}, really {}", kind_of(verdict), truth)];
      if (verdict != "verified" && verdict != "violated" && verdict != "unknown")
        what = "the engine says: " + verdict;
      else if (verdict != "unknown" && truth != "unknown" && verdict != truth)
        what = fmt::format("the engine says {}, but {}", verdict, truth);
    }
    if (what.empty()) continue;
    return Disagreement{fmt::format("{}: {} ({})", model, what, configuration.name()),
                        [model, configuration, kind = kind_of(what)](const std::string& less) {
                          Tally ignored;
                          const auto found = disagreement(less, {model}, configuration, ignored);
                          return found && found->what.starts_with(model + ": " + kind);
                        }};
  }
  return std::nullopt;
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(runs, random_numeric_task, [&](const std::string& text, Rng& rng) {
    const size_t configurations = runs.every ? 8 : 2;
    for (size_t i = 0; i < configurations; ++i) {
      const Configuration configuration = random_configuration(rng);
      try {
        if (auto found = disagreement(text, runs.models, configuration, tally)) return found;
      } catch (const InputError&) {
        ++tally["rejected by the front end"];
      }
    }
    return std::optional<Disagreement>();
  });
  print(tally);
  if (!agree) return 1;
  if (tally[kRejected] > 1 + tally["certificates: fine"] / kOneOf) {
    std::cout << "too many certificates are rejected\n";
    return 1;
  }
  std::cout << runs.count << " programs: the numeric engine contradicts no other\n";
  return check_variety(runs, 100, 10, [&](const std::string& model, const std::string& verdict) {
    return tally[fmt::format("explicit, {}: {}", model, verdict)];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  return fenceline::fuzz::fuzz_main(argc, argv, {.models = {"sc", "tso", "pso"}}, fenceline::fuzz::run);
}
