// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which object does an access go to? Of each register it is known, at each place, that it holds a number, the
// address of one location (plus a number), or that nothing is known: constant propagation over three kinds of
// values. In nearly all tests this says of every access which location it is, and the address of the IR is
// that object with the rest as its offset: an address dependency such as x + (r ^ r) stays in the expression.
//
// Tests that store addresses in memory ("x=y") are different: what a load brings may be any address. Then all
// locations become cells of one object, and the offset is computed from the address. Both ways, an access
// that goes nowhere is an error when it runs (the offset is out of bounds), never a wrong location.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/litmus/code.h"

namespace fenceline::litmus {
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
        if (where_.size() <= thread.ops()[i].label.index()) where_.resize(thread.ops()[i].label.index() + 1);
        where_[thread.ops()[i].label.index()] = i;
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

  // `address` without the address of `location`, of which it is known to be that and a number.
  ExprId offset(size_t op, LocationId location) {
    return without(thread_.ops()[op].address, before_[op], location);
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
      const Kind loaded = addresses_in_memory_ ? anything() : number();
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
        reach(where_[op.label.index()], after);
      if (op.kind != OpKind::kJump) reach(at + 1, after);
    }
  }

  void note_stored(ExprId value, const Kinds& kinds) {
    if (kind(value, kinds).what > Kind::kNumber) stores_addresses_ = true;
  }

  Kind kind(ExprId id, const Kinds& kinds) {
    const Expr e = test_.program().expr(id);
    switch (e.op) {
      case ExprOp::kConst:
        return kind_of(e.imm, test_.locations().size());
      case ExprOp::kReg:
        return e.reg.index() + 1 < kinds.size() ? kinds[e.reg.index()] : number();
      case ExprOp::kSelect:
        return join(kind(e.b, kinds), kind(e.c, kinds));
      default:
        break;
    }
    if (e.op == ExprOp::kNot) return number();
    if (arity(e.op) == 1) return kind(e.a, kinds).what > Kind::kNumber ? anything() : number();
    const Kind a = kind(e.a, kinds), b = kind(e.b, kinds);
    const bool numbers = a.what <= Kind::kNumber && b.what <= Kind::kNumber;
    if (numbers || is_truth(e.op)) return number();
    if (e.op == ExprOp::kAdd && a.what == Kind::kAddress && b.what <= Kind::kNumber) return a;
    if (e.op == ExprOp::kAdd && b.what == Kind::kAddress && a.what <= Kind::kNumber) return b;
    if (e.op == ExprOp::kSub && a.what == Kind::kAddress && b.what <= Kind::kNumber) return a;
    if (e.op == ExprOp::kSub && a.what == Kind::kAddress && a == b) return number();
    if ((e.op == ExprOp::kBitXor || e.op == ExprOp::kSub) && same(e.a, e.b)) return number();
    return anything();
  }

  static bool is_truth(ExprOp op) { return op >= ExprOp::kEq && op <= ExprOp::kOr; }

  bool same(ExprId x, ExprId y) {
    const Expr a = test_.program().expr(x), b = test_.program().expr(y);
    return a.op == ExprOp::kReg && b.op == ExprOp::kReg && a.reg == b.reg;
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
  std::vector<size_t> where_;  // by LabelId
  std::vector<Kinds> before_;  // by op; empty: not reached (yet)
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

void emit_op(ThreadBuilder& builder, const Op& op, Address address,
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
      builder.place(on);
      break;
    }
    case OpKind::kChoose: {
      const ThreadBuilder::Label on = builder.label();
      builder.choose({on, labels[op.label.index()]}, op.pos);
      builder.place(on);
      break;
    }
    case OpKind::kAssume:
      builder.assume(op.a, op.pos);
      break;
    case OpKind::kJump:
      builder.jump(labels[op.label.index()]);
      break;
    case OpKind::kLabel:
      builder.place(labels[op.label.index()]);
      break;
    case OpKind::kAtomicBegin:
      builder.atomic_begin(op.pos);
      break;
    case OpKind::kAtomicEnd:
      builder.atomic_end(op.pos);
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
  for (size_t t = 0; t < threads_.size(); ++t)
    for (size_t i = 0; i < threads_[t].ops().size(); ++i) {
      const Op& op = threads_[t].ops()[i];
      if (!op.address.valid()) continue;
      const Kind kind = resolvers[t].address(i);
      if (kind.what == Kind::kNumber)
        fail(op.pos, "this address is a number",
             "an access needs the address of a location, such as 0:X1=x in the initial state");
      if (kind.what == Kind::kAnything) one_object_ = true;
    }
  make_objects();
  for (size_t t = 0; t < threads_.size(); ++t) {
    ThreadCode& thread = threads_[t];
    std::vector<ThreadBuilder::Label> labels;
    for (uint32_t i = 0; i < thread.label_count(); ++i) labels.push_back(thread.builder().label());
    for (size_t i = 0; i < thread.ops().size(); ++i) {
      const Op& op = thread.ops()[i];
      Address address;
      if (op.address.valid()) {
        const Kind kind = resolvers[t].address(i);
        if (kind.what == Kind::kNothing) continue;  // never reached
        if (one_object_)
          address = {objects_.front(), cell_of(program_, op.address)};
        else
          address = {objects_[kind.location.index()], resolvers[t].offset(i, kind.location)};
      }
      emit_op(thread.builder(), op, address, labels);
    }
  }
}

void TestCode::make_objects() {
  if (!one_object_) {
    for (const Location& location : locations_)
      objects_.push_back(program_.object(location.name, {location.init}, std::nullopt, location.pos));
    return;
  }
  std::vector<Value> init;
  for (const Location& location : locations_) init.push_back(location.init);
  objects_.assign(locations_.size(),
                  program_.object("memory", init, std::nullopt, locations_.front().pos, true));
}

ExprId TestCode::final_value(LocationId id) {
  return program_.cell(objects_[id.index()],
                       program_.constant(one_object_ ? static_cast<Value>(id.index()) : 0));
}

}  // namespace fenceline::litmus
