// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where C's objects lie: one array of the IR, whose indices are byte addresses. A pointer is a number, as on
// the machine, so marks in its low bits and counters in its high ones need no special care. Only the bytes at
// which a cell begins (cells.h) have a value; an access anywhere else is an error: a null pointer, a pointer
// past its object, a pointer that still has its mark. Objects do not touch, and no address is used twice.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Type.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "frontend/c/cells.h"
#include "frontend/c/unit.h"

namespace fenceline::frontend::c {

// Marks: numbers that a program hardly computes, so no power of two, which bitmaps have. Small numbers differ from them
// only in bits of the upper half, which are one literal to the solver (sat/bits.h).
// What memory holds before it is written to. Using it is an error, copying it is not.
inline constexpr Value kUndefined = Value{0x5a3d} << 32;
// What freed memory holds, with --frees.
inline constexpr Value kFreed = Value{0xb6c9} << 32;
// What a local variable holds once its block, function or thread has ended, if that is observable.
inline constexpr Value kEnded = Value{0xd395} << 32;
// Addresses of functions: they are no memory.
inline constexpr Value kFirstFunction = Value{1} << 44;
inline constexpr Value kFirstObject = 64;  // whatever lies below is a null pointer

// The part of a variable of that type that cannot be a cell, as text.
std::string words_for(const llvm::Type& type);

class Memory {
 public:
  struct Block {
    std::string name;
    Value base;
    uint64_t size;
  };

  explicit Memory(Unit& unit) : unit_(unit) {}

  // The scalars of a type; what is none (floating point and the like) in words. False if there are too many.
  bool leaves(llvm::Type& type, uint64_t offset, std::vector<Leaf>& result);

  static constexpr uint64_t kAlignment = 16;  // of all objects, at least
  static constexpr uint64_t kGap = 16;        // between two of them, at least
  bool has_room(uint64_t size, uint64_t alignment = kAlignment) const {
    return size < kMostBytes && alignment < kMostBytes &&
           cells_.size() + size + alignment + kGap < kMostBytes;
  }

  // A new object at a multiple of `alignment`; its cells hold `initial`. Precondition: has_room().
  Value allocate(const std::string& name, uint64_t size, uint64_t alignment, const std::vector<Leaf>& leaves,
                 Value initial);
  void set(Value address, Value value) { cells_[static_cast<size_t>(address)] = value; }

  const std::vector<Value>& cells() const { return cells_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  // The object that has all of these bytes; null if there is none.
  const Block* block(Value address, uint64_t size) const;
  const std::map<uint32_t, std::string>& names() const { return names_; }
  const std::map<uint32_t, CellContent>& contents() const { return contents_; }

 private:
  Unit& unit_;
  std::vector<Value> cells_ = std::vector<Value>(kFirstObject, 0);
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kFirstObject, 0);
  size_t end_ = kFirstObject;  // of the last object
  std::vector<Block> blocks_;
  std::map<uint32_t, std::string> names_;
  std::map<uint32_t, CellContent> contents_;
};

}  // namespace fenceline::frontend::c
