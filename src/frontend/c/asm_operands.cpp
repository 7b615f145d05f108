// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/asm_operands.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// ---- Names of registers ----

struct X86Name {
  const char *whole, *dword, *word, *low, *high;
};
constexpr std::array<X86Name, 8> kX86 = {{{"RAX", "EAX", "AX", "AL", "AH"},
                                          {"RBX", "EBX", "BX", "BL", "BH"},
                                          {"RCX", "ECX", "CX", "CL", "CH"},
                                          {"RDX", "EDX", "DX", "DL", "DH"},
                                          {"RSI", "ESI", "SI", "SIL", nullptr},
                                          {"RDI", "EDI", "DI", "DIL", nullptr},
                                          {"RBP", "EBP", "BP", "BPL", nullptr},
                                          {"RSP", "ESP", "SP", "SPL", nullptr}}};

// "R8", and a letter behind it: the numbered registers of x86.
bool is_numbered_x86(std::string_view name) {
  if (!name.starts_with("R")) return false;
  name.remove_prefix(1);
  if (name.ends_with("D") || name.ends_with("W") || name.ends_with("B")) name.remove_suffix(1);
  const auto which = number(name);
  return which && *which >= 8 && *which <= 15;
}

std::string whole_x86(const std::string& name) {
  for (const X86Name& one : kX86)
    for (const char* part : {one.whole, one.dword, one.word, one.low, one.high})
      if (part != nullptr && name == part) return one.whole;
  if (!is_numbered_x86(name)) return "";
  return name.substr(0, name.find_first_not_of("0123456789", 1));
}

std::string whole_aarch64(const std::string& name) {
  if (name == "FP") return "X29";
  if (name == "LR") return "X30";
  if (name == "XZR" || name == "WZR") return "XZR";
  if (name == "SP" || name == "WSP") return "SP";
  if (!name.starts_with("X") && !name.starts_with("W") && !name.starts_with("R")) return "";
  const auto which = number(std::string_view(name).substr(1));
  return which && *which <= 30 ? fmt::format("X{}", *which) : "";
}

std::string whole_riscv(const std::string& name) {
  static const std::map<std::string_view, unsigned> kNames = {
      {"ZERO", 0}, {"RA", 1},  {"SP", 2},  {"GP", 3},  {"TP", 4},  {"T0", 5},  {"T1", 6},
      {"T2", 7},   {"S0", 8},  {"FP", 8},  {"S1", 9},  {"A0", 10}, {"A1", 11}, {"A2", 12},
      {"A3", 13},  {"A4", 14}, {"A5", 15}, {"A6", 16}, {"A7", 17}, {"S2", 18}, {"S3", 19},
      {"S4", 20},  {"S5", 21}, {"S6", 22}, {"S7", 23}, {"S8", 24}, {"S9", 25}, {"S10", 26},
      {"S11", 27}, {"T3", 28}, {"T4", 29}, {"T5", 30}, {"T6", 31}};
  if (const auto found = kNames.find(name); found != kNames.end()) return fmt::format("X{}", found->second);
  const auto which = name.starts_with("X") ? number(std::string_view(name).substr(1)) : std::nullopt;
  return which && *which <= 31 ? name : "";
}

// LLVM calls the halves R3 and the whole registers X3; ZERO is what register 0 means in an address.
std::string whole_power(const std::string& name) {
  if (name == "ZERO" || name == "ZERO8") return "ZERO";
  const std::string_view digits =
      name.starts_with("R") || name.starts_with("X") ? std::string_view(name).substr(1) : name;
  const auto which = number(digits);
  return which && *which <= 31 ? fmt::format("R{}", *which) : "";
}

// ---- What each processor writes ----

// The registers for operands that leave the choice.
std::vector<std::string> free_registers(AsmTarget target) {
  const auto range = [](const char* letter, unsigned first, unsigned last) {
    std::vector<std::string> names;
    for (unsigned i = first; i <= last; ++i) names.push_back(fmt::format("{}{}", letter, i));
    return names;
  };
  switch (target) {
    case AsmTarget::kX86: {
      std::vector<std::string> names = range("R", 8, 15);
      for (const char* other : {"RSI", "RDI", "RDX", "RCX", "RBX", "RAX"}) names.emplace_back(other);
      return names;
    }
    case AsmTarget::kAArch64:
      return range("X", 0, 28);
    case AsmTarget::kRiscV:
      return range("X", 5, 31);
    case AsmTarget::kPower:
      return range("R", 3, 30);
    case AsmTarget::kSparc:
      return {};
  }
  throw Bug("a processor without registers");
}

std::string x86_name(const std::string& whole, unsigned bits, bool high) {
  for (const X86Name& one : kX86) {
    if (whole != one.whole) continue;
    const char* part = high         ? one.high
                       : bits == 64 ? one.whole
                       : bits == 32 ? one.dword
                       : bits == 16 ? one.word
                                    : one.low;
    if (part == nullptr) throw AsmUnsupported("the high byte of a register that has none");
    return "%" + lower(part);
  }
  if (high) throw AsmUnsupported("the high byte of a register that has none");
  return "%" + lower(whole) + (bits == 64 ? "" : bits == 32 ? "d" : bits == 16 ? "w" : "b");
}

// "r", "m", "i": what an operand may be. The first kind that the reader can provide counts.
enum class Kind : uint8_t { kRegister, kMemory, kImmediate };

struct Constraint {
  Kind kind;
  std::string reg;         // the only one that is allowed
  std::string condition;   // "=@ccz"
  bool low_four = false;   // x86 `Q`: one of a, b, c, d
  bool immediate = false;  // may be a constant, too
};

bool is_memory_code(AsmTarget target, const std::string& code) {
  if (code == "m" || code == "o" || code == "V") return true;
  if (target == AsmTarget::kAArch64) return code == "Q" || code == "Ump";
  if (target == AsmTarget::kRiscV) return code == "A";
  if (target == AsmTarget::kPower) return code == "Z" || code == "es" || code == "Q";
  return false;
}

bool is_register_code(AsmTarget target, const std::string& code) {
  if (code == "r" || code == "g" || code == "X") return true;
  if (target == AsmTarget::kX86) return code == "q" || code == "Q" || code == "R" || code == "l";
  if (target == AsmTarget::kPower) return code == "b";
  return false;
}

Constraint constraint_of(AsmTarget target, const llvm::InlineAsm::ConstraintInfo& info, bool indirect) {
  std::vector<std::string> codes = info.Codes;
  if (info.isMultipleAlternative && !info.multipleAlternatives.empty())
    codes = info.multipleAlternatives.front().Codes;
  const auto any = [&](const auto& test) { return std::any_of(codes.begin(), codes.end(), test); };
  for (const std::string& code : codes) {
    if (!code.starts_with("{")) continue;
    const std::string name = code.substr(1, code.size() - 2);
    if (name.starts_with("@cc")) return {Kind::kRegister, "", name.substr(3)};
    const std::string whole = whole_register(target, name);
    if (whole.empty()) throw AsmUnsupported(fmt::format("an operand in the register '{}'", name));
    return {Kind::kRegister, whole, ""};
  }
  const bool memory = any([&](const std::string& code) { return is_memory_code(target, code); });
  if (indirect && memory) return {Kind::kMemory, "", ""};
  const bool constant = any([&](const std::string& code) {
    return !is_register_code(target, code) && !is_memory_code(target, code);
  });
  if (any([&](const std::string& code) { return is_register_code(target, code); })) {
    const bool four = target == AsmTarget::kX86 && std::find(codes.begin(), codes.end(), "Q") != codes.end();
    return {Kind::kRegister, "", "", four, constant};
  }
  if (memory) return {Kind::kMemory, "", ""};
  return {Kind::kImmediate, "", "", false, true};
}

// ---- Binding ----

class Binder {
 public:
  Binder(AsmTarget target, const llvm::CallBase& call)
      : target_(target),
        call_(call),
        code_(*llvm::cast<llvm::InlineAsm>(call.getCalledOperand())),
        infos_(code_.ParseConstraints()) {}

  AsmOperands bind() {
    classify();
    for (Operand& one : operands_)
      if (one.constraint.kind != Kind::kImmediate && one.reg.empty() && !one.tied &&
          one.constraint.condition.empty())
        one.reg = take(one.constraint.low_four || uses_high_byte(one));
    for (Operand& one : operands_)
      if (one.tied) {
        if (*one.tied >= operands_.size() || operands_[*one.tied].constraint.kind == Kind::kMemory)
          throw AsmUnsupported("an operand that is tied to one in memory");
        one.reg = operands_[*one.tied].reg;
      }
    for (const Operand& one : operands_) record(one);
    result_.text = substituted();
    return std::move(result_);
  }

 private:
  struct Operand {
    Constraint constraint;
    bool output = false, indirect = false;
    std::optional<unsigned> argument, tied;
    llvm::Type* type = nullptr;
    std::string reg;
    size_t index = 0;
  };

  llvm::Type* result_type(unsigned index) const {
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(call_.getType()))
      return structure->getElementType(index);
    return call_.getType();
  }

  void classify() {
    unsigned results = 0, arguments = 0;
    for (const auto& info : infos_) {
      if (info.Type == llvm::InlineAsm::isLabel) throw AsmUnsupported("asm goto");
      if (info.Type == llvm::InlineAsm::isClobber) {
        if (info.Codes.empty()) continue;
        const std::string& code = info.Codes.front();
        const std::string name = code.substr(1, code.size() - 2);
        // The letters of x86's flags and the like are no registers.
        if (const std::string whole = whole_register(target_, name); !whole.empty()) {
          used_.insert(whole);
          result_.writable.insert(whole);
        }
        continue;
      }
      Operand one;
      one.index = operands_.size();
      one.output = info.Type == llvm::InlineAsm::isOutput;
      one.indirect = info.isIndirect;
      if (one.output && !one.indirect)
        one.type = result_type(results++);
      else
        one.argument = arguments++;
      if (one.argument)
        one.type = one.indirect ? call_.getParamElementType(*one.argument)
                                : call_.getArgOperand(*one.argument)->getType();
      if (!one.output && !info.Codes.empty())
        if (const auto which = number(info.Codes.front())) one.tied = *which;
      if (!one.tied) one.constraint = constraint_of(target_, info, one.indirect);
      one.reg = one.constraint.reg;
      // A register that is both, an output and another input, is one register.
      if (!one.reg.empty()) used_.insert(one.reg);
      require_scalar(one);
      operands_.push_back(std::move(one));
    }
  }

  void require_scalar(const Operand& one) const {
    if (one.constraint.kind == Kind::kMemory) return;
    const llvm::Type* type = one.type;
    if (type != nullptr && (type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)))
      return;
    throw AsmUnsupported(
        fmt::format("\"{}\": an operand that is neither an integer of at most 64 bits nor a pointer",
                    code_.getAsmString()));
  }

  std::string take(bool low_four) {
    for (const std::string& name : free_registers(target_)) {
      if (used_.contains(name)) continue;
      if (low_four && name != "RAX" && name != "RBX" && name != "RCX" && name != "RDX") continue;
      used_.insert(name);
      return name;
    }
    throw AsmUnsupported(fmt::format("\"{}\": too many operands", code_.getAsmString()));
  }

  bool uses_high_byte(const Operand& one) const {
    return target_ == AsmTarget::kX86 &&
           std::string_view(code_.getAsmString()).find(fmt::format("${{{}:h}}", one.index)) !=
               std::string_view::npos;
  }

  void record(const Operand& one) {
    const bool memory = one.constraint.kind == Kind::kMemory;
    if (one.output && !memory) {
      result_.writable.insert(one.reg);
      result_.outputs.push_back(
          {one.reg, one.constraint.condition, one.type, one.indirect ? one.argument : std::nullopt});
      return;
    }
    if (one.constraint.kind != Kind::kImmediate) result_.inputs.push_back({one.reg, *one.argument});
  }

  // ---- The text ----

  const llvm::ConstantInt* constant(const Operand& one) const {
    if (!one.argument || one.indirect) return nullptr;
    return llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(*one.argument));
  }

  unsigned bits_of(const Operand& one) const {
    return one.type->isPointerTy() ? 64 : std::max(8U, one.type->getIntegerBitWidth());
  }

  std::string memory_text(const std::string& reg, char modifier) const {
    switch (target_) {
      case AsmTarget::kX86:
        return (modifier == 'H' ? "8(" : "(") + x86_name(reg, 64, false) + ")";
      case AsmTarget::kAArch64:
        return "[" + lower(reg) + "]";
      case AsmTarget::kRiscV:
        return "0(" + lower(reg) + ")";
      case AsmTarget::kPower:
        return modifier == 'y' ? "0, " + reg.substr(1) : "0(" + reg.substr(1) + ")";
      case AsmTarget::kSparc:
        break;
    }
    throw AsmUnsupported("memory operands for this processor");
  }

  std::string register_text(const Operand& one, char modifier) const {
    const std::string& reg = one.reg;
    if (modifier == 'a') return memory_text(reg, 0);
    switch (target_) {
      case AsmTarget::kX86:
        switch (modifier) {
          case 'b':
            return x86_name(reg, 8, false);
          case 'h':
            return x86_name(reg, 8, true);
          case 'w':
            return x86_name(reg, 16, false);
          case 'k':
            return x86_name(reg, 32, false);
          case 'q':
            return x86_name(reg, 64, false);
          case 0:
            return x86_name(reg, bits_of(one), false);
          default:
            break;
        }
        break;
      case AsmTarget::kAArch64:
        if (modifier == 'w') return "w" + reg.substr(1);
        if (modifier == 'x' || modifier == 0) return "x" + reg.substr(1);
        break;
      case AsmTarget::kRiscV:
        if (modifier == 'z' || modifier == 0) return lower(reg);
        if (modifier == 'i') return "";
        break;
      case AsmTarget::kPower:
        if (modifier == 0) return reg.substr(1);
        if (modifier == 'I') return "";
        break;
      case AsmTarget::kSparc:
        break;
    }
    throw AsmUnsupported(fmt::format("\"{}\": the operand modifier '{}'", code_.getAsmString(), modifier));
  }

  std::string immediate_text(const Operand& one, char modifier) const {
    const llvm::ConstantInt* value = constant(one);
    if (value == nullptr)
      throw AsmUnsupported(
          fmt::format("\"{}\": an immediate operand that is not a constant", code_.getAsmString()));
    const int64_t number = modifier == 'n' ? -value->getSExtValue() : value->getSExtValue();
    if (target_ == AsmTarget::kRiscV && modifier == 'z' && number == 0) return "zero";
    if (modifier == 'i' || modifier == 'I') return "i";
    const bool bare = modifier == 'c' || modifier == 'P' || modifier == 'p' || modifier == 'n';
    const char* mark = bare                             ? ""
                       : target_ == AsmTarget::kX86     ? "$"
                       : target_ == AsmTarget::kAArch64 ? "#"
                                                        : "";
    return mark + std::to_string(number);
  }

  std::string operand_text(unsigned index, char modifier) const {
    if (index >= operands_.size()) throw AsmUnsupported("an operand that does not exist");
    const Operand& one = operands_[index];
    // PowerPC's marks of an address that is updated or indexed: this one is neither.
    if (target_ == AsmTarget::kPower && (modifier == 'U' || modifier == 'X')) return "";
    const Kind kind = one.tied ? Kind::kRegister : one.constraint.kind;
    switch (kind) {
      case Kind::kRegister:
        if (!one.constraint.condition.empty()) throw AsmUnsupported("a flag as an operand of an instruction");
        return register_text(one, modifier);
      case Kind::kMemory:
        return memory_text(one.reg, modifier);
      case Kind::kImmediate:
        return immediate_text(one, modifier);
    }
    throw Bug("a kind of operand that does not exist");
  }

  // LLVM's form of the text: $0, ${0:w}, ${:uid}, $$ for a dollar, $( | $) for dialects.
  std::string substituted() const {
    const std::string_view text = code_.getAsmString();
    const unsigned dialect = code_.getDialect() == llvm::InlineAsm::AD_Intel ? 1 : 0;
    std::string result;
    std::optional<unsigned> variant;  // which part of an alternative this is
    for (size_t i = 0; i < text.size(); ++i) {
      const auto put = [&](std::string_view piece) {
        if (!variant || *variant == dialect) result += piece;
      };
      if (text[i] != '$') {
        put(text.substr(i, 1));
        continue;
      }
      const char next = i + 1 < text.size() ? text[i + 1] : '$';
      ++i;
      if (next == '$') {
        put("$");
      } else if (next == '(') {
        variant = 0;
      } else if (next == '|') {
        variant = variant ? std::optional(*variant + 1) : std::nullopt;
      } else if (next == ')') {
        variant = std::nullopt;
      } else if (next == '{') {
        const size_t end = text.find('}', i);
        if (end == std::string_view::npos) throw AsmUnsupported("a text that ends inside of an operand");
        put(named(text.substr(i + 1, end - i - 1)));
        i = end;
      } else {
        const size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
        put(named(text.substr(i, end - i)));
        i = end - 1;
      }
    }
    return result;
  }

  // What is in braces: "0", "0:w", ":uid".
  std::string named(std::string_view inside) const {
    const size_t colon = inside.find(':');
    const std::string_view modifier = colon == std::string_view::npos ? "" : inside.substr(colon + 1);
    if (colon == 0) {
      if (modifier == "uid") return "0";
      if (modifier == "private") return ".L";
      if (modifier == "comment") return "#";
      throw AsmUnsupported(fmt::format("'{}' in the text", modifier));
    }
    const auto index = number(inside.substr(0, colon));
    if (!index || modifier.size() > 1) throw AsmUnsupported(fmt::format("the operand '{}'", inside));
    return operand_text(*index, modifier.empty() ? '\0' : modifier.front());
  }

  AsmTarget target_;
  const llvm::CallBase& call_;
  const llvm::InlineAsm& code_;
  llvm::InlineAsm::ConstraintInfoVector infos_;
  std::vector<Operand> operands_;
  std::set<std::string> used_;
  AsmOperands result_;
};

}  // namespace

std::string whole_register(AsmTarget target, std::string_view name) {
  const std::string spelled = upper(name);
  switch (target) {
    case AsmTarget::kX86:
      return whole_x86(spelled);
    case AsmTarget::kAArch64:
      return whole_aarch64(spelled);
    case AsmTarget::kRiscV:
      return whole_riscv(spelled);
    case AsmTarget::kPower:
      return whole_power(spelled);
    case AsmTarget::kSparc:
      return "";
  }
  throw Bug("a processor without registers");
}

RegisterPart register_part(AsmTarget target, std::string_view name) {
  if (target == AsmTarget::kAArch64) return {name.starts_with("W") ? 32U : 64U, 0};
  if (target != AsmTarget::kX86) return {};
  for (const X86Name& one : kX86) {
    if (name == one.dword) return {32, 0};
    if (name == one.word) return {16, 0};
    if (name == one.low) return {8, 0};
    if (one.high != nullptr && name == one.high) return {8, 8};
  }
  if (is_numbered_x86(name)) {
    if (name.ends_with("D")) return {32, 0};
    if (name.ends_with("W")) return {16, 0};
    if (name.ends_with("B")) return {8, 0};
  }
  return {};
}

AsmOperands bind_operands(AsmTarget target, const llvm::CallBase& call) {
  return Binder(target, call).bind();
}

}  // namespace fenceline::frontend::c
