// SPDX-License-Identifier: GPL-3.0-or-later
//
// Neighbouring threads whose code is the same, but for the constant addresses of some accesses.
#pragma once

#include <vector>

#include "ir/edit/overlay.h"

namespace fenceline::executions {

struct ThreadGroup {
  std::vector<ThreadId> threads;  // two at least
  std::vector<Point> differ;      // where they access different cells

  bool has(ThreadId thread) const;
  bool differs_at(Point point) const;
};

std::vector<ThreadGroup> thread_groups(const Overlay& overlay);

// The same tree.
bool same_expression(const Program& program, ExprId a, ExprId b);

}  // namespace fenceline::executions
