// SPDX-License-Identifier: GPL-3.0-or-later
//
// Locations instead of temporaries, and parentheses only where they are needed.
#include "report/step_printer.h"

#include <gtest/gtest.h>

#include "unit/check/replay/step_texts.h"

namespace fenceline::testing {
namespace {

TEST(StepPrinter, TemporariesArePrintedAsWhatTheyHold) {
  SceneBuilder b;
  const ObjectId flag = b.builder.object("flag", {0, 1}, std::nullopt, b.pos(), true),
                 lock = b.shared("lock");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId r = p.reg("r"), t0 = p.temp(), t1 = p.temp(), t2 = p.temp();
  const auto go_on = p.label();
  p.load({t0}, b.at(flag, b.number(1)), b.pos());
  p.assign({t1}, b.is(t0, 1), b.pos());
  p.branch(b.builder.unary(ExprOp::kNot, b.builder.reg(t1)), go_on, go_on, b.pos());
  p.bind(go_on);
  p.rmw(RmwOp::kCas, {t2}, b.at(lock), b.number(0), b.number(1), b.pos());
  p.check(b.builder.reg(t2), b.pos());
  p.rmw(RmwOp::kCas, {r}, b.at(lock), b.number(0), b.number(1), b.pos());
  p.rmw(RmwOp::kXchg, {}, b.at(lock), b.number(5), ExprId(), b.pos());
  p.rmw(RmwOp::kFetchAdd, {r}, b.at(lock), b.number(2), ExprId(), b.pos());
  p.assign({r}, b.builder.binary(ExprOp::kMul, b.builder.reg(r), b.number(2)), b.pos());
  p.assume(b.is(r, 10), b.pos());
  p.mark("end", b.pos());
  b.property(PropertyKind::kNoErrors);
  EXPECT_EQ(texts_of(b.finish(), "P P P P P P P P P P P"),
            (std::vector<std::string>{
                "flag[1] is 1", "computes 1", "!(flag[1] == 1) is false", "cas(lock, 0, 1) succeeds",
                "assert(cas(lock, 0, 1))", "r = cas(lock, 0, 1) fails: it is 1", "xchg(lock, 5) reads 1",
                "r = fetch_add(lock, 2) reads 5", "r = 10", "assume(r == 10)", "leaves end"}));
}

TEST(StepPrinter, LocalArrays) {
  SceneBuilder b;
  const ObjectId x = b.shared("x");
  ThreadBuilder& p = b.builder.thread("P", b.pos());
  const RegId i = p.reg("i", 1), a = p.reg_array("a", {3, 4});
  p.load({a, 2, b.builder.reg(i)}, b.at(x), b.pos());
  p.assign({i}, b.builder.reg_at(a, 2, b.builder.reg(i)), b.pos());
  p.assign({a, 2, b.builder.binary(ExprOp::kAdd, b.builder.reg(i), b.number(7))}, b.number(1), b.pos());
  b.property(PropertyKind::kNoErrors);
  const Scene scene = b.finish();
  EXPECT_EQ(texts_of(scene, "P P P"),
            (std::vector<std::string>{"a[1] = x reads 0", "i = 0", "a[i + 7] = 1"}));
  EXPECT_EQ(to_string(scene.run("P P P").steps[2].effect.error), "index 7 is outside a[0..1]");
}

TEST(StepPrinter, FormulasReadAsTheyWereWritten) {
  SceneBuilder b;
  const ObjectId x = b.shared("x"), m = b.builder.object("m", {0, 0}, std::nullopt, b.pos(), true);
  ThreadBuilder& p = b.builder.thread("P[0]", b.pos());
  const RegId r = p.reg("r"), a = p.reg_array("a", {3, 4});
  const auto cs = p.mark("cs", b.pos());
  ProgramBuilder& e = b.builder;
  const ExprId at = e.at(p.id(), cs), in_x = e.cell(x, b.number(0)), in_m = e.cell(m, in_x);
  const ExprId sum = e.binary(ExprOp::kAdd, in_x, e.binary(ExprOp::kSub, in_m, b.number(1)));
  const ExprId product = e.binary(ExprOp::kMul, sum, e.thread_reg(p.id(), r));
  const ExprId less = e.binary(ExprOp::kLt, product, e.thread_reg_at(p.id(), a, 2, in_x));
  const ExprId either = e.binary(ExprOp::kOr, at, b.both(less, e.unary(ExprOp::kNot, at)));
  const ExprId all = b.both(either, e.select(at, b.number(1), b.number(-2)));
  b.property(PropertyKind::kNever, all);
  const Scene scene = b.finish();
  EXPECT_EQ(report::formula_text(scene.program, scene.program.properties[0].formula),
            "(P[0]@cs || (x + (m[x] - 1)) * P[0].r < P[0].a[x] && !P[0]@cs) && (P[0]@cs ? 1 : -2)");
}

}  // namespace
}  // namespace fenceline::testing
