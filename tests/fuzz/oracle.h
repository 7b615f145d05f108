// SPDX-License-Identifier: GPL-3.0-or-later
//
// SC, TSO and PSO by axioms, with no machine, no buffers and no steps in sight: an execution is a set of
// events with relations, and a model forbids certain cycles (Alglave, Maranget, Tautschnig: Herding cats,
// TOPLAS 2014, section 4; the TSO and PSO instances go back to the SPARC manual). If this and the
// machine agree on every small program, both are probably right.
//
//   Events    plain stores W, plain loads R, and ordered events A: an rmw is one event that reads and writes,
//             a cas that fails is an A that only reads.
//   uniproc   acyclic(po-loc + rf + co + fr), per cell.
//   global    acyclic(ppo + fences + rfe + co + fr), where ppo is po without
//               SC    nothing
//               TSO   W -> R
//               PSO   W -> R, and W -> W and W -> A of another cell.
//             So what follows an A is always after it, and an A is after everything before it on TSO but only
//             after what is ordered with a store to its cell on PSO.
//   fences    each kind orders the events of its first kind before it with those of its second kind after
//             it; an A is both a load and a store.
//
// What is answered: final states of programs without atomic sections, without sync and without loops that do
// not end by themselves; errors too. An execution that fails is one in which the failing thread stops
// there. The others may be taken to run on as far as they can (to their end, to an assume that does not hold,
// or to an error of their own): nothing blocks them, and stores always reach memory in the end. So no
// prefixes need to be enumerated. Such programs cannot deadlock, for the same reason.
#pragma once

#include <array>

#include "flat.h"
#include "outcomes_of.h"

namespace fenceline::fuzz {

// The answers for the models whose bit is set in `models` (1 << Model). Precondition: no atomic sections and
// no sync.
std::array<Answer, kModels> axiomatic_answers(const FlatProgram& program, unsigned models);

}  // namespace fenceline::fuzz
