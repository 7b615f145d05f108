// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the exploration needs of a model, decided on the terms of the model alone, so that it holds for models that users
// write as well:
//
//   prefix-closed   an allowed graph stays allowed when an event is removed that nothing follows in po | rf;
//   extensible      it stays allowed when an event is added maximally: a write as the last one of its cell, a read from
//                   the last write, a read-modify-write as both at once;
//   no load buffering   po | rf has no cycle in any allowed execution. Without it the exploration finds the executions
//                   that have none, and those that have one are left to the SAT engine.
//
// The new events R and W and a node for all old events O are evaluated with the terms of the model: which pairs can a
// term gain? An acyclic relation stays acyclic if none of the new pairs connects two old events, not both some lead to a
// new event and some back to old ones, and the new events have no cycle among themselves.
#pragma once

#include <string>

#include "model/cat/relational.h"

namespace fenceline::executions {

// Empty if the model is prefix-closed and extensible; else which of its constraints may not be.
std::string unsuitable_constraint(const CatModel& model);

}  // namespace fenceline::executions
