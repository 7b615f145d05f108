// SPDX-License-Identifier: GPL-3.0-or-later
//
// X86 and X86_64. The two dialects differ in the order of operands: X86 tests have the destination first
// ("MOV [x],$1"), X86_64 tests the source ("movl $1,(x)"), for instructions that read one operand and change
// the other. In X86 registers and addresses have 32 bits; a register holds a number with its sign. In X86_64
// registers have 64 bits, EAX names the low half of RAX, and what writes it clears the other half. An
// instruction has the size that its name says, else that of its registers, else 32 bits.
//
// Locked instructions, and XCHG with memory, order all accesses before with all after: a full fence, the
// read-modify-write, a full fence. What the IR has no rmw for is a load and a store in one atomic section; of
// cmpxchg see code.h. Of the flags is kept what conditions test: the sign that the result would have
// without a size (l, ge, le, g), whether it is zero, and the sign that it has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "frontend/litmus/assembly.h"

namespace fenceline::frontend::litmus {
namespace {

// What conditional instructions look at, and the bits of flags_used() for them.
constexpr const char* kLess = "%less";  // negative if the result without a size is
constexpr const char* kZero = "%zero";
constexpr const char* kSign = "%sign";
constexpr unsigned kTestsLess = 1, kTestsZero = 2, kTestsSign = 4;

struct FlagCondition {
  std::string_view name;
  ExprOp op;  // with zero
  unsigned tests;
};
constexpr std::array kFlagConditions = {
    FlagCondition{"e", ExprOp::kEq, kTestsZero},
    FlagCondition{"z", ExprOp::kEq, kTestsZero},
    FlagCondition{"ne", ExprOp::kNe, kTestsZero},
    FlagCondition{"nz", ExprOp::kNe, kTestsZero},
    FlagCondition{"l", ExprOp::kLt, kTestsLess},
    FlagCondition{"lt", ExprOp::kLt, kTestsLess},
    FlagCondition{"ge", ExprOp::kGe, kTestsLess},
    FlagCondition{"le", ExprOp::kLe, kTestsLess | kTestsZero},
    FlagCondition{"g", ExprOp::kGt, kTestsLess | kTestsZero},
    FlagCondition{"gt", ExprOp::kGt, kTestsLess | kTestsZero},
    FlagCondition{"s", ExprOp::kLt, kTestsSign},
    FlagCondition{"ns", ExprOp::kGe, kTestsSign},
};

const FlagCondition* find_condition(std::string_view name) {
  const auto* found = std::find_if(kFlagConditions.begin(), kFlagConditions.end(),
                                   [name](const FlagCondition& known) { return known.name == name; });
  return found == kFlagConditions.end() ? nullptr : found;
}

// What models call accesses of locked instructions.
const Strength kLocked{MemoryOrder::kPlain, {"X", "LK"}, {"X", "LK"}};

constexpr std::array<std::string_view, 8> kOldRegisters = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};

struct Operand {
  enum What : uint8_t { kRegister, kImmediate, kMemory } what = kImmediate;
  std::string key;   // kRegister
  uint8_t bits = 0;  // kRegister: as it is named
  ExprId value;      // kImmediate; kMemory: the address
  SourcePos pos;
};

class X86 : public Architecture {
 public:
  explicit X86(bool source_first) : source_first_(source_first) {}

  std::optional<RegisterName> parse(std::string_view name) const override {
    const std::string lower = lower_case(name);
    const bool wide = lower.size() == 3 && lower[0] == 'r';
    if (lower.size() == 3 && (lower[0] == 'e' || (wide && source_first_)))
      for (size_t i = 0; i < kOldRegisters.size(); ++i)
        if (lower.substr(1) == kOldRegisters[i])
          return named((source_first_ ? "r" : "e") + std::string(kOldRegisters[i]), lower,
                       static_cast<uint32_t>(i), wide ? 64 : 32);
    if (lower.size() < 2 || lower[0] != 'r' || !source_first_) return std::nullopt;
    const bool half = lower.back() == 'd';
    const std::string number = half ? lower.substr(1, lower.size() - 2) : lower.substr(1);
    for (uint32_t i = 8; i < 16; ++i)
      if (number == std::to_string(i)) return named("r" + number, lower, i, half ? 32 : 64);
    return std::nullopt;
  }

  // All registers are written with a '%' in X86_64, so that a name without it is most likely a mistake.
  std::optional<RegisterName> parse_symbolic(std::string_view name) const override { return parse(name); }

  unsigned flags_used(std::string_view word) const override {
    for (const std::string_view prefix : {"j", "cmov", "set"})
      if (word.starts_with(prefix))
        if (const FlagCondition* condition = find_condition(word.substr(prefix.size())))
          return condition->tests;
    return 0;
  }

  void instruction(Cell& cell, AssemblyThread& thread) override {
    thread_ = &thread;
    cell_ = &cell;
    locked_ = false;
    token_ = cell.take();
    if (lower_case(token_.text) == "lock") {
      locked_ = true;
      token_ = cell.expect_name("an instruction behind 'lock'");
    }
    const std::string name = mnemonic();
    if (!locked_ && (jump(name) || fence(name))) return;
    const bool done =
        name == "mov" ? !locked_ && move() : two_operands(name) || one_operand(name) || conditional(name);
    if (!done)
      cell.fail(token_.pos, fmt::format("{}{} is not supported", locked_ ? "lock " : "", describe(token_)),
                locked_ ? "lock goes with add, sub, and, or, xor, inc, dec, neg, not, xadd, cmpxchg and xchg"
                        : "docs/litmus.md lists the instructions there are");
  }

 private:
  RegisterName named(const std::string& key, const std::string& lower, uint32_t order, int bits) const {
    if (source_first_) return {key, lower, order, static_cast<uint8_t>(bits == 64 ? 0 : bits)};
    return {upper_case(key), upper_case(lower), order, 32, true};
  }
  std::string accumulator() const { return source_first_ ? "rax" : "EAX"; }

  ProgramBuilder& program() { return cell_->program(); }
  ThreadCode& code() { return thread_->code; }

  // The name without its size, which is kept.
  std::string mnemonic() {
    bits_ = 0;
    static constexpr std::string_view kSized[] = {"mov",  "add",     "sub",  "and", "or",
                                                  "xor",  "cmp",     "test", "inc", "dec",
                                                  "xchg", "cmpxchg", "neg",  "not", "xadd"};
    std::string name = lower_case(token_.text);
    for (const std::string_view base : kSized) {
      if (name.size() != base.size() + 1 || !name.starts_with(base)) continue;
      if (name.back() == 'q' && !source_first_)
        reject(*cell_, token_, "X86 has registers of 32 bits; X86_64 has those of 64");
      if (name.back() == 'l' || name.back() == 'q') {
        bits_ = name.back() == 'l' ? 32 : 64;
        return std::string(base);
      }
      if (name.back() == 'b' || name.back() == 'w')
        reject(*cell_, token_, "all accesses are of 32 or 64 bits here");
    }
    return name;
  }

  // ------------------------------------------------------------------------------------------- operands

  Operand operand() {
    const Token first = cell_->peek();
    Operand result;
    result.pos = first.pos;
    const bool number = first.kind == Tok::kNumber || first.is("$") || first.is("-");
    if (number) {
      const bool dollar = first.is("$");
      const Value value = cell_->expect_number("a number");
      result.value = program().constant(value);
      if (!source_first_) result.value = program().wrap(result.value, 32);
      if (!dollar && (cell_->peek().is("(") || cell_->peek().is("["))) {
        result.what = Operand::kMemory;
        result.value = program().binary(ExprOp::kAdd, bracketed(), result.value);
      }
      return result;
    }
    if (first.is("[") || first.is("(")) {
      result.what = Operand::kMemory;
      result.value = bracketed();
      return result;
    }
    const bool percent = cell_->accept("%");
    if (!percent && first.kind == Tok::kName && !parse(first.text) && cell_->peek(1).is("(")) {
      cell_->take();  // x(%rip)
      result.what = Operand::kMemory;
      result.value = cell_->test().address(cell_->test().location(first.text, first.pos));
      cell_->expect("(", "'('");
      cell_->accept("%");
      if (lower_case(cell_->peek().text) != "rip") cell_->fail_expected("'%rip'");
      cell_->take();
      cell_->expect(")", "')'");
      return result;
    }
    if (cell_->peek().kind != Tok::kName || !parse(cell_->peek().text))
      cell_->fail_expected("a register, a number or a location in brackets");
    result.what = Operand::kRegister;
    const RegisterName name = expect_register(*cell_);
    result.key = name.key;
    result.bits = name.bits == 0 ? 64 : name.bits;
    return result;
  }

  // All operands of the instruction are read: its size is known.
  void sized_by(const Operand& operand) {
    if (operand.what != Operand::kRegister) return;
    if (bits_ == 0) bits_ = operand.bits;
    if (bits_ != operand.bits)
      cell_->fail(operand.pos, fmt::format("this register has not {} bits, as the instruction has", bits_));
  }
  void sized_by(const Operand& first, const Operand& second) {
    sized_by(first);
    sized_by(second);
    if (bits_ == 0) bits_ = 32;
  }
  uint8_t bytes() const { return static_cast<uint8_t>((bits_ == 0 ? 32 : bits_) / 8); }
  // In X86 all registers, numbers and values in memory are numbers of 32 bits with a sign, and what comes of
  // them bit by bit is one too.
  bool has_32_bits(ExprId value) {
    if (source_first_) return false;
    const Expr& e = program().expr(value);
    if (e.op == ExprOp::kReg || e.op == ExprOp::kConst) return true;
    const bool bitwise = e.op == ExprOp::kBitAnd || e.op == ExprOp::kBitOr || e.op == ExprOp::kBitXor;
    return bitwise && has_32_bits(e.a) && has_32_bits(e.b);
  }
  // As a register keeps it; as a number with a sign.
  ExprId written(ExprId value) {
    if (bits_ == 64 || has_32_bits(value)) return value;
    return program().wrap(value, source_first_ ? -32 : 32);
  }
  ExprId with_sign(ExprId value) {
    return bits_ == 64 || has_32_bits(value) ? value : program().wrap(value, 32);
  }
  void assign(const Operand& dest, ExprId value) {
    code().assign(code().reg(dest.key), written(value), token_.pos);
  }

  // "[x]", "(%rax)", "[eax+4]", "(%rax,%rbx,8)": an address.
  ExprId bracketed() {
    const bool square = cell_->take().is("[");
    ExprId address = term();
    if (cell_->accept(",")) {
      ExprId index = term();
      if (cell_->accept(","))
        index = program().binary(ExprOp::kMul, index, program().constant(cell_->expect_number("a scale")));
      address = program().binary(ExprOp::kAdd, address, index);
    }
    while (cell_->accept("+")) address = program().binary(ExprOp::kAdd, address, term());
    if (!cell_->accept(square ? "]" : ")")) cell_->fail_expected(square ? "']'" : "')'");
    return address;
  }

  ExprId term() {
    if (cell_->peek().kind == Tok::kNumber) return program().constant(cell_->expect_number("a number"));
    const bool percent = cell_->accept("%");
    const Token name = cell_->expect_name("a location or a register");
    if (const auto reg = parse(name.text)) {
      const ExprId all = code().value(reg->key);
      return reg->bits == 0 || reg->whole ? all : program().wrap(all, -32);
    }
    if (percent) cell_->fail(name.pos, fmt::format("{} is not a register", describe(name)));
    return cell_->test().address(cell_->test().location(name.text, name.pos));
  }

  struct Pair {
    Operand dest, source;
  };
  Pair pair() {
    Operand first = operand();
    cell_->expect(",", "','");
    Operand second = operand();
    if (source_first_) std::swap(first, second);
    if (first.what == Operand::kImmediate)
      cell_->fail(first.pos, "a number cannot be changed",
                  source_first_ ? "X86_64 tests have the destination last: movl $1,(x)"
                                : "X86 tests have the destination first: MOV [x],$1");
    if (first.what == Operand::kMemory && second.what == Operand::kMemory)
      cell_->fail(second.pos, "only one operand can be in memory");
    sized_by(first, second);
    return {first, second};
  }

  // The value of the operand; one in memory is loaded.
  ExprId value(const Operand& operand) {
    if (operand.what == Operand::kRegister) return code().value(operand.key);
    if (operand.what == Operand::kImmediate) return operand.value;
    const RegId loaded = code().temp();
    code().load(loaded, operand.value, bytes(), token_.pos);
    return program().reg(loaded);
  }

  // From the result of an operation on two operands.
  void set_flags(ExprOp op, ExprId left, ExprId right) {
    const unsigned tested = thread_->flags;
    if (tested == 0) return;
    const ExprId whole = program().binary(op, with_sign(left), with_sign(right));
    // A difference is zero if the two are equal. Sums may overflow to zero.
    const ExprId zero = op == ExprOp::kAdd ? with_sign(whole) : whole;
    if (tested & kTestsLess) code().assign(code().reg(kLess), whole, token_.pos);
    if (tested & kTestsZero) code().assign(code().reg(kZero), zero, token_.pos);
    if (tested & kTestsSign) code().assign(code().reg(kSign), with_sign(whole), token_.pos);
  }

  // --------------------------------------------------------------------------------------- instructions

  bool fence(const std::string& name) {
    if (name == "mfence")
      code().fence(FenceKinds::full(), token_.pos, {"MFENCE"});
    else if (name == "sfence")
      code().fence(FenceKinds::store_store(), token_.pos, {"SFENCE"});
    else if (name == "lfence")
      code().fence(FenceKinds::load_load() | FenceKinds::load_store(), token_.pos, {"LFENCE"});
    else
      return false;
    return true;
  }

  bool jump(const std::string& name) {
    if (!name.starts_with("j")) return false;
    std::optional<ExprId> condition;
    if (name != "jmp") condition = holds(name.substr(1));
    const Token target = cell_->expect_name("a label");
    if (condition)
      code().branch(*condition, thread_->label(target), token_.pos);
    else
      code().jump(thread_->label(target), token_.pos);
    return true;
  }

  // "e", "ne", ...: what the flags say.
  ExprId holds(const std::string& name) {
    const FlagCondition* condition = find_condition(name);
    if (condition == nullptr) reject(*cell_, token_, "the carry and overflow flags are not kept");
    const ExprId nothing = program().constant(0);
    if (condition->tests != (kTestsLess | kTestsZero)) {
      const char* flag = condition->tests == kTestsLess   ? kLess
                         : condition->tests == kTestsZero ? kZero
                                                          : kSign;
      return program().binary(condition->op, code().value(flag), nothing);
    }
    const ExprId less = program().binary(ExprOp::kLt, code().value(kLess), nothing);
    const ExprId zero = program().binary(ExprOp::kEq, code().value(kZero), nothing);
    const ExprId either = program().binary(ExprOp::kOr, less, zero);
    return condition->op == ExprOp::kLe ? either : program().unary(ExprOp::kNot, either);
  }

  bool conditional(const std::string& name) {
    if (locked_) return false;
    if (name.starts_with("cmov")) {
      const auto [dest, source] = pair();
      if (dest.what != Operand::kRegister) cell_->fail(dest.pos, "expected a register as destination");
      const ExprId moved = value(source);
      assign(dest, program().select(holds(name.substr(4)), moved, code().value(dest.key)));
      return true;
    }
    if (!name.starts_with("set")) return false;
    const Operand dest = operand();
    const ExprId truth = holds(name.substr(3));
    if (dest.what == Operand::kMemory)
      reject(*cell_, token_, "all accesses are of 32 or 64 bits here");
    else if (dest.what == Operand::kRegister)
      code().assign(code().reg(dest.key), truth, token_.pos);
    else
      cell_->fail(dest.pos, "a number cannot be changed");
    return true;
  }

  bool move() {
    const auto [dest, source] = pair();
    if (dest.what == Operand::kMemory)
      code().store(dest.value, value(source), bytes(), token_.pos);
    else if (source.what == Operand::kMemory)
      code().load(code().reg(dest.key), source.value, bytes(), token_.pos);
    else
      assign(dest, value(source));
    return true;
  }

  bool two_operands(const std::string& name) {
    static const std::map<std::string, ExprOp, std::less<>> kOperators = {
        {"add", ExprOp::kAdd},  {"sub", ExprOp::kSub},    {"and", ExprOp::kBitAnd},
        {"or", ExprOp::kBitOr}, {"xor", ExprOp::kBitXor},
    };
    if (const auto found = kOperators.find(name); found != kOperators.end()) {
      const auto [dest, source] = pair();
      change(dest, found->second, value(source));
      return true;
    }
    if ((name == "cmp" || name == "test") && !locked_) {
      compare(name == "cmp" ? ExprOp::kSub : ExprOp::kBitAnd);
      return true;
    }
    if (name == "xchg") {
      exchange();
      return true;
    }
    if (name != "xadd" && name != "cmpxchg") return false;
    // One operand is in memory or a register, the other is a register; both orders are understood.
    Operand dest = operand();
    cell_->expect(",", "','");
    Operand other = operand();
    if (other.what == Operand::kMemory || (source_first_ && dest.what != Operand::kMemory))
      std::swap(dest, other);
    if (other.what != Operand::kRegister) cell_->fail(other.pos, "expected a register");
    if (dest.what == Operand::kImmediate) cell_->fail(dest.pos, "a number cannot be changed");
    if (locked_ && dest.what != Operand::kMemory) cell_->fail(dest.pos, "lock needs an operand in memory");
    sized_by(dest, other);
    if (name == "xadd")
      exchange_and_add(dest, other);
    else
      compare_and_exchange(dest, other);
    return true;
  }

  bool one_operand(const std::string& name) {
    if (name != "inc" && name != "dec" && name != "neg" && name != "not") return false;
    const Operand dest = operand();
    if (dest.what == Operand::kImmediate) cell_->fail(dest.pos, "a number cannot be changed");
    sized_by(dest, dest);
    if (name == "inc" || name == "dec") {
      change(dest, ExprOp::kAdd, program().constant(name == "inc" ? 1 : -1));
    } else if (name == "not") {
      change(dest, ExprOp::kBitXor, program().constant(-1), false);
    } else if (dest.what == Operand::kRegister) {
      set_flags(ExprOp::kSub, program().constant(0), code().value(dest.key));
      assign(dest, program().unary(ExprOp::kNeg, code().value(dest.key)));
    } else {
      reject(*cell_, token_, "neg is there for registers only");
    }
    return true;
  }

  // dest = op(dest, operand)
  void change(const Operand& dest, ExprOp op, ExprId operand, bool flags = true) {
    if (dest.what == Operand::kRegister) {
      if (locked_) cell_->fail(dest.pos, "lock needs an operand in memory");
      if (flags) set_flags(op, code().value(dest.key), operand);
      assign(dest, program().binary(op, code().value(dest.key), operand));
      return;
    }
    RegId old = code().temp();
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      if (thread_->flags == 0) old = RegId();
      const bool subtracts = op == ExprOp::kSub;
      code().fetch(subtracts ? ExprOp::kAdd : op, old, dest.value,
                   subtracts ? program().unary(ExprOp::kNeg, operand) : operand, bytes(), token_.pos,
                   kLocked);
      code().fence(FenceKinds::full(), token_.pos);
    } else {
      code().load(old, dest.value, bytes(), token_.pos);
      code().store(dest.value, program().binary(op, program().reg(old), operand), bytes(), token_.pos);
    }
    if (flags && thread_->flags != 0) set_flags(op, program().reg(old), operand);
  }

  void compare(ExprOp op) {
    Operand first = operand();
    cell_->expect(",", "','");
    Operand second = operand();
    if (first.what == Operand::kMemory && second.what == Operand::kMemory)
      cell_->fail(second.pos, "only one operand can be in memory");
    if (source_first_) std::swap(first, second);
    sized_by(first, second);
    const ExprId left = value(first);
    const ExprId right = value(second);
    set_flags(op, left, right);
  }

  void exchange() {
    Operand first = operand();
    cell_->expect(",", "','");
    Operand second = operand();
    if (first.what == Operand::kRegister) std::swap(first, second);
    if (first.what == Operand::kImmediate || second.what != Operand::kRegister)
      cell_->fail(token_.pos, "xchg takes a register and a register or a location in brackets");
    sized_by(first, second);
    if (first.what == Operand::kMemory) {
      code().fence(FenceKinds::full(), token_.pos);
      code().rmw(RmwOp::kXchg, code().reg(second.key), first.value, code().value(second.key), ExprId(),
                 bytes(), token_.pos, kLocked);
      code().fence(FenceKinds::full(), token_.pos);
      return;
    }
    if (locked_) cell_->fail(first.pos, "lock needs an operand in memory");
    const RegId kept = code().temp();
    code().assign(kept, code().value(first.key), token_.pos);
    assign(first, code().value(second.key));
    assign(second, program().reg(kept));
  }

  // other, dest = dest, dest + other
  void exchange_and_add(const Operand& dest, const Operand& other) {
    const RegId old = code().temp();
    const ExprId added = code().value(other.key);
    const ExprId sum = program().binary(ExprOp::kAdd, program().reg(old), added);
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      code().rmw(RmwOp::kFetchAdd, old, dest.value, added, ExprId(), bytes(), token_.pos, kLocked);
      code().fence(FenceKinds::full(), token_.pos);
    } else if (dest.what == Operand::kMemory) {
      code().load(old, dest.value, bytes(), token_.pos);
      code().store(dest.value, sum, bytes(), token_.pos);
    } else {
      code().assign(old, code().value(dest.key), token_.pos);
      assign(dest, sum);
    }
    set_flags(ExprOp::kAdd, program().reg(old), added);
    assign(other, program().reg(old));
  }

  // If dest is what the accumulator holds, dest = other; else the accumulator = dest.
  void compare_and_exchange(const Operand& dest, const Operand& other) {
    const RegId old = code().temp();
    const ExprId expected = code().value(accumulator());
    const ExprId same = program().binary(ExprOp::kEq, with_sign(program().reg(old)), with_sign(expected));
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      code().compare_and_swap(old, RegId(), dest.value, expected, code().value(other.key), bytes(),
                              token_.pos, {kLocked, kLocked, {}});
      code().fence(FenceKinds::full(), token_.pos);
    } else if (dest.what == Operand::kMemory) {
      const LabelId differs = code().label();
      code().load(old, dest.value, bytes(), token_.pos);
      code().branch(program().unary(ExprOp::kNot, same), differs, token_.pos);
      code().store(dest.value, code().value(other.key), bytes(), token_.pos);
      code().bind(differs, token_.pos);
    } else {
      code().assign(old, code().value(dest.key), token_.pos);
      assign(dest, program().select(same, code().value(other.key), code().value(dest.key)));
    }
    set_flags(ExprOp::kSub, expected, program().reg(old));
    const ExprId found = written(program().reg(old));
    const bool keeps_half = source_first_ && bits_ == 32;  // of the accumulator, if they are the same
    code().assign(code().reg(accumulator()), keeps_half ? program().select(same, expected, found) : found,
                  token_.pos);
  }

  bool source_first_;
  // Of the instruction that is being read.
  AssemblyThread* thread_ = nullptr;
  Cell* cell_ = nullptr;
  Token token_;
  bool locked_ = false;
  uint8_t bits_ = 0;  // 32 or 64; 0: not known yet
};

}  // namespace

std::unique_ptr<Architecture> make_x86(bool source_first) { return std::make_unique<X86>(source_first); }

}  // namespace fenceline::frontend::litmus
