// SPDX-License-Identifier: GPL-3.0-or-later
//
// POWER. Fences are tagged SYNC, LWSYNC, EIEIO and ISYNC, as in the herd tools' models. The last one
// orders nothing by itself; models use it behind a branch. Reservations are rejected.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "frontend/litmus/risc.h"

namespace fenceline::frontend::litmus {
namespace {

class Ppc : public RiscArchitecture {
 public:
  std::optional<RegisterName> parse(std::string_view name) const override {
    const auto number = numbered(lower_case(name), "r", 32);
    if (!number) return std::nullopt;
    const std::string key = fmt::format("r{}", *number);
    return RegisterName{key, key, *number};
  }

 protected:
  bool read(const std::string& name) override {
    return access(name) || arithmetic_instruction(name) || control(name) || fence(name) || reject_known(name);
  }

 private:
  // "r1,r2": the sum of two registers; r0 as the first one is zero.
  ExprId indexed() {
    const Token first = cell_->peek();
    ExprId base = source();
    if (lower_case(first.text) == "r0") base = constant(0);
    comma();
    const ExprId index = source();
    return program().constant_value(base) == Value{0} ? index : binary(ExprOp::kAdd, base, index);
  }

  bool access(const std::string& name) {
    const bool loads = name == "lwz" || name == "lwzx" || name == "ld" || name == "ldx";
    const bool stores = name == "stw" || name == "stwx" || name == "std" || name == "stdx";
    if (!loads && !stores) return false;
    const bool with_index = name.back() == 'x';
    const uint8_t bytes = name.starts_with("ld") || name.starts_with("std") ? 8 : 4;
    if (loads) {
      const RegId dest = destination();
      comma();
      const ExprId at = with_index ? indexed() : offset_and_base();
      code().load(dest, at, bytes, pos());
    } else {
      const ExprId value = source();
      comma();
      const ExprId at = with_index ? indexed() : offset_and_base();
      code().store(at, value, bytes, pos());
    }
    return true;
  }

  bool arithmetic_instruction(const std::string& name) {
    static const std::map<std::string_view, ExprOp> kOperators = {
        {"add", ExprOp::kAdd},   {"addi", ExprOp::kAdd},   {"sub", ExprOp::kSub},
        {"subi", ExprOp::kSub},  {"and", ExprOp::kBitAnd}, {"or", ExprOp::kBitOr},
        {"ori", ExprOp::kBitOr}, {"xor", ExprOp::kBitXor}, {"xori", ExprOp::kBitXor},
    };
    if (const auto found = kOperators.find(name); found != kOperators.end()) return arithmetic(found->second);
    if (name == "mullw") {  // of the low words, which have signs; the product has 64 bits
      const RegId dest = destination();
      comma();
      const ExprId first = wrap(source(), 32);
      comma();
      code().assign(dest, binary(ExprOp::kMul, first, wrap(source(), 32)), pos());
      return true;
    }
    if (name == "xor." || name == "and." || name == "or." || name == "add." || name == "andi.") {
      // The dot: the result is compared with zero.
      const RegId dest = destination();
      comma();
      const ExprId first = source();
      comma();
      const ExprOp op = name == "andi." ? ExprOp::kBitAnd
                                        : kOperators.at(std::string_view(name).substr(0, name.size() - 1));
      code().assign(dest, binary(op, first, reg_or_number()), pos());
      compare(program().reg(dest), constant(0));
      return true;
    }
    if (name == "li" || name == "mr") {
      const RegId dest = destination();
      comma();
      code().assign(dest, name == "li" ? number() : source(), pos());
      return true;
    }
    if (name == "cmpw" || name == "cmpwi" || name == "cmpd" || name == "cmpdi") {
      if (lower_case(cell_->peek().text) == "cr0") {
        cell_->take();
        comma();
      }
      const int width = name.starts_with("cmpw") ? 32 : 0;
      const ExprId first = wrap(source(), width);
      comma();
      compare(first, wrap(reg_or_number(), width));
      return true;
    }
    return false;
  }

  bool control(const std::string& name) {
    if (name == "b") {
      code().jump(label(), pos());
      return true;
    }
    if (name.size() != 3 || name[0] != 'b') return false;
    const auto condition = holds(std::string_view(name).substr(1));
    if (!condition) return false;
    branch_if(*condition);
    return true;
  }

  bool fence(const std::string& name) {
    static const std::map<std::string_view, FenceKinds> kFences = {
        {"sync", FenceKinds::full()},
        {"lwsync", FenceKinds::load_load() | FenceKinds::load_store() | FenceKinds::store_store()},
        {"eieio", FenceKinds::store_store()},
        {"isync", FenceKinds()},
    };
    const auto found = kFences.find(name);
    if (found == kFences.end()) return false;
    code().fence(found->second, pos(), {upper_case(name)});
    return true;
  }

  bool reject_known(const std::string& name) {
    if (name == "lwarx" || name == "ldarx" || name.starts_with("stwcx") || name.starts_with("stdcx"))
      reject(*cell_, token_, "reservations are not supported");
    for (const std::string_view narrow : {"lbz", "lhz", "stb", "sth", "lbzx", "lhzx", "stbx", "sthx"})
      if (name == narrow) reject(*cell_, token_, "all accesses are of 32 or 64 bits here");
    return false;
  }
};

}  // namespace

std::unique_ptr<Architecture> make_ppc() { return std::make_unique<Ppc>(); }

}  // namespace fenceline::frontend::litmus
