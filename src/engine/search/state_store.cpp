// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/state_store.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "env/errors.h"

namespace fenceline::engine {
namespace {

// With one worker the table starts small, since most programs are; with several, every worker may insert the
// successors of one more state after the table has become crowded, and the slack must hold them.
constexpr size_t kSmallTable = size_t{1} << 12;
constexpr size_t kSharedTable = size_t{1} << 20;
constexpr double kGrowth = 1.6;
// A length that does not fit into one byte: this byte, then four of length.
constexpr uint8_t kLongLength = 0xff;
constexpr size_t kMaxState = size_t{1} << 20;

// From this size on a table is worth huge pages.
constexpr size_t kHugeTableBytes = size_t{2} << 20;

}  // namespace

StateStore::StateStore(unsigned workers) : capacity_(workers == 1 ? kSmallTable : kSharedTable) {
  for (unsigned w = 0; w < workers; ++w) {
    arenas_.push_back(std::make_unique<Arena>());
    arenas_.back()->blocks = std::make_unique<std::atomic<uint8_t*>[]>(kMaxBlocks);
    arenas_.back()->used = kFirstOffset;
  }
  slots_ = new_table(capacity_, small_table_, huge_table_);
  crowded_at_ = static_cast<uint64_t>(static_cast<double>(capacity_) * kMaxLoad);
}

std::atomic<uint64_t>* StateStore::new_table(size_t capacity, std::unique_ptr<std::atomic<uint64_t>[]>& small,
                                             HugeMemory& huge) {
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
  if (capacity * sizeof(uint64_t) < kHugeTableBytes) {
    small = std::make_unique<std::atomic<uint64_t>[]>(capacity);  // value-initialised: all zero
    return small.get();
  }
  small.reset();
  huge = HugeMemory();  // the old one first: both at once would be the peak of all memory
  huge = HugeMemory(capacity * sizeof(uint64_t));
  return reinterpret_cast<std::atomic<uint64_t>*>(huge.data());
}

uint64_t StateStore::hash(machine::PackedState packed) { return XXH3_64bits(packed.data(), packed.size()); }

StateStore::Record StateStore::record(Ref ref) const {
  const uint8_t* at = address(ref) + kParentBytes;
  size_t length = *at++;
  if (length == kLongLength) {
    uint32_t wide = 0;
    std::memcpy(&wide, at, sizeof wide);
    length = wide;
    at += sizeof wide;
  }
  return {at, length, at + length};
}

machine::PackedState StateStore::state(Ref ref) const {
  const Record found = record(ref);
  return {found.bytes, found.length};
}

StateStore::Ref StateStore::parent(Ref ref) const {
  Ref parent = 0;
  std::memcpy(&parent, address(ref), kParentBytes);
  return parent;
}

uint8_t* StateStore::new_block(Arena& arena) {
  if (!arena.small_block) {
    arena.small_block = std::make_unique_for_overwrite<uint8_t[]>(kBlockSize);
    return arena.small_block.get();
  }
  return arena.huge_blocks.emplace_back(kBlockSize).data();
}

StateStore::Ref StateStore::append(unsigned worker, machine::PackedState packed, Ref parent) {
  Arena& arena = *arenas_[worker];
  require(packed.size() < kMaxState, "a packed state is larger than a megabyte");
  const size_t need = kParentBytes + (packed.size() < kLongLength ? 1 : 5) + packed.size();
  if ((arena.used & (kBlockSize - 1)) + need > kBlockSize - kBitSlack) {  // the end of the block stays empty
    arena.block_ends.push_back(arena.used);
    arena.used = arena.block_ends.size() << kBlockBits;
  }
  const size_t block = arena.used >> kBlockBits;
  require(block < kMaxBlocks, "a worker's arena is full");
  if (arena.blocks[block].load(std::memory_order_relaxed) == nullptr)
    arena.blocks[block].store(new_block(arena), std::memory_order_release);
  uint8_t* at = arena.blocks[block].load(std::memory_order_relaxed) + (arena.used & (kBlockSize - 1));
  std::memcpy(at, &parent, kParentBytes);
  at += kParentBytes;
  if (packed.size() < kLongLength) {
    *at++ = static_cast<uint8_t>(packed.size());
  } else {
    *at++ = kLongLength;
    const auto wide = static_cast<uint32_t>(packed.size());
    std::memcpy(at, &wide, sizeof wide);
    at += sizeof wide;
  }
  std::memcpy(at, packed.data(), packed.size());
  const Ref ref = (Ref{worker} << kOffsetBits) | arena.used;
  arena.used += need;
  return ref;
}

void StateStore::take_back(unsigned worker, Ref ref) {
  arenas_[worker]->used = ref & ((Ref{1} << kOffsetBits) - 1);
}

StateStore::Inserted StateStore::insert(unsigned worker, machine::PackedState packed, uint64_t hash,
                                        Ref parent) {
  const uint64_t tag = tag_of(hash);
  Ref mine = kNone;
  size_t index = home(hash);
  for (size_t probe = 0; probe < capacity_; ++probe, index = index + 1 == capacity_ ? 0 : index + 1) {
    uint64_t found = slots_[index].load(std::memory_order_acquire);
    if (found == 0) {
      if (mine == kNone) mine = append(worker, packed, parent);
      if (slots_[index].compare_exchange_strong(found, tag | mine, std::memory_order_release,
                                                std::memory_order_acquire)) {
        Arena& arena = *arenas_[worker];
        arena.published_records.store(++arena.records, std::memory_order_relaxed);
        arena.published_bytes.store(arena.used, std::memory_order_relaxed);
        return {mine, true};
      }
    }
    if ((found & ~kRefMask) != tag) continue;
    const Record other = record(found & kRefMask);
    if (other.length == packed.size() && std::memcmp(other.bytes, packed.data(), packed.size()) == 0) {
      if (mine != kNone) take_back(worker, mine);
      return {found & kRefMask, false};
    }
  }
  throw Bug("the table of states is full");
}

uint64_t StateStore::size() const {
  uint64_t total = 0;
  for (const auto& arena : arenas_) total += arena->published_records.load(std::memory_order_relaxed);
  return total;
}

uint64_t StateStore::bytes_in_use() const {
  uint64_t total = capacity_ * sizeof(uint64_t);
  for (const auto& arena : arenas_) total += arena->published_bytes.load(std::memory_order_relaxed);
  return total;
}

void StateStore::begin_growth() {
  capacity_ = static_cast<size_t>(static_cast<double>(capacity_) * kGrowth);
  slots_ = new_table(capacity_, small_table_, huge_table_);  // the records are all that is needed to fill it
}

void StateStore::publish_again(Ref ref, uint64_t hash) {
  const uint64_t word = tag_of(hash) | ref;
  for (size_t index = home(hash);; index = index + 1 == capacity_ ? 0 : index + 1) {
    uint64_t expected = 0;
    if (slots_[index].load(std::memory_order_relaxed) == 0 &&
        slots_[index].compare_exchange_strong(expected, word, std::memory_order_relaxed))
      return;
  }
}

void StateStore::reinsert(unsigned worker) {
  // The slots of a few records are prefetched before the first of them is needed.
  struct Prefetched {
    Ref ref;
    uint64_t hash;
  };
  std::array<Prefetched, 16> pipeline;
  size_t pushed = 0, done = 0;
  const auto publish_oldest = [&] {
    const Prefetched& oldest = pipeline[done++ % pipeline.size()];
    publish_again(oldest.ref, oldest.hash);
  };
  const Arena& arena = *arenas_[worker];
  const Ref base = Ref{worker} << kOffsetBits;
  for (size_t block = 0; block <= arena.block_ends.size(); ++block) {
    const size_t begin = block == 0 ? kFirstOffset : block << kBlockBits;
    const size_t end = block < arena.block_ends.size() ? arena.block_ends[block] : arena.used;
    for (Ref ref = base | begin; ref < (base | end); ref = following(ref)) {
      if (pushed - done == pipeline.size()) publish_oldest();
      Prefetched& latest = pipeline[pushed++ % pipeline.size()];
      latest = {ref, hash(state(ref))};
      prefetch_slot(latest.hash);
    }
  }
  while (done != pushed) publish_oldest();
}

void StateStore::end_growth() {
  crowded_at_ = static_cast<uint64_t>(static_cast<double>(capacity_) * kMaxLoad);
}

StateStore::Ref StateStore::following(Ref ref) const {
  return ref + static_cast<uint64_t>(record(ref).end - address(ref));
}

}  // namespace fenceline::engine
