// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several pieces of work at once, each in a process of its own: a copy of this one. For what cannot run in
// threads, such as libraries with global state. A crash of one does not affect the others.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/limits.h"

namespace fenceline {

// What work(0) ... work(count - 1) returned, in that order. None: that one did not come to its end, since a
// limit was reached or its process was killed. Whatever a piece of work changes, it changes in its own copy.
// If one throws, Bug says what, here. Precondition: no other thread runs in this process.
std::vector<std::optional<std::string>> in_processes(size_t count,
                                                     const std::function<std::string(size_t)>& work,
                                                     Limits& limits);

}  // namespace fenceline
