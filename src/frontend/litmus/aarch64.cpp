// SPDX-License-Identifier: GPL-3.0-or-later
//
// AArch64. W and X registers are one register each, with X as its name; sizes are not told apart. Events are
// tagged as models of the herd tools know them: A (acquire), Q (weak acquire), L (release), DMB.SY and the
// like. Exclusive loads and stores are refused: what the IR has instead are whole read-modify-writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "frontend/litmus/risc.h"

namespace fenceline::litmus {
namespace {

const Strength kPlainAccess{};
const Strength kLoadAcquire{MemoryOrder::kAcquire, {"A"}, {}};
const Strength kLoadAcquirePc{MemoryOrder::kAcquire, {"Q"}, {}};
const Strength kStoreRelease{MemoryOrder::kRelease, {"L"}, {}};

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

class AArch64 : public RiscArchitecture {
 public:
  std::optional<RegisterName> parse(std::string_view name) const override {
    const std::string upper = upper_case(name);
    if (upper == "XZR" || upper == "WZR") return RegisterName{"XZR", "XZR", 31};
    auto number = numbered(upper, "X", 31);
    if (!number) number = numbered(upper, "W", 31);
    if (!number) return std::nullopt;
    const std::string key = fmt::format("X{}", *number);
    return RegisterName{key, key, *number};
  }

 protected:
  bool is_zero(const std::string& key) const override { return key == "XZR"; }

  bool read(const std::string& name) override {
    static const std::map<std::string_view, Strength> kLoads = {
        {"ldr", kPlainAccess}, {"ldur", kPlainAccess}, {"ldar", kLoadAcquire}, {"ldapr", kLoadAcquirePc}};
    static const std::map<std::string_view, Strength> kStores = {
        {"str", kPlainAccess}, {"stur", kPlainAccess}, {"stlr", kStoreRelease}};
    if (const auto found = kLoads.find(name); found != kLoads.end()) {
      const RegId dest = destination();
      comma();
      const ExprId at = address();
      code().load(dest, at, pos(), found->second);
      return true;
    }
    if (const auto found = kStores.find(name); found != kStores.end()) {
      const ExprId value = source();
      comma();
      code().store(address(), value, pos(), found->second);
      return true;
    }
    return calculation(name) || control(name) || barrier(name) || read_modify_write(name) ||
           refuse_known(name);
  }

 private:
  // "[X1]", "[X1,#4]", "[X1,W2,SXTW]"
  ExprId address() {
    cell_->expect("[", "'[' and a register");
    ExprId at = source();
    if (cell_->accept(",")) at = binary(ExprOp::kAdd, at, extended());
    cell_->expect("]", "']'");
    if (cell_->peek().is("!") || cell_->peek().is(","))
      cell_->fail(cell_->peek().pos, "addresses that change their register are not supported");
    return at;
  }

  // A register or a number, perhaps with an extension or a shift behind it.
  ExprId extended() {
    ExprId value = reg_or_number();
    if (!cell_->peek().is(",")) return value;
    const std::string word = lower_case(cell_->peek(1).text);
    if (word != "sxtw" && word != "uxtw" && word != "sxtx" && word != "uxtx" && word != "lsl") return value;
    cell_->take();
    cell_->take();
    if (cell_->peek().kind == Tok::kNumber || cell_->peek().is("#")) {
      const Value shift = cell_->expect_number("a shift");
      if (shift < 0 || shift > 31) cell_->fail(pos(), "expected a shift from 0 to 31");
      if (shift != 0) value = binary(ExprOp::kMul, value, constant(Value{1} << shift));
    } else if (word == "lsl") {
      cell_->fail_expected("a shift such as #2");
    }
    return value;
  }

  bool calculation(const std::string& name) {
    static const std::map<std::string_view, ExprOp> kOperators = {
        {"add", ExprOp::kAdd},   {"sub", ExprOp::kSub},     {"and", ExprOp::kBitAnd},
        {"orr", ExprOp::kBitOr}, {"eor", ExprOp::kBitXor},  {"adds", ExprOp::kAdd},
        {"subs", ExprOp::kSub},  {"ands", ExprOp::kBitAnd}, {"mul", ExprOp::kMul},
    };
    if (const auto found = kOperators.find(name); found != kOperators.end()) {
      const RegId dest = destination();
      comma();
      const ExprId first = source();
      comma();
      code().assign(dest, binary(found->second, first, extended()), pos());
      if (name.back() == 's') compare(program().reg(dest), constant(0));
      return true;
    }
    if (name == "mov" || name == "movz") {
      const RegId dest = destination();
      comma();
      code().assign(dest, reg_or_number(), pos());
      return true;
    }
    if (name == "cmp") {
      const ExprId first = source();
      comma();
      compare(first, extended());
      return true;
    }
    if (name == "csel") {
      const RegId dest = destination();
      comma();
      const ExprId first = source();
      comma();
      const ExprId second = source();
      comma();
      const Token word = cell_->expect_name("a condition such as EQ");
      code().assign(dest, program().select(condition(word, word.text), first, second), pos());
      return true;
    }
    return false;
  }

  ExprId condition(const Token& at, std::string_view word) {
    const auto found = holds(lower_case(word));
    if (!found)
      cell_->fail(at.pos, fmt::format("the condition '{}' is not supported", word),
                  "there are EQ, NE, LT, LE, GT, GE");
    return *found;
  }

  bool control(const std::string& name) {
    if (name == "b") {
      code().jump(label(), pos());
    } else if (name.starts_with("b.")) {
      branch_if(condition(token_, token_.text.substr(2)));
    } else if (name == "cbz" || name == "cbnz") {
      const ExprId value = source();
      comma();
      branch_if(binary(name == "cbz" ? ExprOp::kEq : ExprOp::kNe, value, constant(0)));
    } else {
      return false;
    }
    return true;
  }

  bool barrier(const std::string& name) {
    if (name == "isb") {
      if (!cell_->done() && lower_case(cell_->peek().text) == "sy") cell_->take();
      code().fence(FenceKinds(), pos(), {"ISB"});
      return true;
    }
    if (name != "dmb" && name != "dsb") return false;
    const Token domain = cell_->expect_name("SY, LD, ST, ISH, ...");
    const std::string what = upper_case(domain.text);
    static constexpr std::array<std::string_view, 9> kDomains = {"SY",    "LD",  "ST",    "ISH",  "ISHLD",
                                                                 "ISHST", "OSH", "OSHLD", "OSHST"};
    if (std::find(kDomains.begin(), kDomains.end(), what) == kDomains.end())
      cell_->fail(domain.pos, fmt::format("{} {} is not supported", upper_case(name), describe(domain)));
    FenceKinds kinds = FenceKinds::full();
    if (what.ends_with("LD")) kinds = FenceKinds::load_load() | FenceKinds::load_store();
    if (what.ends_with("ST")) kinds = FenceKinds::store_store();
    code().fence(kinds, pos(), {upper_case(name) + "." + what});
    return true;
  }

  bool read_modify_write(const std::string& name) {
    std::string_view rest = name;
    enum { kSwap, kCompare, kFetch, kStoreOnly } kind = kSwap;
    ExprOp op = ExprOp::kAdd;
    const auto operation = [&] {
      if (cut_prefix(rest, "add"))
        op = ExprOp::kAdd;
      else if (cut_prefix(rest, "set"))
        op = ExprOp::kBitOr;
      else if (cut_prefix(rest, "eor"))
        op = ExprOp::kBitXor;
      else if (cut_prefix(rest, "clr"))
        op = ExprOp::kBitAnd;
      else
        return false;
      return true;
    };
    if (cut_prefix(rest, "swp"))
      kind = kSwap;
    else if (cut_prefix(rest, "cas"))
      kind = kCompare;
    else if (cut_prefix(rest, "ld") && operation())
      kind = kFetch;
    else if (rest = name; cut_prefix(rest, "st") && operation())
      kind = kStoreOnly;
    else
      return false;
    Strength strength;
    const bool acquire = cut_prefix(rest, "a");
    const bool release = cut_prefix(rest, "l");
    if (!rest.empty() || (kind == kStoreOnly && acquire)) return false;
    if (acquire) strength.tags.emplace_back("A");
    if (release) strength.write_tags.emplace_back("L");
    if (kind == kStoreOnly) strength.tags.emplace_back("NoRet");
    strength.order = acquire && release ? MemoryOrder::kAcqRel
                     : acquire          ? MemoryOrder::kAcquire
                     : release          ? MemoryOrder::kRelease
                                        : MemoryOrder::kPlain;

    if (kind == kCompare) {  // CAS Ws,Wt,[Xn]: compares with Ws, writes Wt, and Ws is what was there
      const RegisterName expected = expect_register(*cell_);
      comma();
      const ExprId desired = source();
      comma();
      const ExprId at = address();
      const ExprId wanted = is_zero(expected.key) ? constant(0) : code().value(expected.key);
      const RegId old = code().temp();
      Strength failure = strength;
      failure.order = acquire ? MemoryOrder::kAcquire : MemoryOrder::kPlain;
      code().compare_and_swap(old, code().temp(), at, wanted, desired, pos(), {strength, failure, {}});
      if (!is_zero(expected.key)) code().assign(code().reg(expected.key), program().reg(old), pos());
      return true;
    }
    ExprId operand = source();
    comma();
    RegId dest;
    if (kind != kStoreOnly) {
      dest = destination();
      comma();
    }
    const ExprId at = address();
    if (name.find("clr") != std::string::npos) operand = program().unary(ExprOp::kBitNot, operand);
    if (kind == kSwap)
      code().rmw(RmwOp::kXchg, dest, at, operand, ExprId(), pos(), strength);
    else if (op == ExprOp::kAdd)
      code().rmw(RmwOp::kFetchAdd, dest, at, operand, ExprId(), pos(), strength);
    else
      code().fetch(op, dest, at, operand, pos(), strength);
    return true;
  }

  bool refuse_known(const std::string& name) {
    for (const std::string_view exclusive :
         {"ldxr", "ldaxr", "stxr", "stlxr", "ldxp", "ldaxp", "stxp", "stlxp"})
      if (name == exclusive)
        refuse(*cell_, token_, "exclusive accesses are not supported; use SWP, LDADD or CAS");
    if ((name.starts_with("ld") || name.starts_with("st") || name.starts_with("cas") ||
         name.starts_with("swp")) &&
        (name.back() == 'b' || name.back() == 'h'))
      refuse(*cell_, token_, "all accesses are of 32 or 64 bits here");
    return false;
  }
};

}  // namespace

std::unique_ptr<Architecture> make_aarch64() { return std::make_unique<AArch64>(); }

}  // namespace fenceline::litmus
