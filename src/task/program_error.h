// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run-time error of the program under test, as data. The checkers fill it in; to_string() is the sentence
// for users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/numbers.h"
#include "ir/program.h"

namespace fenceline {

struct ProgramError {
  enum class Kind : uint8_t {
    kNone,
    kAssertion,  // its condition is 0; `name` is its text, if it has one
    kDivisionByZero,
    kShift,         // by `value`, which is negative
    kRange,         // `name` would be `value`, which is outside of `range`
    kIndex,         // `value` is outside of `range`, the indices of the array `name`
    kNullPointer,   // dereferenced
    kNoObject,      // at the address `value`
    kAlignment,     // the address `value` is not a multiple of `bytes`
    kBeyondObject,  // `bytes` at the address `value` are not all inside of an object
    // Limitations of Fenceline, which are no errors of the program:
    kInsideValue,  // an access to `bytes` inside of a value, or between two
    kPartOfValue,  // an access to `bytes` where there is a value of `cell_bytes`
  };

  Kind kind = Kind::kNone;
  std::string name = {};
  std::optional<Value> value = {};  // none: a certificate may represent several
  std::optional<Range> range = {};
  unsigned bytes = 0, cell_bytes = 0;
  bool our_limit = false;    // an assertion, or one of the last two, that is a limitation of Fenceline
  SourcePos assertion = {};  // kAssertion: Instruction::assertion

  bool none() const { return kind == Kind::kNone; }
};

// "division by zero", "index 3 is outside a[0..2]". Empty if there is none.
std::string to_string(const ProgramError& error);

}  // namespace fenceline
