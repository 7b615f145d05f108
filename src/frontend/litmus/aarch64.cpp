// SPDX-License-Identifier: GPL-3.0-or-later
//
// AArch64. W names the low half of an X register; what writes it clears the other half, and an instruction
// has the size of its registers. Events have the tags of the herd tools' models: A (acquire), Q
// (weak acquire), L (release), NoRet (the read of an atomic instruction whose result is dropped), DMB.SY and
// the like. Exclusive loads and stores are rejected: what the IR has instead are whole read-modify-writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "frontend/litmus/risc.h"

namespace fenceline::frontend::litmus {
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
    if (upper == "XZR") return RegisterName{"XZR", "XZR", 31};
    if (upper == "WZR") return RegisterName{"XZR", "WZR", 31, 32};
    const auto whole = numbered(upper, "X", 31), half = numbered(upper, "W", 31);
    if (!whole && !half) return std::nullopt;
    const uint32_t number = whole ? *whole : *half;
    const std::string key = fmt::format("X{}", number);
    return RegisterName{key, whole ? key : upper, number, static_cast<uint8_t>(whole ? 0 : 32)};
  }

  unsigned flags_used(std::string_view word) const override { return word == "adds" ? kSeparateZero : 0; }

 protected:
  bool is_zero(const std::string& key) const override { return key == "XZR"; }

  bool read(const std::string& name) override {
    static const std::map<std::string_view, Strength> kLoads = {
        {"ldr", kPlainAccess}, {"ldur", kPlainAccess}, {"ldar", kLoadAcquire}, {"ldapr", kLoadAcquirePc}};
    static const std::map<std::string_view, Strength> kStores = {
        {"str", kPlainAccess}, {"stur", kPlainAccess}, {"stlr", kStoreRelease}};
    if (const auto found = kLoads.find(name); found != kLoads.end()) {
      const RegId dest = destination();
      const uint8_t bytes = access_bytes();
      comma();
      const ExprId at = address();
      code().load(dest, at, bytes, pos(), found->second);
      return true;
    }
    if (const auto found = kStores.find(name); found != kStores.end()) {
      const ExprId value = source();
      const uint8_t bytes = access_bytes();
      comma();
      code().store(address(), value, bytes, pos(), found->second);
      return true;
    }
    return arithmetic_instruction(name) || control(name) || barrier(name) || read_modify_write(name) ||
           reject_known(name);
  }

 private:
  // Of an access with the register that was read last.
  uint8_t access_bytes() const { return width_ == 32 ? 4 : 8; }
  // What is written to it is extended with zeros; it is compared with its sign.
  int written_width() const { return width_ == 32 ? -32 : 0; }
  int compared_width() const { return width_ == 32 ? 32 : 0; }

  // "[X1]", "[X1,#4]", "[X1,W2,SXTW]"
  ExprId address() {
    cell_->expect("[", "'[' and a register");
    const SourcePos base = cell_->peek().pos;
    ExprId at = source();
    if (width_ == 32) cell_->fail(base, "an address needs a register of 64 bits, such as X1");
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
    if (word == "sxtw" || word == "uxtw") value = wrap(value, word == "sxtw" ? 32 : -32);
    if (cell_->peek().kind == Tok::kNumber || cell_->peek().is("#")) {
      const Value shift = cell_->expect_number("a shift");
      if (shift < 0 || shift > 31) cell_->fail(pos(), "expected a shift from 0 to 31");
      if (shift != 0) value = binary(ExprOp::kMul, value, constant(Value{1} << shift));
    } else if (word == "lsl") {
      cell_->fail_expected("a shift such as #2");
    }
    return value;
  }

  bool arithmetic_instruction(const std::string& name) {
    static const std::map<std::string_view, ExprOp> kOperators = {
        {"add", ExprOp::kAdd},   {"sub", ExprOp::kSub},     {"and", ExprOp::kBitAnd},
        {"orr", ExprOp::kBitOr}, {"eor", ExprOp::kBitXor},  {"adds", ExprOp::kAdd},
        {"subs", ExprOp::kSub},  {"ands", ExprOp::kBitAnd}, {"mul", ExprOp::kMul},
    };
    if (const auto found = kOperators.find(name); found != kOperators.end()) {
      const RegId dest = destination();
      const int written = written_width(), compared = compared_width();
      comma();
      const ExprId first = source();
      comma();
      const ExprId second = extended();
      const ExprOp op = found->second;
      if (op == ExprOp::kMul) {  // with signs, so that the product fits into 64 bits
        const ExprId product = binary(op, wrap(first, compared), wrap(second, compared));
        code().assign(dest, wrap(product, written), pos());
        return true;
      }
      if (name.back() == 's') {
        // The sign of what they would be without a size is what LT, LE, GT and GE test.
        const ExprId sum = binary(op, wrap(first, compared), wrap(second, compared));
        const bool overflows = op == ExprOp::kAdd;
        set_flags(sum, overflows ? wrap(sum, compared) : sum);
      }
      code().assign(dest, wrap(binary(op, first, second), written), pos());
      return true;
    }
    if (name == "mov" || name == "movz") {
      const RegId dest = destination();
      const int written = written_width();
      comma();
      code().assign(dest, wrap(reg_or_number(), written), pos());
      return true;
    }
    if (name == "cmp") {
      const ExprId first = source();
      const int compared = compared_width();
      comma();
      compare(wrap(first, compared), wrap(extended(), compared));
      return true;
    }
    if (name == "csel") {
      const RegId dest = destination();
      const int written = written_width();
      comma();
      const ExprId first = source();
      comma();
      const ExprId second = source();
      comma();
      const Token word = cell_->expect_name("a condition such as EQ");
      code().assign(dest, wrap(program().select(condition(word, word.text), first, second), written), pos());
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
      ExprId value = source();
      value = wrap(value, compared_width());
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
    const bool acquire = cut_prefix(rest, "a");
    const bool release = cut_prefix(rest, "l");
    if (!rest.empty() || (kind == kStoreOnly && acquire)) return false;
    if (kind == kCompare) {
      compare_and_swap(strength_of(acquire, release, true));
      return true;
    }
    ExprId operand = source();
    const uint8_t bytes = access_bytes();
    comma();
    RegId dest;
    if (kind != kStoreOnly) {
      const SourcePos position = cell_->peek().pos;
      const RegisterName to = expect_register(*cell_);
      if (to.bits != width_) cell_->fail(position, "expected a register of the same size as the first one");
      if (!is_zero(to.key)) dest = code().reg(to.key);
      comma();
    }
    const Strength strength = strength_of(acquire, release, dest.valid());
    const ExprId at = address();
    if (name.find("clr") != std::string::npos) operand = program().unary(ExprOp::kBitNot, operand);
    if (kind == kSwap)
      code().rmw(RmwOp::kXchg, dest, at, operand, ExprId(), bytes, pos(), strength);
    else
      code().fetch(op, dest, at, operand, bytes, pos(), strength);
    return true;
  }

  // An atomic instruction whose result goes to the zero register does not acquire, and is no load to DMB LD.
  static Strength strength_of(bool acquire, bool release, bool returns) {
    Strength strength;
    if (!returns) acquire = false;
    if (acquire) strength.tags.emplace_back("A");
    if (!returns) strength.tags.emplace_back("NoRet");
    if (release) strength.write_tags.emplace_back("L");
    strength.order = acquire && release ? MemoryOrder::kAcqRel
                     : acquire          ? MemoryOrder::kAcquire
                     : release          ? MemoryOrder::kRelease
                                        : MemoryOrder::kPlain;
    return strength;
  }

  // CAS Ws,Wt,[Xn]: compares with Ws, writes Wt, and Ws is what was there.
  void compare_and_swap(const Strength& strength) {
    const RegisterName expected = expect_register(*cell_);
    comma();
    const SourcePos position = cell_->peek().pos;
    const ExprId desired = source();
    if (expected.bits != width_)
      cell_->fail(position, "expected a register of the same size as the first one");
    const uint8_t bytes = access_bytes();
    comma();
    const ExprId at = address();
    const ExprId wanted = is_zero(expected.key) ? constant(0) : code().value(expected.key);
    const RegId old = code().temp();
    code().compare_and_swap(old, RegId(), at, wanted, desired, bytes, pos(), {strength, strength, {}});
    if (!is_zero(expected.key)) code().assign(code().reg(expected.key), program().reg(old), pos());
  }

  bool reject_known(const std::string& name) {
    for (const std::string_view exclusive :
         {"ldxr", "ldaxr", "stxr", "stlxr", "ldxp", "ldaxp", "stxp", "stlxp"})
      if (name == exclusive)
        reject(*cell_, token_, "exclusive accesses are not supported; use SWP, LDADD or CAS");
    if ((name.starts_with("ld") || name.starts_with("st") || name.starts_with("cas") ||
         name.starts_with("swp")) &&
        (name.back() == 'b' || name.back() == 'h'))
      reject(*cell_, token_, "all accesses are of 32 or 64 bits here");
    return false;
  }
};

}  // namespace

std::unique_ptr<Architecture> make_aarch64() { return std::make_unique<AArch64>(); }

}  // namespace fenceline::frontend::litmus
