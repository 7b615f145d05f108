// SPDX-License-Identifier: GPL-3.0-or-later
//
// X86 and X86_64. The two dialects differ in the order of operands: X86 tests have the destination first
// ("MOV [x],$1"), X86_64 tests the source ("movl $1,(x)"), for instructions that read one operand and change
// the other. Everything else is one language here: sizes of 32 and 64 bits are not told apart.
//
// Locked instructions, and XCHG with memory, order all accesses before with all after: a full fence, the
// read-modify-write, a full fence. What the IR has no rmw for is a load and a store in one atomic section; of
// cmpxchg see code.h. Of the flags, the result they were set from is kept: zero and sign are all that is
// asked of them.
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "frontend/litmus/assembly.h"

namespace fenceline::litmus {
namespace {

constexpr const char* kFlags = "%flags";

// What models call accesses of locked instructions.
const Strength kLocked{MemoryOrder::kPlain, {"X", "LK"}, {"X", "LK"}};

constexpr std::array<std::string_view, 8> kOldRegisters = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};

struct Operand {
  enum What : uint8_t { kRegister, kImmediate, kMemory } what = kImmediate;
  std::string key;  // kRegister
  ExprId value;     // kImmediate; kMemory: the address
  SourcePos pos;
};

class X86 : public Architecture {
 public:
  explicit X86(bool source_first) : source_first_(source_first) {}

  std::optional<RegisterName> parse(std::string_view name) const override {
    const std::string lower = lower_case(name);
    const bool wide = lower.size() == 3 && lower[0] == 'r';
    if (lower.size() == 3 && (lower[0] == 'e' || wide))
      for (size_t i = 0; i < kOldRegisters.size(); ++i)
        if (lower.substr(1) == kOldRegisters[i])
          return named((source_first_ ? "r" : "e") + std::string(kOldRegisters[i]), lower,
                       static_cast<uint32_t>(i));
    if (lower.size() < 2 || lower[0] != 'r') return std::nullopt;
    const std::string number = lower.back() == 'd' ? lower.substr(1, lower.size() - 2) : lower.substr(1);
    for (uint32_t i = 8; i < 16; ++i)
      if (number == std::to_string(i)) return named("r" + number, lower, i);
    return std::nullopt;
  }

  // All registers are written with a '%' in X86_64, so that a name made up would be a slip of the hand.
  std::optional<RegisterName> parse_symbolic(std::string_view name) const override { return parse(name); }

  bool reads_flags(std::string_view name) const override {
    return (name.starts_with("j") && name != "jmp") || name.starts_with("cmov") || name.starts_with("set");
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
  RegisterName named(const std::string& key, const std::string& lower, uint32_t order) const {
    if (source_first_) return {key, lower, order};
    return {upper_case(key), upper_case(lower), order};
  }
  std::string accumulator() const { return source_first_ ? "rax" : "EAX"; }

  ProgramBuilder& program() { return cell_->program(); }
  ThreadCode& code() { return thread_->code; }

  // The name without its size.
  std::string mnemonic() {
    static constexpr std::string_view kSized[] = {"mov",  "add",     "sub",  "and", "or",
                                                  "xor",  "cmp",     "test", "inc", "dec",
                                                  "xchg", "cmpxchg", "neg",  "not", "xadd"};
    std::string name = lower_case(token_.text);
    for (const std::string_view base : kSized) {
      if (name.size() != base.size() + 1 || !name.starts_with(base)) continue;
      if (name.back() == 'l' || name.back() == 'q') return std::string(base);
      if (name.back() == 'b' || name.back() == 'w')
        refuse(*cell_, token_, "all accesses are of 32 or 64 bits here");
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
    result.key = expect_register(*cell_).key;
    return result;
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
    if (const auto reg = parse(name.text)) return code().value(reg->key);
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
    return {first, second};
  }

  // The value of the operand; one in memory is loaded.
  ExprId value(const Operand& operand) {
    if (operand.what == Operand::kRegister) return code().value(operand.key);
    if (operand.what == Operand::kImmediate) return operand.value;
    const RegId loaded = code().temp();
    code().load(loaded, operand.value, token_.pos);
    return program().reg(loaded);
  }

  void set_flags(ExprId result) {
    if (thread_->reads_flags) code().assign(code().reg(kFlags), result, token_.pos);
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
    static const std::map<std::string, ExprOp, std::less<>> kConditions = {
        {"e", ExprOp::kEq}, {"z", ExprOp::kEq},  {"ne", ExprOp::kNe}, {"nz", ExprOp::kNe},
        {"l", ExprOp::kLt}, {"lt", ExprOp::kLt}, {"s", ExprOp::kLt},  {"le", ExprOp::kLe},
        {"g", ExprOp::kGt}, {"gt", ExprOp::kGt}, {"ge", ExprOp::kGe}, {"ns", ExprOp::kGe},
    };
    const auto found = kConditions.find(name);
    if (found == kConditions.end()) refuse(*cell_, token_, "the carry and overflow flags are not kept");
    return program().binary(found->second, code().value(kFlags), program().constant(0));
  }

  bool conditional(const std::string& name) {
    if (locked_) return false;
    if (name.starts_with("cmov")) {
      const auto [dest, source] = pair();
      if (dest.what != Operand::kRegister) cell_->fail(dest.pos, "expected a register as destination");
      const ExprId moved = value(source);
      code().assign(code().reg(dest.key),
                    program().select(holds(name.substr(4)), moved, code().value(dest.key)), token_.pos);
      return true;
    }
    if (!name.starts_with("set")) return false;
    const Operand dest = operand();
    const ExprId truth = holds(name.substr(3));
    if (dest.what == Operand::kMemory)
      code().store(dest.value, truth, token_.pos);
    else if (dest.what == Operand::kRegister)
      code().assign(code().reg(dest.key), truth, token_.pos);
    else
      cell_->fail(dest.pos, "a number cannot be changed");
    return true;
  }

  bool move() {
    const auto [dest, source] = pair();
    if (dest.what == Operand::kMemory)
      code().store(dest.value, value(source), token_.pos);
    else if (source.what == Operand::kMemory)
      code().load(code().reg(dest.key), source.value, token_.pos);
    else
      code().assign(code().reg(dest.key), value(source), token_.pos);
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
    if (name == "inc" || name == "dec") {
      change(dest, ExprOp::kAdd, program().constant(name == "inc" ? 1 : -1));
    } else if (name == "not") {
      change(dest, ExprOp::kBitXor, program().constant(-1), false);
    } else if (dest.what == Operand::kRegister) {
      code().assign(code().reg(dest.key), program().unary(ExprOp::kNeg, code().value(dest.key)), token_.pos);
      set_flags(code().value(dest.key));
    } else {
      refuse(*cell_, token_, "neg is there for registers only");
    }
    return true;
  }

  // dest = op(dest, operand)
  void change(const Operand& dest, ExprOp op, ExprId operand, bool flags = true) {
    if (dest.what == Operand::kRegister) {
      if (locked_) cell_->fail(dest.pos, "lock needs an operand in memory");
      code().assign(code().reg(dest.key), program().binary(op, code().value(dest.key), operand), token_.pos);
      if (flags) set_flags(code().value(dest.key));
      return;
    }
    RegId old = code().temp();
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      if (!thread_->reads_flags) old = RegId();
      if (op == ExprOp::kAdd || op == ExprOp::kSub) {
        const ExprId added = op == ExprOp::kAdd ? operand : program().unary(ExprOp::kNeg, operand);
        code().rmw(RmwOp::kFetchAdd, old, dest.value, added, ExprId(), token_.pos, kLocked);
      } else {
        code().fetch(op, old, dest.value, operand, token_.pos, kLocked);
      }
      code().fence(FenceKinds::full(), token_.pos);
    } else {
      code().load(old, dest.value, token_.pos);
      code().store(dest.value, program().binary(op, program().reg(old), operand), token_.pos);
    }
    if (flags && thread_->reads_flags) set_flags(program().binary(op, program().reg(old), operand));
  }

  void compare(ExprOp op) {
    Operand first = operand();
    cell_->expect(",", "','");
    Operand second = operand();
    if (first.what == Operand::kMemory && second.what == Operand::kMemory)
      cell_->fail(second.pos, "only one operand can be in memory");
    if (source_first_) std::swap(first, second);
    const ExprId left = value(first);
    const ExprId right = value(second);
    set_flags(program().binary(op, left, right));
  }

  void exchange() {
    Operand first = operand();
    cell_->expect(",", "','");
    Operand second = operand();
    if (first.what == Operand::kRegister) std::swap(first, second);
    if (first.what == Operand::kImmediate || second.what != Operand::kRegister)
      cell_->fail(token_.pos, "xchg takes a register and a register or a location in brackets");
    if (first.what == Operand::kMemory) {
      code().fence(FenceKinds::full(), token_.pos);
      code().rmw(RmwOp::kXchg, code().reg(second.key), first.value, code().value(second.key), ExprId(),
                 token_.pos, kLocked);
      code().fence(FenceKinds::full(), token_.pos);
      return;
    }
    if (locked_) cell_->fail(first.pos, "lock needs an operand in memory");
    const RegId kept = code().temp();
    code().assign(kept, code().value(first.key), token_.pos);
    code().assign(code().reg(first.key), code().value(second.key), token_.pos);
    code().assign(code().reg(second.key), program().reg(kept), token_.pos);
  }

  // other, dest = dest, dest + other
  void exchange_and_add(const Operand& dest, const Operand& other) {
    const RegId old = code().temp();
    const ExprId sum = program().binary(ExprOp::kAdd, program().reg(old), code().value(other.key));
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      code().rmw(RmwOp::kFetchAdd, old, dest.value, code().value(other.key), ExprId(), token_.pos, kLocked);
      code().fence(FenceKinds::full(), token_.pos);
    } else if (dest.what == Operand::kMemory) {
      code().load(old, dest.value, token_.pos);
      code().store(dest.value, sum, token_.pos);
    } else {
      code().assign(old, code().value(dest.key), token_.pos);
      code().assign(code().reg(dest.key), sum, token_.pos);
    }
    set_flags(sum);
    code().assign(code().reg(other.key), program().reg(old), token_.pos);
  }

  // If dest is what the accumulator holds, dest = other; else the accumulator = dest.
  void compare_and_exchange(const Operand& dest, const Operand& other) {
    const RegId old = code().temp();
    const ExprId same = program().binary(ExprOp::kEq, program().reg(old), code().value(accumulator()));
    if (locked_) {
      code().fence(FenceKinds::full(), token_.pos);
      code().compare_and_swap(old, code().temp(), dest.value, code().value(accumulator()),
                              code().value(other.key), token_.pos, {kLocked, kLocked, {}});
      code().fence(FenceKinds::full(), token_.pos);
    } else if (dest.what == Operand::kMemory) {
      const LabelId differs = code().label();
      code().load(old, dest.value, token_.pos);
      code().branch(program().unary(ExprOp::kNot, same), differs, token_.pos);
      code().store(dest.value, code().value(other.key), token_.pos);
      code().place(differs, token_.pos);
    } else {
      code().assign(old, code().value(dest.key), token_.pos);
      code().assign(code().reg(dest.key),
                    program().select(same, code().value(other.key), code().value(dest.key)), token_.pos);
    }
    set_flags(program().binary(ExprOp::kSub, code().value(accumulator()), program().reg(old)));
    code().assign(code().reg(accumulator()), program().reg(old), token_.pos);
  }

  bool source_first_;
  // Of the instruction that is being read.
  AssemblyThread* thread_ = nullptr;
  Cell* cell_ = nullptr;
  Token token_;
  bool locked_ = false;
};

}  // namespace

std::unique_ptr<Architecture> make_x86(bool source_first) { return std::make_unique<X86>(source_first); }

}  // namespace fenceline::litmus
