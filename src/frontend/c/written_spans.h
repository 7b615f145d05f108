// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which bytes of which objects some instructions may write, by the points-to analysis.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "frontend/c/points_to.h"

namespace fenceline::frontend::c {

// Some bytes of an object of the points-to analysis.
struct ByteSpan {
  uint32_t object;
  int64_t begin, end;
};
inline constexpr int64_t kEndOfObject = std::numeric_limits<int64_t>::max();

class WrittenSpans {
 public:
  WrittenSpans(const PointsTo& points_to, const llvm::DataLayout& layout)
      : points_to_(points_to), layout_(layout) {}

  void add(const llvm::Instruction& instruction);
  void add_anywhere() { anywhere_ = true; }
  bool empty() const { return !anywhere_ && objects_.empty() && spans_.empty(); }
  // May one of the instructions write one of the bytes?
  bool overlaps(const ByteSpan& span) const;

 private:
  bool add_elements(const llvm::Value& pointer, const Targets& targets);

  const PointsTo& points_to_;
  const llvm::DataLayout& layout_;
  std::set<uint32_t> objects_;  // as a whole
  std::vector<ByteSpan> spans_;
  bool anywhere_ = false;
};

}  // namespace fenceline::frontend::c
