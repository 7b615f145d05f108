// SPDX-License-Identifier: GPL-3.0-or-later
//
// The visited set of a parallel breadth-first search: every state once, with a link to the state it was first
// reached from.
//
// States are records in append-only arenas, one arena per worker, so that storing one takes no lock and no
// allocation: six bytes of parent reference, the length, the packed bytes. The table has open addressing with
// linear probing; a slot is one atomic word: 16 bits of hash to avoid most comparisons, 48 bits of reference.
// A worker writes the record first and then publishes it by compare-and-swap; if another worker was
// faster with the same state, it takes its record back. Slots are chosen by multiplying the hash (Lemire's
// "fast range"), so the capacity need not be a power of two and can grow by half: that keeps the bytes per
// state low.
//
// Growing is the one thing that cannot happen while others insert: the search stops all workers for it, and
// each re-inserts the records of its own arena, which it reads sequentially.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/huge_memory.h"
#include "machine/transition_system.h"

namespace fenceline::engine {

class StateStore {
 public:
  using Ref = uint64_t;  // 48 bits; 0: none
  static constexpr Ref kNone = 0;

  explicit StateStore(unsigned workers);

  static uint64_t hash(machine::PackedState packed);

  // Getting a slot and then the record it names are two cache misses. A caller that has early what it will
  // insert prefetches the slot, does something else, prefetches the record, does something else, then
  // inserts.
  void prefetch_slot(uint64_t hash) const { __builtin_prefetch(&slots_[home(hash)]); }
  void prefetch_record(uint64_t hash) const {
    const uint64_t found = slots_[home(hash)].load(std::memory_order_acquire);
    if (found != 0 && (found & ~kRefMask) == tag_of(hash)) __builtin_prefetch(address(found & kRefMask));
  }

  struct Inserted {
    Ref ref;
    bool fresh;
  };
  // Callable by several workers at once, each under its own number. Precondition: !crowded(), apart from what
  // the slack allows (see kMaxLoad): the caller checks crowded() before each expansion.
  Inserted insert(unsigned worker, machine::PackedState packed, uint64_t hash, Ref parent);

  machine::PackedState state(Ref ref) const;
  Ref parent(Ref ref) const;

  uint64_t size() const;          // states stored; exact when no worker inserts
  uint64_t bytes_in_use() const;  // arenas and table

  // Is it time to grow? If so: begin_growth() by one worker, then reinsert(w) by each, then end_growth() by
  // one.
  bool crowded() const { return size() >= crowded_at_; }
  void begin_growth();
  void reinsert(unsigned worker);
  void end_growth();

  // The record inserted after `ref` by the same worker. Precondition: there is one, in the same block.
  Ref following(Ref ref) const;
  static bool same_block(Ref a, Ref b) { return a >> kBlockBits == b >> kBlockBits; }

 private:
  static constexpr unsigned kBlockBits = 22;  // 4 MiB
  static constexpr size_t kBlockSize = size_t{1} << kBlockBits;
  static constexpr unsigned kOffsetBits = 42;
  static constexpr size_t kMaxBlocks = size_t{1} << 14;
  static constexpr size_t kFirstOffset = 8;  // so that no reference is 0
  static constexpr size_t kParentBytes = 6;
  static constexpr double kMaxLoad = 0.75;
  static constexpr Ref kRefMask = (Ref{1} << 48) - 1;

  struct Arena {
    std::unique_ptr<std::atomic<uint8_t*>[]> blocks;
    std::unique_ptr<uint8_t[]> small_block;  // the first one: most programs need no more
    std::vector<HugeMemory> huge_blocks;     // all others
    size_t used = 0;                         // offset of the next record
    std::vector<size_t> block_ends;          // of blocks that are full
    uint64_t records = 0;
    alignas(64) std::atomic<uint64_t> published_records{0};
    std::atomic<uint64_t> published_bytes{0};
  };

  struct Record {
    const uint8_t* bytes;
    size_t length;
    const uint8_t* end;
  };

  const uint8_t* address(Ref ref) const {
    const uint64_t offset = ref & ((Ref{1} << kOffsetBits) - 1);
    const Arena& arena = *arenas_[ref >> kOffsetBits];
    return arena.blocks[offset >> kBlockBits].load(std::memory_order_relaxed) + (offset & (kBlockSize - 1));
  }
  Record record(Ref ref) const;
  static uint8_t* new_block(Arena& arena);
  Ref append(unsigned worker, machine::PackedState packed, Ref parent);
  void take_back(unsigned worker, Ref ref);
  void publish_again(Ref ref, uint64_t hash);
  static uint64_t tag_of(uint64_t hash) { return (hash & 0xffff) << 48; }
  size_t home(uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<size_t>((static_cast<Wide>(hash) * capacity_) >> 64);
  }

  std::vector<std::unique_ptr<Arena>> arenas_;
  static std::atomic<uint64_t>* new_table(size_t capacity, std::unique_ptr<std::atomic<uint64_t>[]>& small,
                                          HugeMemory& huge);

  std::unique_ptr<std::atomic<uint64_t>[]> small_table_;  // one of these two holds the slots
  HugeMemory huge_table_;
  std::atomic<uint64_t>* slots_ = nullptr;
  size_t capacity_;
  uint64_t crowded_at_;
};

}  // namespace fenceline::engine
