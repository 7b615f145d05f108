// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs in C: one function per thread, whose parameters are pointers to the locations.
#pragma once

#include "frontend/litmus/code.h"
#include "frontend/litmus/sections.h"

namespace fenceline::frontend::litmus {

// Local variables: every name is one.
class CVariables : public Registers {
 public:
  std::optional<RegisterName> parse(std::string_view name) const override {
    return RegisterName{std::string(name), std::string(name), 0};
  }
};

// All functions, up to the final condition.
void read_c(Lexer& lexer, TestCode& test);

}  // namespace fenceline::frontend::litmus
