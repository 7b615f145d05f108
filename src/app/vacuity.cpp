// SPDX-License-Identifier: GPL-3.0-or-later
//
// Most proofs are not vacuous, and a few random executions show it. Only if they do not, the engine verifies
// the program with an error where the assertion is, or at its end.
#include "app/vacuity.h"

#include <chrono>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "app/verification.h"
#include "engine/sat/options.h"

namespace fenceline::app {
namespace {

class Verifier {
 public:
  Verifier(const engine::Engine& engine, const Task& task, const Options& options, Progress& progress)
      : engine_(engine), task_(task), options_(options), progress_(progress) {
    options_.certify = Certify::kNever;
    options_.of<sat::SatOptions>().proof.clear();
  }

  // Does no execution of the program violate the property? None: not known. `error` is that of one which
  // does.
  std::optional<bool> holds(const Program& program, const Property& property, ProgramError& error) {
    const Task task{program, task_.fences, task_.model, property};
    const double left = options_.timeout - seconds();
    if (interrupted() || (options_.timeout > 0 && left <= 0)) return std::nullopt;
    if (!engine_.supports(task)) return std::nullopt;
    Options options = options_;
    if (options_.timeout > 0) options.timeout = left;
    const Result result = verify_by(engine_, task, options, progress_);
    if (result.verdict() == Verdict::kUnknown) return std::nullopt;
    error = final_error(result);
    return result.verdict() == Verdict::kVerified;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const engine::Engine& engine_;
  const Task& task_;
  Options options_;
  Progress& progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// All remaining goals are known to be unreachable.
void query_engine(const Task& task, Verifier& verifier, property::VacuityGoals& open) {
  ProgramError error;
  if (open.end && !property::ends_with_thread(task.program)) {
    Program program = task.program;
    const Property never_ends{"end", PropertyKind::kFinally, ExprId(program.exprs.size()), SourcePos()};
    program.exprs.emplace_back();  // 0
    if (verifier.holds(program, never_ends, error) != true) open.end = false;
  }
  // The end by itself: an assertion before it would be found first.
  property::VacuityGoals end{.end = open.end && property::ends_with_thread(task.program), .assertions = {}};
  const Property errors{"reached", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  if (end.end && verifier.holds(property::with_errors(task.program, end), errors, error) != true)
    open.end = false;
  property::VacuityGoals assertions{.end = false, .assertions = std::exchange(open.assertions, {})};
  while (!assertions.none()) {
    const std::optional<bool> holds =
        verifier.holds(property::with_errors(task.program, assertions), errors, error);
    if (holds == true) {
      open.assertions = std::move(assertions.assertions);
      return;
    }
    const size_t before = assertions.assertions.size();
    if (holds == false) property::mark_reached(error, assertions);
    if (assertions.assertions.size() == before) return;
  }
}

}  // namespace

std::optional<Vacuity> find_vacuity(const engine::Engine& engine, const Task& task, const Options& options,
                                    Progress& progress) {
  property::VacuityGoals open = property::vacuity_goals(task.program, task.property);
  if (open.none()) return std::nullopt;
  property::VacuityGoals not_shown = open;
  std::vector<Vacuity::Stuck> stuck = property::search_executions(task.program, not_shown);
  const bool none_ended = not_shown.end || !open.end;
  if (task.model.allows_interleavings) open = std::move(not_shown);
  Verifier verifier(engine, task, options, progress);
  if (!open.none()) query_engine(task, verifier, open);
  if (open.none()) return std::nullopt;
  Vacuity vacuity;
  vacuity.no_end = open.end;
  vacuity.unreached = {open.assertions.begin(), open.assertions.end()};
  if (none_ended) vacuity.stuck = std::move(stuck);
  return vacuity;
}

}  // namespace fenceline::app
