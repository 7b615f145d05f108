// SPDX-License-Identifier: GPL-3.0-or-later
//
// Can a thread fill its store buffer without end? Only if some cycle of its control-flow graph stores and
// passes nothing that empties the buffer. Where the answer is no, exploring all states needs no bound on
// buffers; where it is yes, an explicit search may not terminate; the result names the store for the engine's
// message.
#pragma once

#include <optional>

#include "machine/code.h"

namespace fenceline::machine {

struct Growth {
  ThreadId thread;
  Point store;  // a store on such a cycle
};

// The first thread and store found, if any. Over-approximates growth.
std::optional<Growth> find_growth(const Code& code);

}  // namespace fenceline::machine
