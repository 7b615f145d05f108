// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the files of the lowering share.
#pragma once

#include <fmt/format.h>

#include "frontend/fl/lower.h"
#include "frontend/fl/token.h"

namespace fenceline::frontend::fl {

// Counts a level of recursion while it lives. The parser bounds how deep statements and expressions nest,
// but inlined calls nest them further.
class ThreadLowering::Depth {
 public:
  Depth(ThreadLowering& lowering, SourcePos pos) : depth_(lowering.depth_) {
    lowering.visit(pos);
    if (++depth_ <= kMaxLoweringDepth) return;
    --depth_;
    lowering.context_.diagnostics.fatal(
        pos, fmt::format("calls, statements and expressions nest more than {} deep here", kMaxLoweringDepth),
        "procedures are inlined; make the chain of calls shorter");
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace fenceline::frontend::fl
