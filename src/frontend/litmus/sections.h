// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of a litmus test that are the same for all architectures: the header, the initial state, and the
// condition on the final one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/litmus/code.h"
#include "frontend/litmus/lexer.h"
#include "frontend/litmus/litmus.h"

namespace fenceline::frontend::litmus {

// A register as users name it. Several names may denote one register (eax, rax).
struct RegisterName {
  std::string key;      // the register
  std::string display;  // as result blocks print it
  uint32_t order = 0;   // among the registers of a thread in result blocks; then by `display`
  uint8_t bits = 0;     // the name is that of so many low bits; 0: of all 64
  bool whole = false;   // the register has no others, and its values have signs
};

// What an architecture calls a register; nothing for other words.
class Registers {
 public:
  virtual ~Registers() = default;
  virtual std::optional<RegisterName> parse(std::string_view name) const = 0;

  // Of the name behind a '%': a register if it is one, else a name that the test has made up for one.
  virtual std::optional<RegisterName> parse_symbolic(std::string_view name) const {
    if (auto known = parse(name)) return known;
    constexpr uint32_t kBehindAllOthers = 1000;
    const std::string made_up = "%" + std::string(name);
    return RegisterName{made_up, made_up, kBehindAllOthers};
  }
};

struct Header {
  LitmusArch arch = LitmusArch::kX86;
  bool source_first = false;  // X86_64: the operands of instructions are in the order of AT&T
  std::string name;
  std::string hash;   // of the test, if a line has it
  size_t offset = 0;  // where the initial state begins, at its brace
  SourcePos pos;      // likewise
};

Header read_header(const SourceFile& file);

// "{ ... }"
void read_initial_state(Lexer& lexer, const Registers& registers, TestCode& test);

// Does a section behind the program begin here?
bool at_final_condition(const Token& token);

// "locations [...] exists (...)" to the end of the file. Fills in everything of `result` that depends on it.
// Precondition: test.emit() has been called.
void read_final_condition(Lexer& lexer, const Registers& registers, TestCode& test, LitmusTest& result);

}  // namespace fenceline::frontend::litmus
