// SPDX-License-Identifier: GPL-3.0-or-later
//
// RISC-V. Events have the tags of the herd tools' models: Acq, Rel, AcqRel on both events of an amo,
// which are also tagged X and AMO; fences are Fence.rw.w and the like. Load-reserved and store-conditional
// are rejected.
#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "frontend/litmus/risc.h"

namespace fenceline::frontend::litmus {
namespace {

// By number.
constexpr std::array<std::string_view, 32> kAbiNames = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

bool cut_suffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

class RiscV : public RiscArchitecture {
 public:
  std::optional<RegisterName> parse(std::string_view name) const override {
    auto number = numbered(name, "x", 32);
    for (uint32_t i = 0; !number && i < kAbiNames.size(); ++i)
      if (name == kAbiNames[i]) number = i;
    if (!number) return std::nullopt;
    const std::string key = fmt::format("x{}", *number);
    return RegisterName{key, key, *number};
  }

 protected:
  bool is_zero(const std::string& key) const override { return key == "x0"; }

  bool read(const std::string& name) override {
    return access(name) || arithmetic_instruction(name) || control(name) || fence(name) ||
           read_modify_write(name) || reject_known(name);
  }

 private:
  // The annotation at the end of the name is cut off.
  static Strength strength_of(std::string& name) {
    const bool both = cut_suffix(name, ".aqrl") || cut_suffix(name, ".aq.rl");
    const bool release = !both && cut_suffix(name, ".rl");
    const bool acquire = !both && cut_suffix(name, ".aq");
    if (both) return {MemoryOrder::kAcqRel, {"AcqRel"}, {"AcqRel"}};
    if (acquire) return {MemoryOrder::kAcquire, {"Acq"}, {"Acq"}};
    if (release) return {MemoryOrder::kRelease, {"Rel"}, {"Rel"}};
    return {};
  }

  bool access(const std::string& full_name) {
    std::string name = full_name;
    const Strength strength = strength_of(name);
    const uint8_t bytes = name == "ld" || name == "sd" ? 8 : 4;
    if (name == "lw" || name == "ld" || name == "lwu") {
      const RegId dest = destination();
      comma();
      const ExprId at = offset_and_base();
      const bool with_zeros = name == "lwu";  // memory keeps the sign
      const RegId loaded = with_zeros ? code().temp() : dest;
      code().load(loaded, at, bytes, pos(), strength);
      if (with_zeros) code().assign(dest, program().wrap(program().reg(loaded), -32), pos());
      return true;
    }
    if (name == "sw" || name == "sd") {
      const ExprId value = source();
      comma();
      const ExprId at = offset_and_base();
      code().store(at, value, bytes, pos(), strength);
      return true;
    }
    return false;
  }

  bool arithmetic_instruction(const std::string& name) {
    static const std::map<std::string_view, ExprOp> kOperators = {
        {"add", ExprOp::kAdd},  {"addi", ExprOp::kAdd},  {"addw", ExprOp::kAdd},   {"addiw", ExprOp::kAdd},
        {"sub", ExprOp::kSub},  {"subw", ExprOp::kSub},  {"and", ExprOp::kBitAnd}, {"andi", ExprOp::kBitAnd},
        {"or", ExprOp::kBitOr}, {"ori", ExprOp::kBitOr}, {"xor", ExprOp::kBitXor}, {"xori", ExprOp::kBitXor},
        {"slt", ExprOp::kLt},   {"slti", ExprOp::kLt},
    };
    if (const auto found = kOperators.find(name); found != kOperators.end())
      return arithmetic(found->second, name.back() == 'w' ? 32 : 0);
    if (name != "li" && name != "mv") return false;
    const RegId dest = destination();
    comma();
    code().assign(dest, name == "li" ? number() : source(), pos());
    return true;
  }

  bool control(const std::string& name) {
    static const std::map<std::string_view, ExprOp> kBranches = {
        {"beq", ExprOp::kEq}, {"bne", ExprOp::kNe}, {"blt", ExprOp::kLt},
        {"bge", ExprOp::kGe}, {"ble", ExprOp::kLe}, {"bgt", ExprOp::kGt},
    };
    if (name == "j") {
      code().jump(label(), pos());
      return true;
    }
    const bool with_zero = name.size() == 4 && name.back() == 'z';
    const auto found =
        kBranches.find(with_zero ? std::string_view(name).substr(0, 3) : std::string_view(name));
    if (found == kBranches.end()) return false;
    const ExprId first = source();
    comma();
    ExprId second = constant(0);
    if (!with_zero) {
      second = source();
      comma();
    }
    branch_if(binary(found->second, first, second));
    return true;
  }

  // "r", "w", "rw", with the letters of devices beside them, which mean nothing to memory.
  std::string accesses() {
    const Token token = cell_->expect_name("r, w or rw");
    std::string kept;
    for (const char c : lower_case(token.text)) {
      if (c == 'r' || c == 'w')
        kept += c;
      else if (c != 'i' && c != 'o')
        cell_->fail(token.pos, fmt::format("expected r, w or rw, found {}", describe(token)));
    }
    if (kept != "r" && kept != "w" && kept != "rw")
      cell_->fail(token.pos, fmt::format("expected r, w or rw, found {}", describe(token)));
    return kept;
  }

  bool fence(const std::string& name) {
    if (name == "fence.i") {
      code().fence(FenceKinds(), pos(), {"Fence.i"});
      return true;
    }
    if (name == "fence.tso") {
      code().fence(FenceKinds::load_load() | FenceKinds::load_store() | FenceKinds::store_store(), pos(),
                   {"Fence.tso"});
      return true;
    }
    if (name != "fence") return false;
    std::string before = "rw", after = "rw";
    if (!cell_->done()) {
      before = accesses();
      comma();
      after = accesses();
    }
    const auto has = [](const std::string& set, char c) { return set.find(c) != std::string::npos; };
    FenceKinds kinds;
    if (has(before, 'r') && has(after, 'r')) kinds = kinds | FenceKinds::load_load();
    if (has(before, 'r') && has(after, 'w')) kinds = kinds | FenceKinds::load_store();
    if (has(before, 'w') && has(after, 'r')) kinds = kinds | FenceKinds::store_load();
    if (has(before, 'w') && has(after, 'w')) kinds = kinds | FenceKinds::store_store();
    code().fence(kinds, pos(), {fmt::format("Fence.{}.{}", before, after)});
    return true;
  }

  // amoadd.w.aq.rl x5,x6,(x7)
  bool read_modify_write(const std::string& full_name) {
    static const std::map<std::string_view, ExprOp> kOperators = {
        {"amoadd", ExprOp::kAdd},
        {"amoor", ExprOp::kBitOr},
        {"amoand", ExprOp::kBitAnd},
        {"amoxor", ExprOp::kBitXor},
    };
    std::string name = full_name;
    Strength strength = strength_of(name);
    const uint8_t bytes = name.ends_with(".d") ? 8 : 4;
    if (!cut_suffix(name, ".w") && !cut_suffix(name, ".d")) return false;
    const auto found = kOperators.find(name);
    if (found == kOperators.end() && name != "amoswap") return false;
    for (const char* tag : {"X", "AMO"}) {
      strength.tags.emplace_back(tag);
      strength.write_tags.emplace_back(tag);
    }
    const RegId dest = destination();
    comma();
    const ExprId operand = source();
    comma();
    const ExprId at = offset_and_base();
    if (found == kOperators.end())
      code().rmw(RmwOp::kXchg, dest, at, operand, ExprId(), bytes, pos(), strength);
    else
      code().fetch(found->second, dest, at, operand, bytes, pos(), strength);
    return true;
  }

  bool reject_known(const std::string& name) {
    if (name.starts_with("lr.") || name.starts_with("sc."))
      reject(*cell_, token_, "load-reserved and store-conditional are not supported; use amoswap or amoadd");
    for (const std::string_view narrow : {"lb", "lbu", "lh", "lhu", "sb", "sh"})
      if (name == narrow) reject(*cell_, token_, "all accesses are of 32 or 64 bits here");
    return false;
  }
};

}  // namespace

std::unique_ptr<Architecture> make_riscv() { return std::make_unique<RiscV>(); }

}  // namespace fenceline::frontend::litmus
