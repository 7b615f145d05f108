// SPDX-License-Identifier: GPL-3.0-or-later
//
// What tests call: the atomic operations of C11, and the equivalent macros of the Linux kernel.
// Accesses and fences get the tags that models use: those of C11 by their order (NA, RLX, ACQ, ...).
// Those of the kernel have tags of their own (Once, Acquire, Mb, ...), and beside them those of the C11
// operation that they are most like, so that models of C11 apply to kernel tests.
//
// A compare-and-exchange is an rmw of the IR if its failure is ordered as its success and nothing reads
// what it found when it failed, since the IR's has no register for that value. Else see
// ThreadCode::compare_and_swap().
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "frontend/c11.h"
#include "frontend/litmus/c_reader.h"

namespace fenceline::frontend::litmus {
namespace {

Strength kernel(MemoryOrder order) {
  const char* name = order == MemoryOrder::kAcquire   ? "Acquire"
                     : order == MemoryOrder::kRelease ? "Release"
                                                      : "Once";
  Strength strength{order, {c11_tag(order), name}, {c11_tag(order), name}};
  // Of an rmw, the read acquires or the write releases.
  if (order == MemoryOrder::kAcquire) strength.write_tags.back() = "Once";
  return strength;
}

Strength kernel_release_rmw() {
  return {MemoryOrder::kRelease,
          {c11_tag(MemoryOrder::kRelease), "Once"},
          {c11_tag(MemoryOrder::kRelease), "Release"}};
}

// Does a read of the one order do the same as one of the other?
bool same_to_readers(MemoryOrder x, MemoryOrder y) {
  const auto acquires = [](MemoryOrder order) {
    return order == MemoryOrder::kAcquire || order == MemoryOrder::kConsume || order == MemoryOrder::kAcqRel;
  };
  return acquires(x) == acquires(y) && (x == MemoryOrder::kSeqCst) == (y == MemoryOrder::kSeqCst);
}

// The operator of "add", "sub", ...
std::optional<ExprOp> operator_of(std::string_view name) {
  static const std::map<std::string_view, ExprOp> kOperators = {
      {"add", ExprOp::kAdd},    {"sub", ExprOp::kSub},    {"or", ExprOp::kBitOr},
      {"and", ExprOp::kBitAnd}, {"xor", ExprOp::kBitXor},
  };
  const auto found = kOperators.find(name);
  if (found == kOperators.end()) return std::nullopt;
  return found->second;
}

bool cut_suffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

bool cut_prefix(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

bool mentions(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool before = at > 0 && is_name_part(text[at - 1]);
    const bool after = at + name.size() < text.size() && is_name_part(text[at + name.size()]);
    if (!before && !after) return true;
  }
  return false;
}

const Tags kMb = {"Mb", "SC"};

}  // namespace

Strength c11(MemoryOrder order) { return {order, {c11_tag(order)}, {c11_tag(order)}}; }

CValue CReader::read(RegId reg, const CValue& address) {
  const ValueType type = address.type.pointee();
  const ExprId id = program().reg(reg);
  // Memory keeps signs.
  return {type.width() < 0 ? program().wrap(id, type.width()) : id, type};
}

CValue CReader::loaded(const CValue& address, SourcePos pos, const Strength& strength) {
  const RegId result = code().temp();
  code().load(result, address.id, bytes_at(address), pos, strength);
  return read(result, address);
}

void CReader::store(const CValue& address, const CValue& value, SourcePos pos, const Strength& strength) {
  code().store(address.id, value.id, bytes_at(address), pos, strength);
}

CValue CReader::next_argument() {
  lexer_.expect(",", "',' and another argument");
  return expression();
}

MemoryOrder CReader::order() {
  static const std::map<std::string_view, MemoryOrder> kOrders = {
      {"memory_order_relaxed", MemoryOrder::kRelaxed}, {"memory_order_consume", MemoryOrder::kConsume},
      {"memory_order_acquire", MemoryOrder::kAcquire}, {"memory_order_release", MemoryOrder::kRelease},
      {"memory_order_acq_rel", MemoryOrder::kAcqRel},  {"memory_order_seq_cst", MemoryOrder::kSeqCst},
  };
  const auto found = kOrders.find(lexer_.peek().text);
  if (found == kOrders.end()) lexer_.fail_expected("a memory order such as memory_order_relaxed");
  lexer_.take();
  return found->second;
}

CValue CReader::call(const Token& name) {
  enter();
  lexer_.expect("(", "'('");
  std::optional<CValue> result = c11_call(name);
  if (!result) result = kernel_call(name);
  if (!result)
    test_.fail(name.pos, fmt::format("the function {} is not supported", describe(name)),
               "docs/litmus.md lists those that are");
  lexer_.expect(")", "')'");
  --depth_;
  return *result;
}

// `operation` is "add", "or", ... or "exchange". What was there before.
CValue CReader::read_modify_write(std::string_view operation, const CValue& address, const CValue& operand,
                                  SourcePos pos, const Strength& strength) {
  const RegId old = code().temp();
  const uint8_t bytes = bytes_at(address);
  if (operation == "exchange") {
    code().rmw(RmwOp::kXchg, old, address.id, operand.id, ExprId(), bytes, pos, strength);
  } else if (operation == "sub") {
    const ExprId added = program().unary(ExprOp::kNeg, operand.id);
    code().fetch(ExprOp::kAdd, old, address.id, added, bytes, pos, strength);
  } else {
    code().fetch(operator_of(operation).value(), old, address.id, operand.id, bytes, pos, strength);
  }
  return read(old, address);
}

std::optional<CValue> CReader::c11_call(const Token& name) {
  std::string rest(name.text);
  if (!cut_prefix(rest, "atomic_")) return std::nullopt;
  const bool with_order = cut_suffix(rest, "_explicit");
  const auto strength = [&] {
    if (!with_order) return c11(MemoryOrder::kSeqCst);
    lexer_.expect(",", "',' and a memory order");
    return c11(order());
  };
  if (rest == "thread_fence" && !with_order) {
    const MemoryOrder mo = order();
    code().fence(c11_fence_kinds(mo), name.pos, c11(mo).tags);
    return CValue{program().constant(0)};
  }
  if (rest == "init" && !with_order) {
    const CValue address = expression();
    store(address, next_argument(), name.pos, c11(MemoryOrder::kPlain));
    return CValue{program().constant(0)};
  }
  if (rest == "load") {
    const CValue address = expression();
    return loaded(address, name.pos, strength());
  }
  if (rest == "store") {
    const CValue address = expression();
    const CValue value = next_argument();
    store(address, value, name.pos, strength());
    return CValue{program().constant(0)};
  }
  if (rest == "compare_exchange_strong" || rest == "compare_exchange_weak")
    return compare_exchange(name, with_order, rest == "compare_exchange_weak");
  if (rest != "exchange" && !(cut_prefix(rest, "fetch_") && operator_of(rest))) return std::nullopt;
  CValue address = expression();
  CValue operand = next_argument();
  // The kernel's functions of that name have the location last, and are full barriers.
  const auto is_address = [&](const CValue& value) {
    return program().constant_value(value.id).value_or(0) >= kFirstAddress;
  };
  if (!with_order && !is_address(address) && is_address(operand)) {
    std::swap(address, operand);
    code().fence(FenceKinds::full(), name.pos, kMb);
    const CValue old = read_modify_write(rest, address, operand, name.pos, kernel(MemoryOrder::kRelaxed));
    code().fence(FenceKinds::full(), name.pos, kMb);
    return old;
  }
  return read_modify_write(rest, address, operand, name.pos, strength());
}

// (location, &expected, desired[, on success, on failure]): 1 if it was as expected. A weak one may be 0
// then, too.
CValue CReader::compare_exchange(const Token& name, bool with_order, bool weak) {
  const CValue address = expression();
  lexer_.expect(",", "',' and the expected value");
  Token local;
  CValue expected_at, expected;
  if (lexer_.accept("&")) {
    local = lexer_.expect_name("a variable");
    const auto known = locals_.find(local.text);
    if (known == locals_.end()) test_.fail(local.pos, fmt::format("there is no variable {}", local.text));
    expected = {code().value(known->first), known->second};
  } else {
    expected_at = expression();
    expected = loaded(expected_at, name.pos, c11(MemoryOrder::kPlain));
  }
  const CValue desired = next_argument();
  MemoryOrder on_success = MemoryOrder::kSeqCst, on_failure = MemoryOrder::kSeqCst;
  if (with_order) {
    lexer_.expect(",", "',' and a memory order");
    on_success = order();
    lexer_.expect(",", "',' and a memory order for failure");
    on_failure = order();
  }
  const RegId success = code().temp();
  const uint8_t bytes = bytes_at(address);
  const bool same_reads = same_to_readers(on_success, on_failure);
  const bool unseen = !expected_at.id.valid() && loops_.empty() && !mentioned_later(local.text);
  if (unseen && same_reads && !weak) {
    code().rmw(RmwOp::kCas, success, address.id, expected.id, desired.id, bytes, name.pos, c11(on_success));
    return {program().reg(success)};
  }
  const RegId old = code().temp();
  code().compare_and_swap(old, success, address.id, expected.id, desired.id, bytes, name.pos,
                          {c11(on_success), c11(same_reads && !weak ? on_success : on_failure), {}, weak});
  const CValue found = read(old, address);
  if (!expected_at.id.valid()) {
    assign(std::string(local.text), found, name.pos);
  } else {
    const LabelId end = code().label();
    code().branch(program().reg(success), end, name.pos);
    store(expected_at, found, name.pos, c11(MemoryOrder::kPlain));
    code().bind(end, name.pos);
  }
  return {program().reg(success)};
}

// Does the rest of the function, or the final condition, name the variable?
bool CReader::mentioned_later(std::string_view variable) const {
  const std::string_view rest = lexer_.rest();
  size_t end = 0;
  for (unsigned open = open_braces_; open > 0 && end < rest.size(); ++end) {
    if (rest[end] == '{') ++open;
    if (rest[end] == '}') --open;
  }
  const size_t final_condition = rest.rfind('}');
  return mentions(rest.substr(0, end), variable) ||
         (final_condition != std::string_view::npos && mentions(rest.substr(final_condition), variable));
}

std::optional<CValue> CReader::kernel_call(const Token& name) {
  if (const auto result = kernel_barrier(name)) return result;
  if (const auto result = kernel_access(name)) return result;
  return kernel_rmw(name);
}

void CReader::full_barrier(SourcePos pos) { code().fence(FenceKinds::full(), pos, kMb); }

std::optional<CValue> CReader::kernel_barrier(const Token& name) {
  if (name.text == "smp_mb") {
    full_barrier(name.pos);
  } else if (name.text == "smp_rmb") {
    code().fence(FenceKinds::load_load(), name.pos, {"Rmb"});
  } else if (name.text == "smp_wmb") {
    code().fence(FenceKinds::store_store(), name.pos, {"Wmb"});
  } else if (name.text != "barrier") {  // which is for compilers only
    return std::nullopt;
  }
  return CValue{program().constant(0)};
}

// Loads and stores. Macros take the location itself, functions its address.
std::optional<CValue> CReader::kernel_access(const Token& name) {
  struct Access {
    std::string_view name;
    bool is_store, is_macro;
    MemoryOrder order;
  };
  static constexpr Access kAccesses[] = {
      {"READ_ONCE", false, true, MemoryOrder::kRelaxed},
      {"rcu_dereference", false, true, MemoryOrder::kRelaxed},
      {"WRITE_ONCE", true, true, MemoryOrder::kRelaxed},
      {"smp_store_mb", true, true, MemoryOrder::kRelaxed},
      {"rcu_assign_pointer", true, true, MemoryOrder::kRelease},
      {"smp_load_acquire", false, false, MemoryOrder::kAcquire},
      {"atomic_read_acquire", false, false, MemoryOrder::kAcquire},
      {"atomic_read", false, false, MemoryOrder::kRelaxed},
      {"smp_store_release", true, false, MemoryOrder::kRelease},
      {"atomic_set_release", true, false, MemoryOrder::kRelease},
      {"atomic_set", true, false, MemoryOrder::kRelaxed},
  };
  const auto* access = std::ranges::find(kAccesses, name.text, &Access::name);
  if (access == std::end(kAccesses)) return std::nullopt;
  const CValue address = access->is_macro ? lvalue() : expression();
  if (!access->is_store) return loaded(address, name.pos, kernel(access->order));
  store(address, next_argument(), name.pos, kernel(access->order));
  if (access->name == "smp_store_mb") full_barrier(name.pos);
  return CValue{program().constant(0)};
}

// xchg, atomic_add_return, atomic_xchg: full barriers unless their names say otherwise.
std::optional<CValue> CReader::kernel_rmw(const Token& name) {
  std::string rest(name.text);
  const SourcePos pos = name.pos;
  const auto full = [&] { full_barrier(pos); };
  bool barriers = true;
  Strength strength = kernel(MemoryOrder::kRelaxed);
  if (cut_suffix(rest, "_relaxed")) {
    barriers = false;
  } else if (cut_suffix(rest, "_acquire")) {
    barriers = false;
    strength = kernel(MemoryOrder::kAcquire);
  } else if (cut_suffix(rest, "_release")) {
    barriers = false;
    strength = kernel_release_rmw();
  }
  const bool tests = barriers && cut_suffix(rest, "_and_test");
  const bool returns = !tests && cut_suffix(rest, "_return");
  if (rest == "xchg" || rest == "atomic_xchg") {
    if (returns || tests) return std::nullopt;
    const CValue address = expression();
    const CValue value = next_argument();
    if (barriers) full();
    const CValue old = read_modify_write("exchange", address, value, pos, strength);
    if (barriers) full();
    return old;
  }
  if ((rest == "cmpxchg" || rest == "atomic_cmpxchg") && !returns && !tests) {
    const CValue address = expression();
    const CValue expected = next_argument();
    const CValue desired = next_argument();
    const RegId old = code().temp();
    ThreadCode::Swap swap{strength, kernel(MemoryOrder::kRelaxed), {}};
    if (barriers) swap.around = full;
    code().compare_and_swap(old, RegId(), address.id, expected.id, desired.id, bytes_at(address), pos, swap);
    return read(old, address);
  }
  if (!cut_prefix(rest, "atomic_")) return std::nullopt;
  const bool fetches = !returns && !tests && cut_prefix(rest, "fetch_");
  const bool one = rest == "inc" || rest == "dec";
  if (!one && rest != "add" && rest != "sub") return std::nullopt;
  const CValue operand = one ? CValue{program().constant(1)} : expression();
  if (!one) lexer_.expect(",", "',' and a location");
  const CValue address = expression();
  const bool adds = rest == "inc" || rest == "add";
  if (!returns && !fetches && !tests) {
    if (!barriers) return std::nullopt;  // atomic_add_acquire and the like are none
    barriers = false;
    strength.tags.back() = "Noreturn";
  }
  if (barriers) full();
  const CValue old = read_modify_write(adds ? "add" : "sub", address, operand, pos, strength);
  if (barriers) full();
  if (fetches) return old;
  CValue now = combine(adds ? ExprOp::kAdd : ExprOp::kSub, old, operand, pos);
  now = {convert(now, old.type), old.type};
  return tests ? CValue{program().binary(ExprOp::kEq, now.id, program().constant(0))} : now;
}

}  // namespace fenceline::frontend::litmus
