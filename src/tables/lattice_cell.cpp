// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/lattice_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <utility>

#include "app/interrupt.h"
#include "app/supervised.h"
#include "app/verification.h"
#include "engine/numeric/options.h"
#include "env/bytes.h"
#include "env/errors.h"
#include "property/properties.h"
#include "reference/paper_layout.h"

namespace fenceline::tables {
namespace {

constexpr unsigned kMostSlots = 4;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

LatticeSubject::LatticeSubject(const BenchContext& context, std::string_view program, std::string_view model)
    : context_(context),
      engine_(engine::engine_called("numeric")),
      program_(bench_program(program)),
      model_(memory_model(model)),
      properties_(property::properties_to_check(program_, Options())),
      candidates_(synth::candidate_positions(program_, synth::Positions::kStores)) {
  context.progress.set_task(fmt::format("{}: {}: ", program, model));
}

size_t LatticeSubject::fences_in_all_threads(const synth::FenceMask& positions) const {
  size_t fences = 0;
  for (const size_t position : positions.elements())
    fences += threads_of(program_, candidates_[position]).size();
  return fences;
}

FenceSet LatticeSubject::fence_set_of(const synth::FenceMask& positions) const {
  FenceSet fences;
  for (const size_t position : positions.elements())
    synth::add_fence(fences, candidates_[position], FenceKinds::full());
  return fences;
}

std::optional<double> LatticeSubject::Cell::seconds_to(size_t fences) const {
  for (const auto& [when, count] : verified)
    if (count <= fences) return when;
  return std::nullopt;
}

// `queried`: the fences of the calls of the trace.
LatticeSubject::Cell LatticeSubject::ended(synth::PropagationResult&& found,
                                           const std::vector<synth::FenceMask>& queried, double seconds,
                                           Limits& limits) const {
  Cell cell;
  cell.limited = app::interrupted() || limits.poll() != LimitReached::kNone;
  cell.found = std::move(found);
  cell.seconds = seconds;
  for (size_t i = 0; i < cell.found.trace.size(); ++i)
    if (cell.found.trace[i].verified)
      cell.verified.emplace_back(cell.found.trace[i].seconds, fences_in_all_threads(queried[i]));
  const auto cost = [this](const synth::SearchPoint& point) {
    return std::pair(fences_in_all_threads(point.fences), point.refinements.size());
  };
  std::sort(cell.found.minimal.begin(), cell.found.minimal.end(),
            [&](const synth::SearchPoint& a, const synth::SearchPoint& b) { return cost(a) < cost(b); });
  return cell;
}

// ---- Our layout

LatticeSubject::Cell LatticeSubject::search(synth::Strategy strategy) const {
  const Stopwatch watch;
  Limits limits(context_.options.timeout, context_.options.memory_mb << 20);
  Options options = context_.options;
  options.certify = Certify::kNever;
  options.of<numeric::NumericOptions>().confirm = true;
  std::vector<synth::FenceMask> queried;
  size_t failed_last = 0;  // it will most likely fail again
  synth::PropagationTask task;
  task.fence_positions = candidates_.size();
  task.strategy = strategy;
  task.limits = &limits;
  task.verify = [&](const synth::SearchPoint& point) {
    queried.push_back(point.fences);
    const FenceSet fences = fence_set_of(point.fences);
    for (size_t i = 0; i < properties_.size(); ++i) {
      const size_t property = (failed_last + i) % properties_.size();
      options.timeout = context_.options.timeout - watch.seconds();
      if (options.timeout <= 0 || app::interrupted()) return synth::ProofAnswer::kOutOfLimits;
      const Task query{program_, fences, model_, properties_[property]};
      if (fenceline::app::verify_isolated(engine_, query, options, context_.progress).verdict() ==
          Verdict::kVerified)
        continue;
      failed_last = property;
      return limits.poll() == LimitReached::kNone ? synth::ProofAnswer::kNotVerified
                                                  : synth::ProofAnswer::kOutOfLimits;
    }
    return synth::ProofAnswer::kVerified;
  };
  synth::PropagationResult found = synth::search_by_propagation(task);
  return ended(std::move(found), queried, watch.seconds(), limits);
}

bool LatticeSubject::proof_is_checked(const synth::FenceMask& positions) const {
  Options options = context_.options;
  options.certify = Certify::kAlways;
  options.of<numeric::NumericOptions>().confirm = true;
  const FenceSet fences = fence_set_of(positions);
  return std::all_of(properties_.begin(), properties_.end(), [&](const Property& property) {
    const Task query{program_, fences, model_, property};
    const Result result = fenceline::app::verify_isolated(engine_, query, options, context_.progress);
    return result.verdict() == Verdict::kVerified && result.certificate() && result.certificate()->checked;
  });
}

// ---- The paper's layout

size_t LatticeSubject::number_of(const Overlay& overlay, const transform::FlushPoint& flush) {
  Point point = flush.point;
  while (overlay.inserted(flush.thread, point)) point = overlay.next(flush.thread, point, 0);
  return refinement_numbers_.emplace(std::pair(flush.thread, point), refinement_numbers_.size())
      .first->second;
}

synth::RefinementMask LatticeSubject::refinements(const synth::FenceMask& positions) {
  const FenceSet fences = fence_set_of(positions);
  const Overlay overlay(program_, fences);
  synth::RefinementMask all;
  for (const transform::FlushPoint& flush : transform::flush_points(program_, fences, model_))
    all.add(number_of(overlay, flush));
  return all;
}

LatticeSubject::Cell LatticeSubject::search_as_in_paper(synth::Strategy strategy) {
  const Stopwatch watch;
  Limits limits(context_.options.timeout * kPartForPaper, context_.options.memory_mb << 20);
  const app::Interruptible interruptible(limits);
  std::vector<synth::FenceMask> queried;
  synth::PropagationTask task;
  task.fence_positions = candidates_.size();
  task.strategy = strategy;
  task.limits = &limits;
  task.candidates = [this](const synth::FenceMask& positions) { return refinements(positions); };
  task.verify = [&](const synth::SearchPoint& point) {
    queried.push_back(point.fences);
    return verify_isolated(point, false, limits);
  };
  synth::PropagationResult found = synth::search_by_propagation(task);
  return ended(std::move(found), queried, watch.seconds(), limits);
}

synth::ProofAnswer LatticeSubject::verified_as_in_paper(const synth::SearchPoint& point, bool check) {
  Limits limits(context_.options.timeout * kPartForPaper, context_.options.memory_mb << 20);
  const app::Interruptible interruptible(limits);
  return verify_isolated(point, check, limits);
}

synth::ProofAnswer LatticeSubject::verify_isolated(const synth::SearchPoint& point, bool check,
                                                   Limits& limits) {
  Options options = context_.options;
  options.timeout = limits.seconds_left();
  const app::IsolatedResult done = app::run_isolated(options, [&] {
    ByteWriter writer;
    writer(verify_as_in_paper(point, check, limits));
    return std::move(writer.bytes);
  });
  synth::ProofAnswer answer = synth::ProofAnswer::kOutOfLimits;
  if (done.answer) ByteReader{*done.answer}(answer);
  return answer;
}

synth::ProofAnswer LatticeSubject::verify_as_in_paper(const synth::SearchPoint& point, bool check,
                                                      Limits& limits) {
  const FenceSet fences = fence_set_of(point.fences);
  const Overlay overlay(program_, fences);
  reference::PaperOptions options;
  // As in the paper: as many as fences were removed.
  const size_t removed = fences_in_all_threads(all_positions()) - fences_in_all_threads(point.fences);
  options.last_slots = static_cast<unsigned>(std::clamp<size_t>(removed, 1, kMostSlots));
  for (const transform::FlushPoint& flush : transform::flush_points(program_, fences, model_))
    if (point.refinements.has(number_of(overlay, flush))) options.refinements.insert(flush);
  if (check) options.check_up_to = std::numeric_limits<uint64_t>::max();
  for (const Property& property : properties_) {
    const Task query{program_, fences, model_, property};
    reference::PaperAnalysis analysis;
    try {
      analysis = reference::analyze_reduced(query, options, limits);
    } catch (const std::bad_alloc&) {
      return synth::ProofAnswer::kOutOfLimits;
    } catch (const Unsupported&) {
      return synth::ProofAnswer::kNotVerified;
    }
    if (analysis.outcome == reference::PaperAnalysis::Outcome::kLimit)
      return synth::ProofAnswer::kOutOfLimits;
    if (analysis.outcome != reference::PaperAnalysis::Outcome::kVerified)
      return synth::ProofAnswer::kNotVerified;
    if (check && !(analysis.certificate && analysis.certificate->checked))
      return synth::ProofAnswer::kNotVerified;
    options.first_slots = analysis.slots;
  }
  return synth::ProofAnswer::kVerified;
}

}  // namespace fenceline::tables
