// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program as text: to show the output of a front end, and for tests. The form
// is complete but for the text of the source file, and ir/text/parser.h reads it back.
//
//   source "peterson.fl"
//   object flag array = 0, 0 @2:12
//   object turn in 0..1 = 0 @2:30
//   thread #0 "P[0]" entry 0 @4:1 {
//     reg r = 0
//     temp $1 "%0" = 0
//     0: store flag[0] = 1 @6:5 -> 1
//     1: load $1 = flag[1] acquire @8:12 -> 2
//     2: branch ($1 == 1) @8:5 -> 1, 3
//     3: mark "cs" @9:3 -> 4
//     4: halt @4:1
//   }
//   property "mutex" never (#0@3 && P1@3) @13:1
//
// Something is referred to by its name if that is an identifier and unique among its kind, otherwise by its
// number: object &0, thread #0, register $0. `$2..$4[e]` is element e of the local array in registers 2 to 4;
// `object[e]:4` is an access of 4 bytes, `bytes 4, 0` says how many each cell has. `operation 3` is the third
// call of an operation in its thread. `thread.register`, `thread@point` and `object[e]` occur in properties.
// `(e as s32)` and `(e as u32)` are what a type of 32 bits leaves of e, `ult` and `ule` compare as unsigned
// numbers. `@line:column` is a source position, `@line:column:2` one in the second file of those that follow
// the source as `include`.
#pragma once

#include <string>

#include "ir/program.h"

namespace fenceline {

// Precondition: the program passes ir/verify.
// Postcondition: parse_program() makes an equal program of it, but for source.text and where its
// statements end, the numbering of expressions, and expressions that nothing uses.
std::string print_program(const Program& program);

// One expression or instruction as it is written there, for messages and tests. `thread` says whose registers are
// meant, and does not matter for formulas of properties.
std::string print_expr(const Program& program, ThreadId thread, ExprId id);
std::string print_instruction(const Program& program, ThreadId thread, Point point);

}  // namespace fenceline
