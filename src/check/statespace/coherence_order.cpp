// SPDX-License-Identifier: GPL-3.0-or-later
//
// The order of BufferContents: `general` subsumes `special` if every concrete buffer that `special` represents
// is one that `general` represents. It is decided by pairing. The head of `general` must be the beginning of
// that of `special`; what `special` has beyond, and its tail, must fit into the tail of `general`.
//
// Values. A tail of `general` must allow all values that can occur in what goes into it, and if it says that
// all its values are present, each must be certain to occur.
//
// Epochs. Every entry whose epoch `general` knows (head entries, the youngest of a tail) is paired with one
// whose epoch `special` knows, and the pairs must be in the same order on both sides; then the line of epochs
// of the one can be laid onto that of the other. What remains is the lower bound of a tail. If an entry
// is known to have that very epoch, nothing that goes into the tail may be older than the entry's partner. If
// not, the bound lies in a gap between epochs that are known, and since the line is dense it can be moved to
// just behind the last known epoch before it: what goes into the tail must be younger than the partner of
// that one. Below all known epochs a bound says nothing.
//
// Marks. A fence marks all that is pending, so where the youngest entry of a cell is marked all are.
#include <algorithm>
#include <utility>

#include "check/statespace/coherence_buffer.h"

namespace fenceline::check {
namespace {

using Entry = BufferContents::Entry;
using Tail = BufferContents::Tail;

bool subset(const std::vector<Value>& small, const std::vector<Value>& large) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

class Comparison {
 public:
  Comparison(const BufferContents& general, const BufferContents& special, bool per_cell)
      : general_(general), special_(special), per_cell_(per_cell) {}

  bool subsumes() {
    if (per_cell_ && pending(general_) != pending(special_)) return false;
    return pair_heads() && everything_fits() && fill_tails() && (!per_cell_ || epochs_agree());
  }

 private:
  // What `special` has for a tail of `general`.
  struct Filling {
    std::vector<const Entry*> entries;  // older than the tail
    const Tail* tail = nullptr;
    uint32_t oldest_epoch() const { return entries.empty() ? tail->oldest_epoch : entries.front()->epoch; }
    uint32_t newest_epoch() const { return tail ? tail->newest_epoch : entries.back()->epoch; }
    bool newest_marked() const { return tail ? tail->newest_marked : entries.back()->marked; }
    const std::vector<Value>& newest() const { return tail ? tail->newest : entries.back()->values; }
  };
  // The epoch of an entry in `general` and in `special`.
  using EpochPair = std::pair<uint32_t, uint32_t>;

  static bool pending(const BufferContents& b) { return b.barrier_pending && !CoherenceBuffer::empty(b); }
  bool pair_heads();
  bool everything_fits() const;
  bool fill_tails();
  bool fits(const Tail& tail, const Filling& filling) const;
  bool epochs_agree();

  const BufferContents& general_;
  const BufferContents& special_;
  bool per_cell_;
  std::vector<const Entry*> beyond_;  // in the head of `special`, but not in that of `general`
  std::vector<Filling> fillings_;     // by tail of `general`
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

bool Comparison::everything_fits() const {
  const auto fits = [&](uint32_t cell) {
    return std::any_of(general_.tail.begin(), general_.tail.end(),
                       [&](const Tail& tail) { return tail.cell == cell; });
  };
  return std::all_of(beyond_.begin(), beyond_.end(), [&](const Entry* e) { return fits(e->cell); }) &&
         std::all_of(special_.tail.begin(), special_.tail.end(), [&](const Tail& r) { return fits(r.cell); });
}

bool Comparison::fill_tails() {
  for (const Tail& tail : general_.tail) {
    Filling filling;
    for (const Entry* entry : beyond_)
      if (entry->cell == tail.cell) filling.entries.push_back(entry);
    for (const Tail& other : special_.tail)
      if (other.cell == tail.cell) filling.tail = &other;
    if (filling.entries.empty() && !filling.tail) return false;  // a tail is never empty
    if (!fits(tail, filling)) return false;
    pairs_.emplace_back(tail.newest_epoch, filling.newest_epoch());
    fillings_.push_back(std::move(filling));
  }
  return true;
}

bool Comparison::fits(const Tail& tail, const Filling& filling) const {
  if (!subset(filling.newest(), tail.newest)) return false;
  if (per_cell_ && tail.newest_marked && !filling.newest_marked()) return false;
  std::vector<Value> certain;  // values that surely occur
  for (const Entry* entry : filling.entries) {
    if (!subset(entry->values, tail.values)) return false;
    if (entry->values.size() == 1) certain.push_back(entry->values.front());
  }
  if (filling.tail) {
    const Tail& other = *filling.tail;
    if (!subset(other.values, tail.values)) return false;
    if (other.all_present) certain.insert(certain.end(), other.values.begin(), other.values.end());
    if (other.newest.size() == 1) certain.push_back(other.newest.front());
  }
  if (!tail.all_present) return true;
  std::sort(certain.begin(), certain.end());
  return subset(tail.values, certain);
}

bool Comparison::epochs_agree() {
  std::sort(pairs_.begin(), pairs_.end());
  for (size_t i = 1; i < pairs_.size(); ++i) {
    const auto& [general, special] = pairs_[i];
    const auto& [general_before, special_before] = pairs_[i - 1];
    if (general == general_before ? special != special_before : special <= special_before) return false;
  }
  for (size_t i = 0; i < fillings_.size(); ++i) {
    const uint32_t bound = general_.tail[i].oldest_epoch, oldest = fillings_[i].oldest_epoch();
    const auto behind = std::partition_point(pairs_.begin(), pairs_.end(),
                                             [&](const EpochPair& pair) { return pair.first <= bound; });
    if (behind == pairs_.begin()) continue;  // nothing is known to be as old as the bound
    const auto& [general, special] = *std::prev(behind);
    if (general == bound ? oldest < special : oldest <= special) return false;
  }
  return true;
}

}  // namespace

bool CoherenceBuffer::subsumes(const BufferContents& general, const BufferContents& special) const {
  if (general == special) return true;  // most often: a step changes the buffer of one thread
  if (general.head.size() > special.head.size() || general.tail.size() < special.tail.size()) return false;
  return Comparison(general, special, per_cell()).subsumes();
}

}  // namespace fenceline::check
