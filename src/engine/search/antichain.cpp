// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/antichain.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "base/hash.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kFirstTable = size_t{1} << 10;

}  // namespace

Antichain::Antichain(machine::OrderedSystem& system)
    : system_(system), table_(kFirstTable), classes_(kFirstTable) {}

Antichain::Inserted Antichain::insert(machine::PackedState packed, Id parent) {
  const uint64_t hash = hash_bytes(packed.data(), packed.size());
  NumberSlot& slot = table_.find(hash, [&](const NumberSlot& known) {
    return known.may_match(hash) && std::ranges::equal(state(known.number), packed);
  });
  if (!slot.free()) return {slot.number, false};

  const uint64_t class_hash = system_.take_candidate(packed);
  SubsumptionClass& members = class_with(class_hash);
  bool subsumes_some = false;
  for (Id* link = &members.first; *link != kNone;) {
    Node& member = nodes_[*link];
    ++compared_;
    const machine::OrderedSystem::Order order = system_.compare_with_candidate(state(*link));
    if (order == machine::OrderedSystem::Order::kSubsumesCandidate) {
      require(!subsumes_some, "the order of abstract states is not transitive");
      return {*link, false};
    }
    if (order == machine::OrderedSystem::Order::kCandidateSubsumes) {
      subsumes_some = true;
      member.maximal = false;
      --maximal_;
      *link = member.next_in_class;
      member.next_in_class = static_cast<Id>(nodes_.size());
    } else {
      link = &member.next_in_class;
    }
  }
  require(nodes_.size() < kNone, "more abstract states than can be numbered");
  const Id id = static_cast<Id>(nodes_.size());
  nodes_.push_back(
      {keep(packed), static_cast<uint32_t>(packed.size()), parent, members.first, class_hash, true});
  members.first = id;
  table_.fill(slot, {hash, id});
  ++maximal_;
  return {id, true};
}

std::vector<machine::PackedState> Antichain::chain(Id id) const {
  std::vector<machine::PackedState> states;
  for (; id != kNone; id = nodes_[id].parent) states.push_back(state(id));
  std::reverse(states.begin(), states.end());
  return states;
}

uint64_t Antichain::bytes_in_use() const {
  return blocks_.size() * kBlockBytes + nodes_.capacity() * sizeof(Node) + table_.bytes() + classes_.bytes();
}

const uint8_t* Antichain::keep(machine::PackedState packed) {
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

Antichain::SubsumptionClass& Antichain::class_with(uint64_t hash) {
  if (hash == 0) hash = 1;  // 0 means free
  SubsumptionClass& members =
      classes_.find(hash, [&](const SubsumptionClass& known) { return known.class_hash == hash; });
  return members.free() ? classes_.fill(members, {hash, kNone}) : members;
}

}  // namespace fenceline::engine
