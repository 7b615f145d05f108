// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/exploration.h"

#include <algorithm>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/executions/explorer.h"
#include "engine/executions/shared_work.h"
#include "env/errors.h"

namespace fenceline::executions {

void ExplorationResult::note_too_long(ThreadId thread, Point at) {
  if (!too_long || std::tie(thread, at) < std::tie(too_long_thread, too_long_at)) {
    too_long_thread = thread;
    too_long_at = at;
  }
  too_long = true;
}

void ExplorationResult::add(const ExplorationResult& other) {
  if (limit == LimitReached::kNone) limit = other.limit;
  executions += other.executions;
  blocked += other.blocked;
  fingerprint += other.fingerprint;
  graphs += other.graphs;
  revisits += other.revisits;
  largest = std::max(largest, other.largest);
  too_large = too_large || other.too_large;
  if (other.too_long) note_too_long(other.too_long_thread, other.too_long_at);
}

namespace {

template <size_t kWords>
ExplorationResult explore_alone(const ThreadCode& code, const ModelPlan& plan,
                                const ExplorationOptions& options, const LeafVisitor& visit) {
  Explorer<kWords> explorer(code, plan, options, visit, nullptr);
  const bool finished = explorer.explore_all();
  ExplorationResult result = explorer.result();
  result.finished = finished;
  result.may_miss_flags = explorer.may_miss_flags(explorer.waiting());
  return result;
}

// Several jobs, which explore what one would explore. If a leaf ends that, one of them goes on from there.
template <size_t kWords>
class SharedExploration {
 public:
  SharedExploration(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
                    const LeafVisitor& visit)
      : code_(code),
        plan_(plan),
        options_(options),
        unbounded_(options),
        visit_([this, &visit](const Leaf& leaf) {
          const std::lock_guard lock(visiting_);
          return visit(leaf);
        }),
        work_(options.jobs, [this] { help(); }) {
    unbounded_.bounds = nullptr;
  }

  ExplorationResult run() {
    Explorer<kWords>& first = add_explorer();
    explore([&] { return first.explore_all(); }, first);
    explore_what_others_give(first);
    work_.join();
    if (work_.failure()) std::rethrow_exception(work_.failure());
    if (work_.end() && work_.end()->exception) std::rethrow_exception(work_.end()->exception);
    ExplorationResult result;
    for (const Explorer<kWords>& explorer : explorers_) result.add(explorer.result());
    result.finished = !work_.end() && result.limit == LimitReached::kNone;
    WaitingAccesses<kWords> waiting = first.waiting();
    for (const Explorer<kWords>& explorer : explorers_) waiting.merge(explorer.waiting());
    result.may_miss_flags = first.may_miss_flags(waiting);
    if (work_.end() && options_.follow_up) follow_up(work_.end()->position, result);
    return result;
  }

 private:
  void help() {
    try {
      explore_what_others_give(add_explorer());
    } catch (...) {
      work_.cancel(std::current_exception());
    }
  }

  void explore_what_others_give(Explorer<kWords>& explorer) {
    while (std::optional<Subtree<kWords>> part = work_.take())
      explore([&] { return explorer.explore_rest(*std::move(part)); }, explorer);
  }

  // What cannot be explored ends the exploration where it is met.
  template <typename Explore>
  void explore(const Explore& explore_part, Explorer<kWords>& explorer) {
    try {
      if (!explore_part() && explorer.result().limit != LimitReached::kNone) work_.cancel(nullptr);
    } catch (const GraphTooLarge&) {
      work_.end_at(explorer.position(), std::current_exception());
    } catch (const Unsupported&) {
      work_.end_at(explorer.position(), std::current_exception());
    } catch (...) {
      work_.cancel(std::current_exception());
    }
    work_.done();
  }

  // One that has reached a limit is only shown the leaf itself.
  void follow_up(const Position& leaf, ExplorationResult& result) {
    ExplorationOptions options = options_;
    if (result.limit != LimitReached::kNone) {
      options.limits = nullptr;
      options.follow_up = [this](const Leaf& first) {
        options_.follow_up(first);
        return false;
      };
    }
    Explorer<kWords> explorer(code_, plan_, options, visit_, nullptr);
    explorer.explore_from(leaf);
    result.add(explorer.result());
  }

  Explorer<kWords>& add_explorer() {
    const std::lock_guard lock(adding_);
    return explorers_.emplace_back(code_, plan_, unbounded_, visit_, &work_);
  }

  const ThreadCode& code_;
  const ModelPlan& plan_;
  const ExplorationOptions& options_;
  ExplorationOptions unbounded_;  // bounds are for one job
  std::mutex visiting_, adding_;
  const LeafVisitor visit_;
  std::list<Explorer<kWords>> explorers_;
  SharedWork<Subtree<kWords>> work_;
};

template <size_t kWords>
ExplorationResult explore_with(const ThreadCode& code, const ModelPlan& plan,
                               const ExplorationOptions& options, const LeafVisitor& visit) {
  if (options.jobs <= 1 || (options.bounds != nullptr && options.bounds->active))
    return explore_alone<kWords>(code, plan, options, visit);
  return SharedExploration<kWords>(code, plan, options, visit).run();
}

}  // namespace

ExplorationResult explore(const ThreadCode& code, const ModelPlan& plan, const ExplorationOptions& options,
                          const LeafVisitor& visit) {
  ExplorationResult result;
  result.too_long = true;
  for (const auto& with :
       {explore_with<1>, explore_with<2>, explore_with<4>, explore_with<8>, explore_with<16>}) {
    try {
      return with(code, plan, options, visit);
    } catch (const GraphTooLarge& large) {
      result.longest_thread = large.thread;
      result.longest_at = large.at;
      if (options.restart) options.restart();
    }
  }
  return result;
}

}  // namespace fenceline::executions
