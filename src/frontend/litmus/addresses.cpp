// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which object does an access go to? Of each register it is known, at each point, that it holds a number, the
// address of one location (plus a number), or that nothing is known: constant propagation over three kinds of
// values. In nearly all tests this says of every access which location it is, and the address of the IR is
// that object with the rest as its offset: an address dependency such as x + (r ^ r) stays in the expression.
//
// Tests that store addresses in memory ("x=y") are different: what a load brings may be any address. Then all
// locations become cells of one object, and the offset is computed from the address. In both cases, an access
// to no location is an error when it executes (the offset is out of bounds), never an access to another
// location.
//
// Sizes are found out here too, from declared types and from the accesses to each location. An access of
// another size, or to a part of a location, is rejected; one whose address is only known when it executes is an
// error then. An address does not fit into a value that is narrower than it: where one may be wrapped, that
// is checked when it executes. Only on machines whose addresses are narrow themselves they stay what they are.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "env/errors.h"
#include "frontend/litmus/code.h"
#include "ir/eval.h"

namespace fenceline::frontend::litmus {
namespace {

// What a value may be.
struct Kind {
  enum What : uint8_t { kNothing, kNumber, kAddress, kAnything } what = kNothing;
  LocationId location;  // kAddress

  friend bool operator==(const Kind&, const Kind&) = default;
};

Kind number() { return {Kind::kNumber, {}}; }
Kind anything() { return {Kind::kAnything, {}}; }

Kind join(const Kind& x, const Kind& y) {
  if (x == y || y.what == Kind::kNothing) return x;
  return x.what == Kind::kNothing ? y : anything();
}

Kind kind_of(Value value, size_t locations) {
  if (value < kFirstAddress) return number();
  const auto index = static_cast<size_t>((value - kFirstAddress) >> kAddressShift);
  if (index >= locations) return number();
  return {Kind::kAddress, LocationId(index)};
}

using Kinds = std::vector<Kind>;  // by RegId

class Resolver {
 public:
  Resolver(TestCode& test, ThreadCode& thread, bool addresses_in_memory)
      : test_(test), thread_(thread), addresses_in_memory_(addresses_in_memory) {
    before_.resize(thread.ops().size());
    for (size_t i = 0; i < thread.ops().size(); ++i)
      if (thread.ops()[i].kind == OpKind::kLabel) {
        if (position_of_.size() <= thread.ops()[i].label.index())
          position_of_.resize(thread.ops()[i].label.index() + 1);
        position_of_[thread.ops()[i].label.index()] = i;
      }
    for (const auto& [key, reg] : thread.registers()) {
      if (initial_.size() <= reg.index()) initial_.resize(reg.index() + 1, number());
      initial_[reg.index()] = kind_of(test.initial(thread.number(), key), test.locations().size());
    }
    for (const Op& op : thread.ops())
      if (op.dest.valid() && initial_.size() <= op.dest.index())
        initial_.resize(op.dest.index() + 1, number());
    written_.resize(initial_.size(), false);
    for (const Op& op : thread.ops())
      if (op.dest.valid()) written_[op.dest.index()] = true;
    flow();
  }

  bool stores_addresses() const { return stores_addresses_; }

  // What the address of the access is.
  Kind address(size_t op) {
    if (before_[op].empty()) return {};  // never reached
    return kind(thread_.ops()[op].address, before_[op]);
  }

  // The expression as instruction `op` computes it: addresses in values that are wrapped are seen to. What
  // has to hold for it is added to `checks`.
  ExprId exact(ExprId value, size_t op, std::vector<ExprId>& checks) {
    if (!value.valid() || before_[op].empty()) return value;
    return without_wrapped_addresses(value, op, checks);
  }

  // `address` without the address of `location`, of which it is known to be that and a number.
  ExprId offset(ExprId address, size_t op, LocationId location) {
    return without(address, before_[op], location);
  }

 private:
  void flow() {
    if (thread_.ops().empty()) return;
    std::vector<size_t> todo;
    const auto reach = [&](size_t op, const Kinds& kinds) {
      if (op >= before_.size()) return;
      Kinds joined = before_[op].empty() ? kinds : before_[op];
      for (size_t i = 0; i < joined.size(); ++i) joined[i] = join(joined[i], kinds[i]);
      if (joined == before_[op] && !joined.empty()) return;
      before_[op] = std::move(joined);
      todo.push_back(op);
    };
    Kinds entry = initial_;
    entry.emplace_back();  // never empty: an op with no kinds was not reached
    reach(0, entry);
    while (!todo.empty()) {
      const size_t at = todo.back();
      todo.pop_back();
      const Op& op = thread_.ops()[at];
      Kinds after = before_[at];
      const Kind loaded = addresses_in_memory_ && test_.holds_address(op.bytes) ? anything() : number();
      switch (op.kind) {
        case OpKind::kLoad:
          after[op.dest.index()] = loaded;
          break;
        case OpKind::kAssign:
          after[op.dest.index()] = kind(op.a, before_[at]);
          break;
        case OpKind::kStore:
          note_stored(op.a, before_[at]);
          break;
        case OpKind::kRmw:
          note_stored(is_cas(op.rmw) ? op.b : op.a, before_[at]);
          if (op.dest.valid()) after[op.dest.index()] = op.rmw == RmwOp::kCas ? number() : loaded;
          break;
        default:
          break;
      }
      if (op.kind == OpKind::kBranch || op.kind == OpKind::kChoose || op.kind == OpKind::kJump)
        reach(position_of_[op.label.index()], after);
      if (op.kind != OpKind::kJump) reach(at + 1, after);
    }
  }

  void note_stored(ExprId value, const Kinds& kinds) {
    if (kind(value, kinds).what > Kind::kNumber) stores_addresses_ = true;
  }

  Kind kind(ExprId id, const Kinds& kinds) {
    const Expr e = test_.program().expr(id);
    if (e.op == ExprOp::kConst) return kind_of(e.imm, test_.locations().size());
    if (e.op == ExprOp::kReg) return e.reg.index() + 1 < kinds.size() ? kinds[e.reg.index()] : number();
    switch (class_of(e.op)) {
      case OperatorClass::kSelect:
        return join(kind(e.b, kinds), kind(e.c, kinds));
      case OperatorClass::kNot:
      case OperatorClass::kLazy:
      case OperatorClass::kEqual:
      case OperatorClass::kLess:
      case OperatorClass::kGreater:
      case OperatorClass::kUnsignedLess:
        return number();
      case OperatorClass::kWrap:
        return test_.values().address_bytes == 8 ? number() : kind(e.a, kinds);
      case OperatorClass::kNeg:
      case OperatorClass::kBitNot:
        return kind(e.a, kinds).what > Kind::kNumber ? anything() : number();
      case OperatorClass::kAdd:
      case OperatorClass::kSub:
      case OperatorClass::kMul:
      case OperatorClass::kDivide:
      case OperatorClass::kBitwise:
      case OperatorClass::kModular:
      case OperatorClass::kShift:
        break;
      case OperatorClass::kLeaf:
        throw Bug("an instruction of a litmus test reads more than registers");
    }
    const Kind a = kind(e.a, kinds), b = kind(e.b, kinds);
    if (a.what <= Kind::kNumber && b.what <= Kind::kNumber) return number();
    if (e.op == ExprOp::kAdd && a.what == Kind::kAddress && b.what <= Kind::kNumber) return a;
    if (e.op == ExprOp::kAdd && b.what == Kind::kAddress && a.what <= Kind::kNumber) return b;
    if (e.op == ExprOp::kSub && a.what == Kind::kAddress && b.what <= Kind::kNumber) return a;
    if (e.op == ExprOp::kSub && a.what == Kind::kAddress && a == b) return number();
    if ((e.op == ExprOp::kBitXor || e.op == ExprOp::kSub) && same(e.a, e.b)) return number();
    return anything();
  }

  bool same(ExprId x, ExprId y) {
    const Expr a = test_.program().expr(x), b = test_.program().expr(y);
    return a.op == ExprOp::kReg && b.op == ExprOp::kReg && a.reg == b.reg;
  }

  ExprId without_wrapped_addresses(ExprId id, size_t op, std::vector<ExprId>& checks) {
    ProgramBuilder& program = test_.program();
    const Expr e = program.expr(id);
    const unsigned operands = arity(e.op);
    if (operands == 0) return id;
    const ExprId a = without_wrapped_addresses(e.a, op, checks);
    const ExprId b = operands > 1 ? without_wrapped_addresses(e.b, op, checks) : ExprId();
    const ExprId c = operands > 2 ? without_wrapped_addresses(e.c, op, checks) : ExprId();
    if (e.op == ExprOp::kWrap) {
      const Kind inside = kind(e.a, before_[op]);
      if (inside.what <= Kind::kNumber) return id;
      const ExprId first = program.constant(kFirstAddress);
      if (test_.values().address_bytes != 8)
        return program.select(program.binary(ExprOp::kGe, a, first), a,
                              program.wrap(a, static_cast<int>(e.imm)));
      if (inside.what == Kind::kAddress)
        test_.fail(thread_.ops()[op].pos,
                   fmt::format("the address of {} does not fit into {} bits", test_.at(inside.location).name,
                               e.imm < 0 ? -e.imm : e.imm));
      checks.push_back(program.binary(ExprOp::kLt, a, first));
      return program.wrap(a, static_cast<int>(e.imm));
    }
    if (a == e.a && (operands < 2 || b == e.b) && (operands < 3 || c == e.c)) return id;
    if (operands == 1) return program.unary(e.op, a);
    return operands == 2 ? program.binary(e.op, a, b) : program.select(a, b, c);
  }

  ExprId without(ExprId id, const Kinds& kinds, LocationId location) {
    ProgramBuilder& program = test_.program();
    const Expr e = program.expr(id);
    const Value base = address_of(location);
    if (e.op == ExprOp::kConst) return program.constant(e.imm - base);
    if (e.op == ExprOp::kReg && e.reg.index() < written_.size() && !written_[e.reg.index()])
      return program.constant(thread_initial(e.reg) - base);
    if (e.op == ExprOp::kAdd) {
      const bool first = kind(e.a, kinds).what == Kind::kAddress;
      const ExprId rest = without(first ? e.a : e.b, kinds, location);
      const ExprId other = first ? e.b : e.a;
      return program.constant_value(rest) == Value{0} ? other : program.binary(ExprOp::kAdd, rest, other);
    }
    return program.binary(ExprOp::kSub, id, program.constant(base));
  }

  Value thread_initial(RegId reg) {
    for (const auto& [key, id] : thread_.registers())
      if (id == reg) return test_.initial(thread_.number(), key);
    return 0;
  }

  TestCode& test_;
  ThreadCode& thread_;
  bool addresses_in_memory_;
  bool stores_addresses_ = false;
  std::vector<size_t> position_of_;  // by LabelId
  std::vector<Kinds> before_;        // by op; empty: not reached (yet)
  Kinds initial_;
  std::vector<bool> written_;
};

// Where in the one object the address points; -1 (out of bounds) if it is none.
ExprId cell_of(ProgramBuilder& program, ExprId address) {
  const ExprId low =
      program.binary(ExprOp::kBitAnd, address, program.constant((Value{1} << kAddressShift) - 1));
  const ExprId index =
      program.binary(ExprOp::kSub, program.binary(ExprOp::kShr, address, program.constant(kAddressShift)),
                     program.constant(kFirstAddress >> kAddressShift));
  return program.select(program.binary(ExprOp::kEq, low, program.constant(0)), index, program.constant(-1));
}

void emit_op(ThreadBuilder& builder, const Op& op, Address address, int fetched_width,
             const std::vector<ThreadBuilder::Label>& labels) {
  const Dest dest{op.dest};
  switch (op.kind) {
    case OpKind::kLoad:
      builder.load(dest, address, op.pos, op.order);
      break;
    case OpKind::kStore:
      builder.store(address, op.a, op.pos, op.order);
      break;
    case OpKind::kRmw:
      builder.rmw(op.rmw, dest, address, op.a, op.b, op.pos, op.order);
      if (is_fetch(op.rmw)) builder.wrap_fetched(fetched_width);
      break;
    case OpKind::kFence:
      builder.fence(op.fence, op.pos);
      break;
    case OpKind::kAssign:
      builder.assign(dest, op.a, op.pos);
      break;
    case OpKind::kBranch: {
      const ThreadBuilder::Label on = builder.label();
      builder.branch(op.a, labels[op.label.index()], on, op.pos);
      builder.bind(on);
      break;
    }
    case OpKind::kChoose: {
      const ThreadBuilder::Label on = builder.label();
      builder.choose({on, labels[op.label.index()]}, op.pos);
      builder.bind(on);
      break;
    }
    case OpKind::kGuess:
      builder.guess(op.a, op.pos);
      break;
    case OpKind::kJump:
      builder.jump(labels[op.label.index()]);
      break;
    case OpKind::kLabel:
      builder.bind(labels[op.label.index()]);
      break;
  }
  if (!op.tags.empty() || !op.write_tags.empty()) builder.tag(op.tags, op.write_tags);
}

// What is known about all threads. What one thread stores another may load, so whether memory holds addresses
// is found out first.
std::deque<Resolver> resolve(TestCode& test) {
  bool in_memory =
      std::any_of(test.locations().begin(), test.locations().end(), [&test](const Location& location) {
        return kind_of(location.init, test.locations().size()).what == Kind::kAddress;
      });
  for (;;) {
    std::deque<Resolver> resolvers;
    bool stored = false;
    for (ThreadCode& thread : test.threads())
      stored |= resolvers.emplace_back(test, thread, in_memory).stores_addresses();
    if (!stored || in_memory) return resolvers;
    in_memory = true;
  }
}

}  // namespace

void TestCode::emit() {
  std::deque<Resolver> resolvers = resolve(*this);
  std::set<uint8_t> unknown_sizes;  // of accesses whose location is only known when they execute
  for (size_t t = 0; t < threads_.size(); ++t)
    for (size_t i = 0; i < threads_[t].ops().size(); ++i) {
      const Op& op = threads_[t].ops()[i];
      if (!op.address.valid()) continue;
      const Kind kind = resolvers[t].address(i);
      if (kind.what == Kind::kNumber)
        fail(op.pos, "this address is a number",
             "an access needs the address of a location, such as 0:X1=x in the initial state");
      if (kind.what == Kind::kAnything) {
        one_object_ = true;
        if (op.bytes != 0) unknown_sizes.insert(op.bytes);
      }
      if (kind.what != Kind::kAddress) continue;
      set_size(kind.location, op.bytes, op.pos);
      const auto offset = program_.constant_value(resolvers[t].offset(op.address, i, kind.location));
      if (offset.value_or(0) != 0)
        fail(op.pos,
             fmt::format("this access is to a part of {}, at offset {}", at(kind.location).name, *offset),
             "locations are accessed as a whole; mixed sizes are not supported");
    }
  find_sizes(unknown_sizes);
  make_objects();
  for (size_t t = 0; t < threads_.size(); ++t) {
    ThreadCode& thread = threads_[t];
    std::vector<ThreadBuilder::Label> labels;
    for (uint32_t i = 0; i < thread.label_count(); ++i) labels.push_back(thread.builder().label());
    for (size_t i = 0; i < thread.ops().size(); ++i) {
      Op op = thread.ops()[i];
      std::vector<ExprId> checks;
      op.a = resolvers[t].exact(op.a, i, checks);
      op.b = resolvers[t].exact(op.b, i, checks);
      Address address;
      if (op.address.valid()) {
        const Kind kind = resolvers[t].address(i);
        if (kind.what == Kind::kNothing) continue;  // never reached
        const ExprId number = resolvers[t].exact(op.address, i, checks);
        if (one_object_)
          address = {objects_.front(), cell_of(program_, number), op.bytes};
        else
          address = {objects_[kind.location.index()], resolvers[t].offset(number, i, kind.location)};
        if (kind.what == Kind::kAddress) op.bytes = at(kind.location).bytes;
      }
      for (const ExprId check : checks)
        thread.builder().limit(check, op.pos, "Fenceline does not support addresses in fewer than 64 bits");
      const int width = memory_width(op.bytes);
      emit_op(thread.builder(), op, address, width != 0 ? width : 64, labels);
    }
  }
}

void TestCode::find_sizes(const std::set<uint8_t>& of_unknown_accesses) {
  for (Location& location : locations_) {
    if (location.bytes == 0 && of_unknown_accesses.size() == 1) location.bytes = *of_unknown_accesses.begin();
    if (location.bytes == 0 && of_unknown_accesses.size() > 1)
      fail(location.pos, fmt::format("it is not clear how many bytes {} has", location.name),
           "accesses through pointers have several sizes; declare it with a type in the initial state");
    const int width = memory_width(location.bytes);
    if (width == 0) continue;
    const bool address = kind_of(location.init, locations_.size()).what == Kind::kAddress;
    if (address && holds_address(location.bytes)) continue;
    const auto fits = [&](int bits) {
      return apply(ExprOp::kWrap, location.init, bits).value == location.init;
    };
    if (!fits(width) && !fits(-width))
      fail(location.pos,
           fmt::format("the initial value of {} does not fit into {} bytes", location.name, location.bytes));
    location.init = apply(ExprOp::kWrap, location.init, width).value;
  }
}

void TestCode::make_objects() {
  if (!one_object_) {
    for (const Location& location : locations_)
      objects_.push_back(program_.object(location.name, {location.init}, std::nullopt, location.pos));
    return;
  }
  std::vector<Value> init;
  std::vector<uint8_t> bytes;
  for (const Location& location : locations_) {
    init.push_back(location.init);
    bytes.push_back(location.bytes);
  }
  const ObjectId object = program_.object("memory", init, std::nullopt, locations_.front().pos, true);
  objects_.assign(locations_.size(), object);
  if (std::find(bytes.begin(), bytes.end(), 0) == bytes.end()) program_.cell_bytes(object, std::move(bytes));
}

int TestCode::final_width(LocationId id) const {
  const Location& location = locations_[id.index()];
  if (location.bytes == 0 || location.bytes >= 8) return 0;
  return location.is_unsigned ? -8 * location.bytes : 8 * location.bytes;
}

ExprId TestCode::final_value(LocationId id) {
  const ExprId kept = program_.cell(objects_[id.index()],
                                    program_.constant(one_object_ ? static_cast<Value>(id.index()) : 0));
  const int width = final_width(id);
  if (width == memory_width(locations_[id.index()].bytes)) return kept;
  const ExprId shown = program_.wrap(kept, width);
  if (!one_object_ || !holds_address(locations_[id.index()].bytes)) return shown;
  return program_.select(program_.binary(ExprOp::kGe, kept, program_.constant(kFirstAddress)), kept, shown);
}

}  // namespace fenceline::frontend::litmus
