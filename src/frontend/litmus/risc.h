// SPDX-License-Identifier: GPL-3.0-or-later
//
// What AArch64, RISC-V and POWER have in common: three-operand instructions on registers, separate loads and
// stores, and a register or constant that is always zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/litmus/assembly.h"

namespace fenceline::frontend::litmus {

class RiscArchitecture : public Architecture {
 public:
  void instruction(Cell& cell, AssemblyThread& thread) final;

 protected:
  // The instruction called `name`, in lower case, is what is read now. False: there is none of that name.
  virtual bool read(const std::string& name) = 0;
  // Does the key name the register that is always zero?
  virtual bool is_zero(const std::string& /*key*/) const { return false; }

  // Operands. Each throws InputError if something else is there.
  RegId destination();  // writes to the zero register are lost; sets width_
  ExprId source();      // the value of a register
  ExprId reg_or_number();
  ExprId number();
  void comma() { cell_->expect(",", "','"); }
  LabelId label();
  ExprId offset_and_base();  // "4(r1)"
  bool at_register() const;

  // dest = first op second, where the second may be a number; `width` as of kWrap, 0: all 64 bits
  bool arithmetic(ExprOp op, int width = 0);
  ExprId wrap(ExprId value, int width) { return width != 0 ? program().wrap(value, width) : value; }

  // Comparisons keep the difference, conditional branches look at its sign. What is compared has all its
  // bits.
  void compare(ExprId x, ExprId y);
  // Flags are set from this result: a mathematical number, which is zero to `eq` and `ne` if `zero` is.
  void set_flags(ExprId result, ExprId zero);
  static constexpr unsigned kSeparateZero = 1;              // of flags_used(): some results overflow to zero
  std::optional<ExprId> holds(std::string_view condition);  // "eq", "ne", "lt", "le", "gt", "ge"
  void branch_if(ExprId condition);                         // to the label that is read now

  ProgramBuilder& program() { return cell_->program(); }
  ThreadCode& code() { return thread_->code; }
  SourcePos pos() const { return token_.pos; }
  ExprId constant(Value value) { return program().constant(value); }
  ExprId binary(ExprOp op, ExprId x, ExprId y) { return program().binary(op, x, y); }

  // Of the instruction that is being read.
  AssemblyThread* thread_ = nullptr;
  Cell* cell_ = nullptr;
  Token token_;
  uint8_t width_ = 0;  // RegisterName::bits of the register read last
};

// "r12" -> 12 if `prefix` is "r" and the number is below `end`.
std::optional<uint32_t> numbered(std::string_view name, std::string_view prefix, uint32_t end);

}  // namespace fenceline::frontend::litmus
