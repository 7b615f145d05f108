// SPDX-License-Identifier: GPL-3.0-or-later
#include "task/program_error.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "env/errors.h"

namespace fenceline {
namespace {

std::string address(const ProgramError& error) {
  return error.value ? fmt::format("the address {}", *error.value) : "the address";
}

std::string outside(const ProgramError& error) {
  const std::string what = error.value ? fmt::format("index {}", *error.value) : "an index";
  if (!error.range) return what + " is outside its array";
  const std::string indices = fmt::format("{}..{}", error.range->lo, error.range->hi);
  return error.name.empty() ? fmt::format("{} is outside {}", what, indices)
                            : fmt::format("{} is outside {}[{}]", what, error.name, indices);
}

std::string out_of_range(const ProgramError& error) {
  std::string text = error.value ? fmt::format("{} = {} is outside its range", error.name, *error.value)
                                 : fmt::format("{} is outside its range", error.name);
  if (error.range) text += fmt::format(" {}..{}", error.range->lo, error.range->hi);
  return text;
}

}  // namespace

std::string to_string(const ProgramError& error) {
  switch (error.kind) {
    case ProgramError::Kind::kNone:
      return "";
    case ProgramError::Kind::kAssertion:
      return error.name.empty() ? "the assertion fails" : error.name;
    case ProgramError::Kind::kDivisionByZero:
      return "division by zero";
    case ProgramError::Kind::kShift:
      return error.value ? fmt::format("shift by {}", *error.value) : "a shift by less than zero";
    case ProgramError::Kind::kRange:
      return out_of_range(error);
    case ProgramError::Kind::kIndex:
      return outside(error);
    case ProgramError::Kind::kNullPointer:
      return "a null pointer is dereferenced";
    case ProgramError::Kind::kNoObject:
      return "nothing is at " + address(error);
    case ProgramError::Kind::kAlignment:
      return fmt::format("{} is not a multiple of {}, as it has to be for {} bytes", address(error),
                         error.bytes, error.bytes);
    case ProgramError::Kind::kBeyondObject:
      return fmt::format("{} at {} reach beyond the object", counted(error.bytes, "byte"), address(error));
    case ProgramError::Kind::kInsideValue:
      return fmt::format("Fenceline does not support an access to {} inside of a value, or between two",
                         counted(error.bytes, "byte"));
    case ProgramError::Kind::kPartOfValue:
      return fmt::format("Fenceline does not support an access to {} where there is a value of {}",
                         counted(error.bytes, "byte"), error.cell_bytes);
  }
  throw Bug("an error without a text");
}

}  // namespace fenceline
