// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs with threads P0, P1, ... that execute the same code. In half of them a thread M starts and joins them,
// with fences and arguments as the C front end emits them; sometimes it treats them differently in one detail. Some
// programs have cells of which each thread has its own, and some wait in loops. In some, P0 gets 1 as its argument, P1
// gets 2, and so on, and use these as pointers to nodes: as indices of `next` and `flag`. The cells p0, p1 and those of
// `next` hold such pointers.
#pragma once

#include <string>

#include "base/rng.h"

namespace fenceline::fuzz {

std::string random_symmetric(Rng& rng);

}  // namespace fenceline::fuzz
