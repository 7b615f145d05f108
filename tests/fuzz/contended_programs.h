// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random programs for the exploration of execution graphs. Half of them are dense: a few variables that all threads read,
// write, exchange and compare, because the interesting mistakes of this method need contention. Some programs wait in
// loops, by all means.
#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "ir/program.h"

namespace fenceline::fuzz {

// Of all kinds. The text is for read_program().
std::string contended_text(Rng& rng);
// Each thread loads a variable and then stores to the next one, or a thread reads what another one has published.
std::string load_buffering_text(Rng& rng);
// Threads that wait for each other, by loads, exchanges and compare-exchanges, and do something meanwhile that counts or
// does not. Accesses without order in such loops race.
std::string waiting_text(Rng& rng);

// Gives accesses orders and tags of C11, ARMv8 and RISC-V, as front ends do. What an access gets depends on its number
// only, so that shrinking a program changes little.
void tag_accesses(Program& program, const std::string& model, uint64_t seed);

}  // namespace fenceline::fuzz
