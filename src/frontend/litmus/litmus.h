// SPDX-License-Identifier: GPL-3.0-or-later
//
// Litmus tests in the format of the herd tools: an architecture, initial values, a few instructions per
// thread side by side, and a condition on the final state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/source.h"
#include "ir/program.h"

namespace fenceline::frontend {

enum class LitmusArch : uint8_t { kX86, kC, kAArch64, kRiscV, kPpc };
std::string_view to_string(LitmusArch arch);  // as result blocks and messages name it

// The model a test is meant for, when the user names none: "x86tso", "rc11", "armv8", "riscv", "power".
std::string_view default_model(LitmusArch arch);

enum class Quantifier : uint8_t { kExists, kNotExists, kForall };

// One thing whose final value is part of the states that are printed: "0:EAX", "[x]".
struct Observable {
  std::string name;
  ExprId value;  // a property expression (kThreadReg, kCell) of the program
};

struct LitmusTest {
  std::string name;
  LitmusArch arch = LitmusArch::kX86;
  Quantifier quantifier = Quantifier::kExists;
  ExprId condition;            // a property expression of the program
  std::string condition_text;  // as result blocks print it: "(0:EAX=0 /\ 1:EAX=0)"
  std::string hash;            // if the test has one
  // What is printed of a state: what the condition and `locations` name, in herd's order.
  std::vector<Observable> observables;
  // Values that represent the address of a location are printed as its name.
  std::vector<std::pair<Value, std::string>> addresses;
  // One thread per column, "P0", "P1", ...; one object per location, or one for all if locations can hold
  // addresses. It has one property, `finally`, the negation of what should not happen: for `exists
  // c` and `~exists c` that is !c, for `forall c` it is c.
  Program program;
};

// Throws InputError with the position of an error or of what is not supported (by name: the instruction, the
// macro).
LitmusTest parse_litmus(SourceFile source);

// Reads the header only. Throws InputError.
LitmusArch litmus_architecture(const SourceFile& source);

// For `fenceline check`: the program with its property.
Program parse_litmus_program(SourceFile source);

}  // namespace fenceline::frontend
