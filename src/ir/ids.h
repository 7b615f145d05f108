// SPDX-License-Identifier: GPL-3.0-or-later
//
// The names of things in a program. All are dense indices; see the vectors of Program and Thread.
#pragma once

#include "base/ids.h"

namespace fenceline {

using ThreadId = Id<struct ThreadTag>;  // Program::threads
using ObjectId = Id<struct ObjectTag>;  // Program::objects
using CellId = Id<struct CellTag>;  // one memory location: object + offset, numbered over the whole program
using RegId = Id<struct RegTag>;    // Thread::registers, local to the thread
using ExprId = Id<struct ExprTag>;  // Program::exprs
using Point = Id<struct PointTag>;  // Thread::code: a program point is the instruction to execute next

// A register as seen from outside its thread.
struct ThreadReg {
  ThreadId thread;
  RegId reg;
};

}  // namespace fenceline
