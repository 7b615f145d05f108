// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine: numerical abstract interpretation of store-buffer machines, for programs whose integers
// have no bound. After Meshman, Dan, Vechev and Yahav, "Synthesis of Memory Fences via Refinement
// Propagation" (SAS 2014), with another layout of states: what is finite is told apart, and only integers
// without bound are left to the numerical domain.
//
//   for each way to abstract, from coarse to fine:
//     compute an invariant: the fixpoint over all threads' steps
//     it excludes what the property forbids       → verified; the invariant is the proof
//     narrowing it helps                          → verified
//     an exact abstract run goes wrong            → no other way will do better: stop
//   look for a real run that goes wrong           → violated
//   → unknown: the abstraction raises an alarm, and no run was found behind it
//
// The analysis is not monotone: a finer domain, more sets or a longer delay can lose what a coarser one
// proves, since widening takes another turn. Hence several ways, and not just the finest.
#include "engine/numeric/numeric_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "engine/numeric/invariant.h"
#include "engine/numeric/invariant_text.h"
#include "engine/numeric/property_check.h"
#include "engine/search.h"
#include "env/errors.h"
#include "property/properties.h"
#include "witness/replay.h"

namespace fenceline {
namespace {

constexpr unsigned kNarrowings = 3;
constexpr uint64_t kConfirmingStates = 200'000;
constexpr uint64_t kCheapSets = 5'000;  // a proof with at most so many is checked again unless forbidden

class NumericEngine final : public Engine {
 public:
  std::string_view name() const override { return "numeric"; }
  std::string_view summary() const override {
    return "finds invariants by abstract interpretation; proves programs with unbounded integers (sc tso "
           "pso)";
  }
  std::string cannot(const Problem& problem) const override;
  std::string hesitates(const Problem& problem) const override;
  Result run(const Problem& problem, Env& env) const override;
};

std::string NumericEngine::cannot(const Problem& problem) const {
  if (const std::string why = knows_no_histories(*this, problem); !why.empty()) return why;
  if (problem.property.kind == PropertyKind::kNoDeadlock)
    return "the numeric engine does not look for deadlocks: an invariant says what can happen, not what must";
  if (const std::string why = cannot_run(problem.program, problem.model); !why.empty())
    return fmt::format("the numeric engine {}", why);
  for (const Thread& thread : problem.program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kFence && instruction.fence.has_everybody() &&
          problem.model.buffering != Buffering::kNone)
        return "the numeric engine cannot deal with sync";
  return "";
}

std::string NumericEngine::hesitates(const Problem& problem) const {
  return has_unbounded_integers(problem.program) ? "" : "the integers of the program are bounded";
}

// One way to abstract.
struct Attempt {
  NumericDomain domain = NumericDomain::kPolyhedra;
  unsigned slots = 2;
  FixpointOptions fixpoint;
  ArrayMode arrays = ArrayMode::kAuto;

  std::string name() const {
    return fmt::format("{}, {} {}", to_string(domain), fixpoint.disjuncts,
                       fixpoint.disjuncts == 1 ? "set" : "sets");
  }
};

ArrayMode array_mode(const std::string& name) {
  if (name == "auto") return ArrayMode::kAuto;
  if (name == "expand") return ArrayMode::kExpand;
  if (name == "smash") return ArrayMode::kSmash;
  throw UsageError(fmt::format("--arrays {}: there are auto, expand and smash", name));
}

std::vector<Attempt> attempts(const Options& options) {
  std::vector<NumericDomain> domains = {NumericDomain::kPolyhedra, NumericDomain::kDifferences};
  if (options.domain != "auto") {
    const std::optional<NumericDomain> domain = parse_numeric_domain(options.domain);
    if (!domain)
      throw UsageError(fmt::format("--domain {}: there are auto, polyhedra, octagons, differences and boxes",
                                   options.domain));
    domains = {*domain};
  }
  const auto disjuncts = static_cast<unsigned>(options.disjuncts);
  const auto slots = static_cast<unsigned>(options.slots);
  std::vector<Attempt> all;
  for (const NumericDomain domain : domains)
    for (const bool finer : {false, true}) {
      Attempt attempt;
      attempt.domain = domain;
      attempt.slots = slots != 0 ? slots : finer ? 2 : 4;
      attempt.arrays = array_mode(options.arrays);
      attempt.fixpoint.disjuncts = finer ? disjuncts * 3 : disjuncts;
      attempt.fixpoint.delay = finer ? 8 : 3;
      all.push_back(attempt);
    }
  return all;
}

class Decision {
 public:
  Decision(const Problem& problem, Env& env) : problem_(problem), env_(env) {}

  Result decide() {
    for (const Attempt& attempt : attempts(env_.options)) {
      Answer answer = Answer::kAgain;
      while (answer == Answer::kAgain) answer = try_with(attempt);
      if (answer == Answer::kVerified) return std::move(result_);
      if (answer == Answer::kLimit) return std::move(result_);
      if (answer == Answer::kExactAlarm) break;
    }
    if (env_.options.confirm) confirm();
    return std::move(result_);
  }

 private:
  enum class Answer { kVerified, kAlarm, kExactAlarm, kLimit, kAgain };

  // One turn of the loop above.
  Answer try_with(const Attempt& attempt) {
    const NumbersOwner owner;
    PlanOptions plan_options;
    plan_options.arrays = attempt.arrays;
    plan_options.extra_stops = extra_stops_;
    const Plan plan(problem_, plan_options);
    const AbstractMachine machine(plan, attempt.slots, attempt.domain);
    const PropertyCheck check(plan, machine);
    Invariant invariant(plan, machine, attempt.fixpoint, env_.limits);
    invariant.errors_matter = looks_at_errors(problem_.property.kind);
    invariant.is_bad = [&](const AbstractState& state) { return check.may_be_bad(state); };

    Invariant::Outcome outcome = invariant.compute();
    if (outcome == Invariant::Outcome::kStuck) {
      extra_stops_.insert(*invariant.stuck_at());
      return Answer::kAgain;
    }
    bool alarm = outcome == Invariant::Outcome::kBadState;
    if (outcome == Invariant::Outcome::kFixpoint) {
      alarm = raises_alarm(invariant, check);
      for (unsigned i = 0; alarm && i < kNarrowings && outcome == Invariant::Outcome::kFixpoint; ++i) {
        outcome = invariant.narrow();
        alarm = raises_alarm(invariant, check);
      }
    }
    if (!env_.options.invariant.empty()) write_invariant(plan, invariant, check);
    result_.states += invariant.nodes().size();
    result_.transitions += invariant.steps();
    result_.abstraction = attempt.name();
    if (outcome == Invariant::Outcome::kLimit) {
      result_.reason =
          fmt::format("{} while an invariant was computed ({}, {} keys)",
                      env_.limits.describe(invariant.limit()), attempt.name(), invariant.nodes().size());
      return Answer::kLimit;
    }
    if (alarm) {
      result_.reason = fmt::format(
          "no invariant was found that excludes a violation (the last one tried: {}), and no run that is one",
          attempt.name());
      return outcome == Invariant::Outcome::kBadState ? Answer::kExactAlarm : Answer::kAlarm;
    }
    verified(plan, invariant);
    return Answer::kVerified;
  }

  void write_invariant(const Plan& plan, const Invariant& invariant, const PropertyCheck& check) const {
    std::ofstream file(env_.options.invariant);
    file << invariant_text(plan, invariant, [&](const AbstractState& s) { return check.may_be_bad(s); });
    if (!file.flush()) throw UsageError(fmt::format("{} cannot be written", env_.options.invariant));
  }

  bool raises_alarm(const Invariant& invariant, const PropertyCheck& check) const {
    if (looks_at_errors(problem_.property.kind) && invariant.some_step_fails()) return true;
    for (const Invariant::Node& node : invariant.nodes())
      for (const Invariant::Disjunct& disjunct : node.disjuncts) {
        AbstractState state = node.state;
        state.numbers = disjunct.numbers;
        if (check.may_be_bad(state)) return true;
      }
    return false;
  }

  void verified(const Plan& plan, const Invariant& invariant) {
    result_.verdict = Verdict::kVerified;
    result_.reason = fmt::format(
        "an invariant excludes all violations ({} places and values, {} sets of "
        "numbers; {})",
        invariant.nodes().size(), invariant.sets(), result_.abstraction);
    result_.statistics.emplace_back("number_sets", static_cast<double>(invariant.sets()));
    result_.statistics.emplace_back("numeric_variables", static_cast<double>(plan.numeric_variables()));
    const std::string& when = env_.options.certify;
    if (when == "never" || (when == "auto" && invariant.sets() > kCheapSets)) return;
    const NumericCertificate certificate = certificate_of(plan, invariant);
    const CertificateCheck check = check_certificate(problem_, certificate, env_.limits);
    if (!check.ok && !check.gave_up) throw Bug("a certificate is refused: " + check.why_not);
    result_.certificate = Certificate{"inductive invariant", certificate.states.size(), check.ok, "states"};
  }

  static NumericCertificate certificate_of(const Plan& plan, const Invariant& invariant) {
    NumericCertificate certificate;
    for (size_t o = 0; o < plan.program().objects.size(); ++o)
      certificate.smashed.push_back(plan.smashed(ObjectId(o)));
    certificate.stops = plan.stops();
    for (const Invariant::Node& node : invariant.nodes()) {
      if (node.disjuncts.empty()) continue;
      NumericState state;
      state.where = node.state.where;
      state.memory = node.state.memory;
      state.registers = node.state.registers;
      state.buffers = node.state.buffers;
      state.dimensions = node.disjuncts.front().numbers.dimensions();
      for (const Invariant::Disjunct& disjunct : node.disjuncts)
        state.disjuncts.push_back(disjunct.numbers.constraints());
      certificate.states.push_back(std::move(state));
    }
    return certificate;
  }

  // An alarm is a violation only if the exact machine has a run that is one.
  void confirm() {
    for (const bool reduce : {false, true}) {
      const System system =
          system_for(problem_, {.fuse = reduce, .reduce = reduce, .buffer_limit = env_.options.buffer_limit});
      Search search(system, problem_.program, &problem_.property, {1, kConfirmingStates}, env_.limits,
                    env_.progress);
      const Findings findings = search.run();
      result_.states += findings.states;
      result_.transitions += findings.transitions;
      if (!findings.found) {
        if (findings.complete() || findings.limit != LimitReached::kNone) return;
        continue;
      }
      result_.verdict = Verdict::kViolated;
      result_.reason = "a run of the exact machine violates the property";
      result_.trace = search.trace();
      result_.shortest = !reduce;
      result_.replay = replay(problem_, *result_.trace);
      if (!result_.replay->ok) throw Bug("a trace does not replay: " + result_.replay->why_not);
      return;
    }
  }

  const Problem& problem_;
  Env& env_;
  std::set<std::pair<ThreadId, Point>> extra_stops_;
  Result result_;
};

Result NumericEngine::run(const Problem& problem, Env& env) const {
  return measured([&] { return Decision(problem, env).decide(); });
}

}  // namespace

std::unique_ptr<Engine> make_numeric_engine() { return std::make_unique<NumericEngine>(); }

}  // namespace fenceline
