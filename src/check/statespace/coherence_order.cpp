// SPDX-License-Identifier: GPL-3.0-or-later
//
// The order of BufferContents: `general` covers `special` if every concrete buffer that `special` stands for
// is one that `general` stands for. It is decided by pairing. The head of `general` must be the beginning of
// that of `special`; what `special` has beyond, and its rest, must fit into the rest of `general`.
//
// Values. A rest of `general` must allow all values that can occur in what goes into it, and if it says that
// all its values are present, each must be certain to occur.
//
// Epochs. Every entry whose epoch `general` knows (head entries, the youngest of a rest) is paired with one
// whose epoch `special` knows, and the pairs must be in the same order on both sides; then the line of epochs
// of the one can be laid onto that of the other. What remains is the lower bound of a rest. If an entry
// is known to have that very epoch, nothing that goes into the rest may be older than the entry's partner. If
// not, the bound lies in a gap between epochs that are known, and since the line is dense it can be moved to
// just behind the last known epoch before it: what goes into the rest must be younger than the partner of
// that one. Below all known epochs a bound says nothing.
//
// Marks. A fence marks all that waits, so where the youngest entry of a cell is marked all are.
#include <algorithm>
#include <utility>

#include "check/statespace/coherence_buffer.h"

namespace fenceline {
namespace {

using Entry = BufferContents::Entry;
using Rest = BufferContents::Rest;

bool subset(const std::vector<Value>& small, const std::vector<Value>& large) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

class Comparison {
 public:
  Comparison(const BufferContents& general, const BufferContents& special, bool per_cell)
      : general_(general), special_(special), per_cell_(per_cell) {}

  bool covers() {
    if (per_cell_ && pending(general_) != pending(special_)) return false;
    return pair_heads() && all_has_a_place() && fill_rests() && (!per_cell_ || epochs_agree());
  }

 private:
  // What `special` has for a rest of `general`.
  struct Filling {
    std::vector<const Entry*> entries;  // older than the rest
    const Rest* rest = nullptr;
    uint32_t oldest_epoch() const { return entries.empty() ? rest->oldest_epoch : entries.front()->epoch; }
    uint32_t newest_epoch() const { return rest ? rest->newest_epoch : entries.back()->epoch; }
    bool newest_marked() const { return rest ? rest->newest_marked : entries.back()->marked; }
    const std::vector<Value>& newest() const { return rest ? rest->newest : entries.back()->values; }
  };
  // The epoch of an entry in `general` and in `special`.
  using EpochPair = std::pair<uint32_t, uint32_t>;

  static bool pending(const BufferContents& b) { return b.barrier_pending && !CoherenceBuffer::empty(b); }
  bool pair_heads();
  bool all_has_a_place() const;
  bool fill_rests();
  bool fits(const Rest& rest, const Filling& filling) const;
  bool epochs_agree();

  const BufferContents& general_;
  const BufferContents& special_;
  bool per_cell_;
  std::vector<const Entry*> beyond_;  // in the head of `special`, but not in that of `general`
  std::vector<Filling> fillings_;     // by rest of `general`
  std::vector<EpochPair> pairs_;
};

bool Comparison::pair_heads() {
  auto partner = general_.head.begin();
  for (const Entry& entry : special_.head) {
    if (partner == general_.head.end() || (per_cell_ && partner->cell > entry.cell)) {
      beyond_.push_back(&entry);
      continue;
    }
    if (partner->cell != entry.cell || !subset(entry.values, partner->values)) return false;
    if (per_cell_ && partner->marked && !entry.marked) return false;
    pairs_.emplace_back(partner->epoch, entry.epoch);
    ++partner;
  }
  return partner == general_.head.end();
}

bool Comparison::all_has_a_place() const {
  const auto has_place = [&](uint32_t cell) {
    return std::any_of(general_.rest.begin(), general_.rest.end(),
                       [&](const Rest& rest) { return rest.cell == cell; });
  };
  return std::all_of(beyond_.begin(), beyond_.end(), [&](const Entry* e) { return has_place(e->cell); }) &&
         std::all_of(special_.rest.begin(), special_.rest.end(),
                     [&](const Rest& r) { return has_place(r.cell); });
}

bool Comparison::fill_rests() {
  for (const Rest& rest : general_.rest) {
    Filling filling;
    for (const Entry* entry : beyond_)
      if (entry->cell == rest.cell) filling.entries.push_back(entry);
    for (const Rest& other : special_.rest)
      if (other.cell == rest.cell) filling.rest = &other;
    if (filling.entries.empty() && !filling.rest) return false;  // a rest is never empty
    if (!fits(rest, filling)) return false;
    pairs_.emplace_back(rest.newest_epoch, filling.newest_epoch());
    fillings_.push_back(std::move(filling));
  }
  return true;
}

bool Comparison::fits(const Rest& rest, const Filling& filling) const {
  if (!subset(filling.newest(), rest.newest)) return false;
  if (per_cell_ && rest.newest_marked && !filling.newest_marked()) return false;
  std::vector<Value> certain;  // values that surely occur
  for (const Entry* entry : filling.entries) {
    if (!subset(entry->values, rest.values)) return false;
    if (entry->values.size() == 1) certain.push_back(entry->values.front());
  }
  if (filling.rest) {
    const Rest& other = *filling.rest;
    if (!subset(other.values, rest.values)) return false;
    if (other.all_present) certain.insert(certain.end(), other.values.begin(), other.values.end());
    if (other.newest.size() == 1) certain.push_back(other.newest.front());
  }
  if (!rest.all_present) return true;
  std::sort(certain.begin(), certain.end());
  return subset(rest.values, certain);
}

bool Comparison::epochs_agree() {
  std::sort(pairs_.begin(), pairs_.end());
  for (size_t i = 1; i < pairs_.size(); ++i) {
    const auto& [general, special] = pairs_[i];
    const auto& [general_before, special_before] = pairs_[i - 1];
    if (general == general_before ? special != special_before : special <= special_before) return false;
  }
  for (size_t i = 0; i < fillings_.size(); ++i) {
    const uint32_t bound = general_.rest[i].oldest_epoch, oldest = fillings_[i].oldest_epoch();
    const auto behind = std::partition_point(pairs_.begin(), pairs_.end(),
                                             [&](const EpochPair& pair) { return pair.first <= bound; });
    if (behind == pairs_.begin()) continue;  // nothing is known to be as old as the bound
    const auto& [general, special] = *std::prev(behind);
    if (general == bound ? oldest < special : oldest <= special) return false;
  }
  return true;
}

}  // namespace

bool CoherenceBuffer::covers(const BufferContents& general, const BufferContents& special) const {
  if (general == special) return true;  // most often: a step changes the buffer of one thread
  if (general.head.size() > special.head.size() || general.rest.size() < special.rest.size()) return false;
  return Comparison(general, special, per_cell()).covers();
}

}  // namespace fenceline
