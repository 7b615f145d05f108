// SPDX-License-Identifier: GPL-3.0-or-later
//
// What programs can do that `.fl` has no words for, on all engines: cells that do not exist and accesses of
// the wrong size, objects of many cells, rmw operations, types that wrap, and the property that looks at
// errors and at the end.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/portfolio/portfolio.h"
#include "ir/builder.h"
#include "model/memory_model.h"
#include "task/task.h"

namespace fenceline::engine {
namespace {

constexpr SourcePos kPos{1, 1};

Result verify_by(std::string_view engine, const Program& program, const std::string& model,
                 size_t property = 0) {
  const FenceSet fences;
  Limits limits(3600, uint64_t{1} << 30);
  const Task task{program, fences, memory_model(model), program.properties.at(property)};
  return engine::verify_by(engine, task, Options(), limits);
}

// The verdict that all engines agree on; witnesses are checked as well.
std::string verdict(const Program& program, size_t property = 0) {
  std::string all;
  for (const char* model : {"sc", "tso", "pso"})
    for (const char* engine : {"explicit", "sat", "coherence", "automata"}) {
      const Result result = verify_by(engine, program, model, property);
      const std::string verdict(to_string(result.verdict()));
      if (all.empty()) all = verdict;
      EXPECT_EQ(verdict, all) << engine << " on " << model << ": " << result.reason;
      if (result.verdict() == Verdict::kViolated) {
        EXPECT_TRUE(result.replay() && result.replay()->ok) << engine << " on " << model;
      }
    }
  for (const char* model : {"rmo", "relaxed"}) {
    const Result result = verify_by("sat", program, model, property);
    EXPECT_EQ(std::string(to_string(result.verdict())), all) << "sat on " << model << ": " << result.reason;
  }
  return all;
}

// One thread that chooses an offset of 0..size-1 and accesses so many bytes there.
Program accesses(std::vector<uint8_t> cells, Range offsets, uint8_t bytes, bool store) {
  ProgramBuilder b({"t", ""});
  const ObjectId heap = b.object("heap", std::vector<Value>(cells.size(), 0), std::nullopt, kPos, true);
  b.cell_bytes(heap, std::move(cells));
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId at = t.reg("at"), r = t.reg("r");
  t.havoc({at}, offsets, kPos);
  if (store)
    t.store({heap, b.reg(at), bytes}, b.constant(1), kPos);
  else
    t.load({r}, {heap, b.reg(at), bytes}, kPos);
  ThreadBuilder& other = b.thread("Q", kPos);  // so that there is something to order
  const RegId s = other.reg("s");
  other.load({s}, {heap, b.constant(4), 0}, kPos);
  b.property({"errors", PropertyKind::kNoErrors, ExprId(), kPos});
  return b.finish();
}

TEST(Cells, AccessesAtNoCellOrOfAnotherSizeAreErrors) {
  const std::vector<uint8_t> cells = {4, 0, 0, 0, 4, 0, 0, 0, 2, 0};
  for (const bool store : {false, true}) {
    EXPECT_EQ(verdict(accesses(cells, {0, 0}, 4, store)), "verified");
    EXPECT_EQ(verdict(accesses(cells, {4, 4}, 0, store)), "verified");
    EXPECT_EQ(verdict(accesses(cells, {8, 8}, 2, store)), "verified");
    EXPECT_EQ(verdict(accesses(cells, {8, 8}, 4, store)), "violated");
    EXPECT_EQ(verdict(accesses(cells, {1, 1}, 4, store)), "violated");
    EXPECT_EQ(verdict(accesses(cells, {1, 1}, 0, store)), "violated");
    EXPECT_EQ(verdict(accesses(cells, {0, 4}, 4, store)), "violated");
    EXPECT_EQ(verdict(accesses(cells, {8, 10}, 2, store)), "violated");
  }
}

// Two threads pass a message through an object of many cells of which few exist.
Program message(size_t size) {
  ProgramBuilder b({"t", ""});
  const ObjectId heap = b.object("heap", std::vector<Value>(size, 0), std::nullopt, kPos, true);
  std::vector<uint8_t> bytes(size, 0);
  bytes[8] = bytes[size - 8] = 4;
  b.cell_bytes(heap, bytes);
  const ExprId data = b.constant(8), flag = b.constant(static_cast<Value>(size) - 8);
  ThreadBuilder& p = b.thread("P", kPos);
  p.store({heap, data, 4}, b.constant(7), kPos);
  p.fence(FenceKinds::full(), kPos);
  p.store({heap, flag, 4}, b.constant(1), kPos);
  ThreadBuilder& q = b.thread("Q", kPos);
  const RegId r = q.reg("r"), s = q.reg("s"), where = q.reg("where");
  q.load({r}, {heap, flag, 4}, kPos);
  q.fence(FenceKinds::full(), kPos);
  const auto got = q.label(), end = q.label();
  q.branch(b.reg(r), got, end, kPos);
  q.bind(got);
  q.assign({where}, data, kPos);
  q.load({s}, {heap, b.reg(where), 4}, kPos);
  q.check(b.binary(ExprOp::kEq, b.reg(s), b.constant(7)), kPos);
  q.bind(end);
  q.halt(kPos);
  b.property({"errors", PropertyKind::kNoErrors, ExprId(), kPos});
  return b.finish();
}

TEST(Cells, ThoseThatDoNotExistCostNothing) {
  const Program many = message(6000), few = message(32);
  EXPECT_EQ(verdict(many), "verified");
  const auto bytes = [](const Result& result) {
    for (const auto& [name, value] : result.statistics.figures)
      if (name == "bytes_per_state") return value;
    return 0.0;
  };
  EXPECT_EQ(bytes(verify_by("explicit", many, "pso")), bytes(verify_by("explicit", few, "pso")));
  const auto formula = [](const Result& result) {
    std::string sizes;
    for (const auto& [name, value] : result.statistics.figures)
      if (name == "clauses" || name == "variables" || name == "events")
        sizes += name + " " + std::to_string(value) + " ";
    return sizes;
  };
  EXPECT_EQ(formula(verify_by("sat", many, "tso")), formula(verify_by("sat", few, "tso")));
}

// P does the rmw on x, which is `start`; then the property compares what is in r and x.
Program one_rmw(RmwOp op, Value start, Value a, Value b_value, Value result, Value left, int wrap = 0) {
  ProgramBuilder b({"t", ""});
  const ObjectId x = b.object("x", {start}, std::nullopt, kPos);
  const ExprId zero = b.constant(0);
  ThreadBuilder& p = b.thread("P", kPos);
  const RegId r = p.reg("r"), n = p.reg("n", a);
  p.rmw(op, {r}, {x, zero}, b.reg(n), is_cas(op) ? b.constant(b_value) : ExprId(), kPos);
  if (wrap != 0) p.wrap_fetched(wrap);
  b.property({"p", PropertyKind::kFinally,
              b.binary(ExprOp::kAnd, b.binary(ExprOp::kEq, b.thread_reg(p.id(), r), b.constant(result)),
                       b.binary(ExprOp::kEq, b.cell(x, zero), b.constant(left))),
              kPos});
  return b.finish();
}

TEST(Rmw, WhatEachLeavesAndReturns) {
  EXPECT_EQ(verdict(one_rmw(RmwOp::kCasValue, 5, 5, 9, 5, 9)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kCasValue, 5, 4, 9, 5, 5)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kCasValue, 5, 4, 9, 0, 5)), "violated");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAnd, 12, 10, 0, 12, 8)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchOr, 12, 10, 0, 12, 14)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchXor, 12, 10, 0, 12, 6)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchXor, 12, 10, 0, 12, 7)), "violated");
}

TEST(Rmw, WhatIsStoredWraps) {
  constexpr Value kMost = 0x7fff'ffff, kLeast = -kMost - 1;
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAdd, kMost, 1, 0, kMost, kLeast, 32)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAdd, kMost, 1, 0, kMost, kMost + 1, 32)), "violated");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAdd, 0, -1, 0, 0, 0xffff'ffff, -32)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAdd, 255, 3, 0, 255, 2, -8)), "verified");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchAdd, 255, 3, 0, 255, 3, -8)), "violated");
  EXPECT_EQ(verdict(one_rmw(RmwOp::kFetchXor, 1, 258, 0, 1, 3, -8)), "verified");
}

// A counter of two bits that a loop increments for ever: three of four values are ever seen as the first.
TEST(Rmw, ACounterThatWrapsInALoop) {
  ProgramBuilder b({"t", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, kPos);
  const ExprId zero = b.constant(0);
  ThreadBuilder& p = b.thread("P", kPos);
  const RegId r = p.reg("r");
  const auto again = p.label();
  p.bind(again);
  p.rmw(RmwOp::kFetchAdd, {r}, {x, zero}, b.constant(1), ExprId(), kPos);
  p.wrap_fetched(-2);
  p.check(b.binary(ExprOp::kLe, b.reg(r), b.constant(3)), kPos);
  p.jump(again);
  b.property({"errors", PropertyKind::kNoErrors, ExprId(), kPos});
  b.property({"small", PropertyKind::kAlways, b.binary(ExprOp::kLe, b.cell(x, zero), b.constant(3)), kPos});
  b.property({"less", PropertyKind::kAlways, b.binary(ExprOp::kLe, b.cell(x, zero), b.constant(2)), kPos});
  const Program program = b.finish();
  for (const char* engine : {"explicit", "numeric"})
    for (const char* model : {"sc", "tso", "pso"}) {
      EXPECT_EQ(verify_by(engine, program, model, 0).verdict(), Verdict::kVerified) << engine << model;
      EXPECT_EQ(verify_by(engine, program, model, 1).verdict(), Verdict::kVerified) << engine << model;
      EXPECT_NE(verify_by(engine, program, model, 2).verdict(), Verdict::kVerified) << engine << model;
    }
}

// An unsigned byte that wraps: x = (x + 1) as u8, twice, from 254.
TEST(Wrap, AByteWraps) {
  ProgramBuilder b({"t", ""});
  const ObjectId x = b.object("x", {254}, std::nullopt, kPos);
  const ExprId zero = b.constant(0);
  ThreadBuilder& p = b.thread("P", kPos);
  const RegId r = p.reg("r");
  for (int i = 0; i < 2; ++i) {
    p.load({r}, {x, zero}, kPos);
    p.store({x, zero}, b.wrap(b.binary(ExprOp::kAdd, b.reg(r), b.constant(1)), -8), kPos);
  }
  p.load({r}, {x, zero}, kPos);
  p.check(b.binary(ExprOp::kUlt, b.reg(r), b.binary(ExprOp::kSub, b.reg(r), b.constant(1))), kPos);
  b.property({"errors", PropertyKind::kNoErrors, ExprId(), kPos});
  b.property({"zero", PropertyKind::kFinally, b.binary(ExprOp::kEq, b.cell(x, zero), zero), kPos});
  const Program program = b.finish();
  EXPECT_EQ(verdict(program, 0), "verified");
  EXPECT_EQ(verdict(program, 1), "verified");
}

// Q may see 0, 1 or 2; an error if it sees 2 and `fails`; at the end it must have seen less than `least`.
Program observed(bool fails, Value least) {
  ProgramBuilder b({"t", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, kPos);
  const ExprId zero = b.constant(0);
  ThreadBuilder& p = b.thread("P", kPos);
  p.store({x, zero}, b.constant(1), kPos);
  p.store({x, zero}, b.constant(2), kPos);
  ThreadBuilder& q = b.thread("Q", kPos);
  const RegId r = q.reg("r");
  q.load({r}, {x, zero}, kPos);
  if (fails) q.check(b.binary(ExprOp::kNe, b.reg(r), b.constant(2)), kPos, "two is too much");
  b.property({"p", PropertyKind::kObservations,
              b.binary(ExprOp::kLt, b.thread_reg(q.id(), r), b.constant(least)), kPos});
  return b.finish();
}

TEST(Observations, ErrorsAndTheEnd) {
  EXPECT_EQ(verdict(observed(false, 3)), "verified");
  EXPECT_EQ(verdict(observed(false, 2)), "violated");
  EXPECT_EQ(verdict(observed(true, 3)), "violated");
  EXPECT_EQ(verdict(observed(true, 1)), "violated");
}

}  // namespace
}  // namespace fenceline::engine
