// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the three files of the parser share.
#pragma once

#include <fmt/format.h>

#include "frontend/fl/parser.h"

namespace fenceline::frontend::fl {

class Parser::Nesting {
 public:
  Nesting(Parser& parser, unsigned& depth, const char* what) : depth_(depth) {
    if (++depth_ <= kMaxNesting) return;
    --depth_;
    parser.diagnostics_.fatal(parser.peek().pos,
                              fmt::format("{} nested more than {} deep", what, kMaxNesting));
  }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace fenceline::frontend::fl
