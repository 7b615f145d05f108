// SPDX-License-Identifier: GPL-3.0-or-later
//
// What can be in each cell, for models in which a store may take effect before an earlier load of its thread.
// There the iterations of thread_traces.h can miss values: with
//
//   P { r = x; assert(r == 5); y = 1; }      Q { s = y; if (s == 1) x = 5; }
//
// no thread stores anything as long as loads return 0, but y = 1 may come first, since it does not depend on
// the load. So no store is left out here because a thread might not get to it: every instruction of a thread is
// applied to all values that its registers can have anywhere, whatever the conditions in between are. What that
// does not find are values that come out of thin air (docs/glossary.md): each is computed from itself, in a
// cycle of loads and of stores of what was loaded. Without such a cycle, each store of an execution depends on
// fewer stores than there are; so in a program without loops there are as many iterations as stores.
#pragma once

#include <optional>

#include "check/axiomatic/thread_traces.h"
#include "ir/edit/overlay.h"

namespace fenceline::engine {

// None: there are too many to go through.
std::optional<check::CellValues> possible_values(const Overlay& overlay);

}  // namespace fenceline::engine
