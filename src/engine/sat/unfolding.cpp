// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/unfolding.h"

#include <algorithm>
#include <utility>

#include "env/errors.h"
#include "ir/analysis/loops.h"

namespace fenceline::sat {
namespace {

constexpr size_t kMaxNodes = 200'000;

}  // namespace

class Unfolder {
 public:
  Unfolder(const Overlay& overlay, ThreadId thread, const LoopBounds& bounds, Unfolding& unfolding)
      : overlay_(overlay), thread_(thread), loops_(overlay, thread), bounds_(bounds), unfolding_(unfolding) {}

  void run() {
    const Point entry = overlay_.program().thread(thread_).entry;
    const uint32_t first = node_at(entry, enter(entry, Unfolding::kNone, Unfolding::kNone));
    // Depth first; a node is finished after all that follows it, which gives the order in the end.
    std::vector<std::pair<uint32_t, size_t>> stack{{first, 0}};
    std::vector<uint32_t> finished;
    while (!stack.empty()) {
      const uint32_t from = stack.back().first;
      const size_t slot = stack.back().second++;
      if (local_[from].beyond || slot == overlay_.at(thread_, local_[from].point).next.size()) {
        finished.push_back(from);
        stack.pop_back();
        continue;
      }
      const size_t known = local_.size();
      const uint32_t to = successor(from, static_cast<uint32_t>(slot));
      if (to >= known) stack.push_back({to, 0});
    }
    std::reverse(finished.begin(), finished.end());
    append(finished, first);
  }

 private:
  // The iteration in which `point` is when the thread comes to it from `iteration`: loops that it enters are
  // in their first iteration.
  uint32_t enter(Point point, uint32_t iteration, uint32_t common) {
    std::vector<uint32_t> entered;
    for (uint32_t loop = loops_.innermost(point); loop != common; loop = loops_.outer(loop))
      entered.push_back(loop);
    for (auto loop = entered.rbegin(); loop != entered.rend(); ++loop)
      iteration = iteration_of(*loop, 0, iteration);
    return iteration;
  }

  uint32_t iteration_of(uint32_t loop, uint32_t number, uint32_t outer) {
    const auto [entry, is_new] = iterations_.emplace(std::vector<uint32_t>{loop, number, outer},
                                                     static_cast<uint32_t>(unfolding_.iterations_.size()));
    if (is_new) unfolding_.iterations_.push_back({loop, number, outer, Unfolding::kNone});
    return entry->second;
  }

  uint32_t node_at(Point point, uint32_t iteration) {
    const auto [entry, is_new] =
        node_of_.emplace(std::pair(point.value(), iteration), static_cast<uint32_t>(local_.size()));
    if (!is_new) return entry->second;
    if (unfolding_.nodes_.size() + local_.size() > kMaxNodes)
      throw Unsupported("the loops of the program, unrolled, have more than 200,000 instructions");
    Unfolding::Node& node = local_.emplace_back();
    node.thread = thread_;
    node.point = point;
    node.iteration = iteration;
    node.out.resize(overlay_.at(thread_, point).next.size(), Unfolding::kNone);
    if (iteration != Unfolding::kNone && loops_.header(unfolding_.iterations_[iteration].loop) == point) {
      unfolding_.iterations_[iteration].header = entry->second;
      node.loop = instance_of(iteration);
      const auto bound = bounds_.find(node.loop);
      node.beyond = unfolding_.iterations_[iteration].number >= (bound == bounds_.end() ? 1 : bound->second);
      if (node.beyond) node.out.clear();
    }
    return entry->second;
  }

  LoopInstance instance_of(uint32_t iteration) const {
    LoopInstance instance{thread_.value(), unfolding_.iterations_[iteration].loop};
    for (uint32_t outer = unfolding_.iterations_[iteration].outer; outer != Unfolding::kNone;
         outer = unfolding_.iterations_[outer].outer) {
      instance.push_back(unfolding_.iterations_[outer].loop);
      instance.push_back(unfolding_.iterations_[outer].number);
    }
    return instance;
  }

  uint32_t successor(uint32_t from, uint32_t slot) {
    const Point point = overlay_.next(thread_, local_[from].point, slot);
    uint32_t iteration = local_[from].iteration;
    while (iteration != Unfolding::kNone && !loops_.contains(unfolding_.iterations_[iteration].loop, point))
      iteration = unfolding_.iterations_[iteration].outer;
    Unfolding::Edge edge{from, slot, Unfolding::kNone};
    uint32_t target = iteration;
    if (iteration != Unfolding::kNone && loops_.header(unfolding_.iterations_[iteration].loop) == point) {
      const Unfolding::Iteration here = unfolding_.iterations_[iteration];
      edge.ends_iteration = iteration;
      target = iteration_of(here.loop, here.number + 1, here.outer);
    } else {
      target =
          enter(point, iteration,
                iteration == Unfolding::kNone ? Unfolding::kNone : unfolding_.iterations_[iteration].loop);
    }
    const uint32_t to = node_at(point, target);
    local_[to].in.push_back(edge);
    local_[from].out[slot] = to;
    return to;
  }

  // Renumbers the nodes of this thread in the order of `finished` and appends them to the result.
  void append(const std::vector<uint32_t>& finished, uint32_t first) {
    const auto base = static_cast<uint32_t>(unfolding_.nodes_.size());
    std::vector<uint32_t> moved(local_.size());
    for (uint32_t i = 0; i < finished.size(); ++i) moved[finished[i]] = base + i;
    for (const uint32_t old : finished) {
      Unfolding::Node node = std::move(local_[old]);
      for (Unfolding::Edge& edge : node.in) edge.from = moved[edge.from];
      for (uint32_t& to : node.out) to = moved[to];
      unfolding_.nodes_.push_back(std::move(node));
    }
    for (const auto& [key, iteration] : iterations_)
      if (uint32_t& header = unfolding_.iterations_[iteration].header; header != Unfolding::kNone)
        header = moved[header];
    unfolding_.entries_.push_back(moved[first]);
  }

  const Overlay& overlay_;
  ThreadId thread_;
  Loops loops_;
  const LoopBounds& bounds_;
  Unfolding& unfolding_;
  std::vector<Unfolding::Node> local_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> node_of_;  // by point and iteration
  std::map<std::vector<uint32_t>, uint32_t> iterations_;       // by loop, number, outer iteration
};

Unfolding::Unfolding(const Overlay& overlay, const LoopBounds& bounds) {
  for (size_t i = 0; i < overlay.program().threads.size(); ++i)
    Unfolder(overlay, ThreadId(i), bounds, *this).run();
}

}  // namespace fenceline::sat
