// SPDX-License-Identifier: GPL-3.0-or-later
//
// A refinement where buffers are empty changes nothing. So a point represents the same query as the one
// without the refinements that are of no use with its fences, and comparisons look at the useful ones only:
//
//   <f, r> is verified, f is a subset of g    =>  <g, s> is, if s has what is useful of r with g
//   <f, r> is not,      g is a subset of f    =>  <g, s> is not, if what is useful of s with f is in r
//
// The second follows from the first: if <g, s> were verified then <f, s> would be, which is <f, useful of s>,
// and so would be <f, r>.
//
// Which sets of fences are undecided? A set is not above a verified one exactly if it lacks an element of
// each of them: its complement hits every lowest verified set. A largest undecided set is the complement of a
// smallest set that does, and is not below a falsified one. All sets above it are verified, so if it is not
// then it is one of the highest falsified sets.
#include "synth/known_points.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fenceline::synth {

KnownPoints::KnownPoints(size_t fence_positions, Candidates candidates)
    : all_fences_(FenceMask::first(fence_positions)), candidates_(std::move(candidates)) {}

const RefinementMask& KnownPoints::candidates(const FenceMask& fences) const {
  const auto [found, fresh] = candidates_of_.try_emplace(fences);
  if (fresh && candidates_) found->second = candidates_(fences);
  return found->second;
}

RefinementMask KnownPoints::useful(const RefinementMask& refinements, const FenceMask& fences) const {
  return refinements & candidates(fences);
}

bool KnownPoints::implies_verified(const SearchPoint& point) const {
  return std::any_of(verified_.begin(), verified_.end(), [&](const SearchPoint& known) {
    return known.fences.subset_of(point.fences) &&
           useful(known.refinements, point.fences).subset_of(point.refinements);
  });
}

bool KnownPoints::implies_falsified(const SearchPoint& point) const {
  return std::any_of(falsified_.begin(), falsified_.end(), [&](const SearchPoint& known) {
    return point.fences.subset_of(known.fences) &&
           useful(point.refinements, known.fences).subset_of(known.refinements);
  });
}

void KnownPoints::verified(const SearchPoint& point) {
  std::erase_if(verified_, [&](const SearchPoint& known) {
    return point.fences.subset_of(known.fences) && point.refinements.subset_of(known.refinements);
  });
  verified_.push_back(point);
  const auto [known, fresh] = verified_sets_.try_emplace(point.fences, point.refinements);
  if (!fresh && point.refinements.size() < known->second.size()) known->second = point.refinements;
}

void KnownPoints::falsified(const SearchPoint& point) {
  std::erase_if(falsified_, [&](const SearchPoint& known) {
    return known.fences.subset_of(point.fences) && known.refinements.subset_of(point.refinements);
  });
  falsified_.push_back(point);
  if (!candidates(point.fences).subset_of(point.refinements) || falsified_with_all(point.fences)) return;
  std::erase_if(falsified_with_all_, [&](const FenceMask& known) { return known.subset_of(point.fences); });
  falsified_with_all_.push_back(point.fences);
}

bool KnownPoints::verified_with_some(const FenceMask& fences) const {
  return std::any_of(verified_.begin(), verified_.end(),
                     [&](const SearchPoint& known) { return known.fences.subset_of(fences); });
}

bool KnownPoints::falsified_with_all(const FenceMask& fences) const {
  return std::any_of(falsified_with_all_.begin(), falsified_with_all_.end(),
                     [&](const FenceMask& known) { return fences.subset_of(known); });
}

std::optional<FenceMask> KnownPoints::undecided(const std::vector<FenceMask>& besides) const {
  for (size_t room = 0; room <= all_fences_.size(); ++room) {
    FenceMask set = all_fences_;
    if (shrink(set, FenceMask(), room, besides)) return set;
  }
  return std::nullopt;
}

// Takes away up to `room` elements, none of those that are to be kept, so that the set is above no verified
// one without being below a falsified one or one of `besides`. Tries all alternatives; `set` is as it was if there is
// none.
bool KnownPoints::shrink(FenceMask& set, const FenceMask& kept, size_t room,
                         const std::vector<FenceMask>& besides) const {
  if (falsified_with_all(set) || std::any_of(besides.begin(), besides.end(),
                                             [&](const FenceMask& other) { return set.subset_of(other); }))
    return false;
  const auto below = std::find_if(verified_.begin(), verified_.end(),
                                  [&](const SearchPoint& known) { return known.fences.subset_of(set); });
  if (below == verified_.end()) return true;
  if (room == 0) return false;
  FenceMask tried = kept;
  for (const size_t element : (below->fences - kept).elements()) {
    set.remove(element);
    if (shrink(set, tried, room - 1, besides)) return true;
    set.add(element);
    tried.add(element);
  }
  return false;
}

std::vector<SearchPoint> KnownPoints::minimal() const {
  const auto rank = [](const SearchPoint& point) {
    return std::make_tuple(point.fences.size(), point.fences.elements(), point.refinements.size(),
                           point.refinements.elements());
  };
  std::vector<SearchPoint> sorted = verified_;
  std::sort(sorted.begin(), sorted.end(),
            [&](const SearchPoint& a, const SearchPoint& b) { return rank(a) < rank(b); });
  std::vector<SearchPoint> minimal;
  for (const SearchPoint& point : sorted)
    if (std::none_of(minimal.begin(), minimal.end(),
                     [&](const SearchPoint& smaller) { return smaller.fences.subset_of(point.fences); }))
      minimal.push_back(point);
  return minimal;
}

}  // namespace fenceline::synth
