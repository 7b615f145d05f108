// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/antichain.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/hash.h"
#include "env/errors.h"

namespace fenceline {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kFirstTable = size_t{1} << 10;

}  // namespace

Antichain::Antichain(OrderedSystem& system)
    : system_(system), table_(kFirstTable, kNone), families_(kFirstTable) {}

Antichain::Inserted Antichain::insert(PackedState packed, Id parent) {
  const uint64_t hash = hash_bytes(packed.data(), packed.size());
  Id* slot = slot_for(packed, hash);
  if (*slot != kNone) return {*slot, false};

  const uint64_t family_hash = system_.take_candidate(packed);
  Family& family = family_of(family_hash);
  bool covers_some = false;
  for (Id* link = &family.first; *link != kNone;) {
    Node& member = nodes_[*link];
    ++compared_;
    const OrderedSystem::Order order = system_.compare_with_candidate(state(*link));
    if (order == OrderedSystem::Order::kCoversCandidate) {
      require(!covers_some, "the order of abstract states is not transitive");
      return {*link, false};
    }
    if (order == OrderedSystem::Order::kCandidateCovers) {
      covers_some = true;
      member.alive = false;
      --alive_;
      *link = member.next_in_family;
      member.next_in_family = static_cast<Id>(nodes_.size());
    } else {
      link = &member.next_in_family;
    }
  }
  require(nodes_.size() < kNone, "more abstract states than can be numbered");
  const Id id = static_cast<Id>(nodes_.size());
  nodes_.push_back(
      {keep(packed), static_cast<uint32_t>(packed.size()), parent, family.first, hash, family_hash, true});
  family.first = id;
  *slot = id;
  ++alive_;
  if (nodes_.size() * 2 > table_.size() || families_used_ * 2 > families_.size()) grow();
  return {id, true};
}

std::vector<PackedState> Antichain::chain(Id id) const {
  std::vector<PackedState> states;
  for (; id != kNone; id = nodes_[id].parent) states.push_back(state(id));
  std::reverse(states.begin(), states.end());
  return states;
}

uint64_t Antichain::bytes_in_use() const {
  return blocks_.size() * kBlockBytes + nodes_.capacity() * sizeof(Node) + table_.size() * sizeof(Id) +
         families_.size() * sizeof(Family);
}

const uint8_t* Antichain::keep(PackedState packed) {
  const size_t needed = packed.size() + kBitSlack;
  require(needed <= kBlockBytes, "an abstract state that is larger than a block of memory");
  if (blocks_.empty() || block_used_ + needed > kBlockBytes) {
    blocks_.push_back(std::make_unique<uint8_t[]>(kBlockBytes));
    block_used_ = 0;
  }
  uint8_t* bytes = blocks_.back().get() + block_used_;
  std::memcpy(bytes, packed.data(), packed.size());
  block_used_ += packed.size();  // the slack of one state may be the next one
  return bytes;
}

// Where the state is, or where it would go.
Antichain::Id* Antichain::slot_for(PackedState packed, uint64_t hash) {
  for (size_t at = hash & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
    const Id id = table_[at];
    if (id == kNone || (nodes_[id].hash == hash && std::ranges::equal(state(id), packed))) return &table_[at];
  }
}

Antichain::Family& Antichain::family_of(uint64_t hash) {
  if (hash == 0) hash = 1;  // 0 means free
  for (size_t at = hash & (families_.size() - 1);; at = (at + 1) & (families_.size() - 1)) {
    Family& family = families_[at];
    if (family.hash == hash) return family;
    if (family.hash == 0) {
      family.hash = hash;
      ++families_used_;
      return family;
    }
  }
}

void Antichain::grow() {
  std::vector<Id> table(table_.size() * 2, kNone);
  for (const Id id : table_) {
    if (id == kNone) continue;
    size_t at = nodes_[id].hash & (table.size() - 1);
    while (table[at] != kNone) at = (at + 1) & (table.size() - 1);
    table[at] = id;
  }
  table_ = std::move(table);
  std::vector<Family> families(table_.size());
  for (const Family& family : families_) {
    if (family.hash == 0) continue;
    size_t at = family.hash & (families.size() - 1);
    while (families[at].hash != 0) at = (at + 1) & (families.size() - 1);
    families[at] = family;
  }
  families_ = std::move(families);
}

}  // namespace fenceline
