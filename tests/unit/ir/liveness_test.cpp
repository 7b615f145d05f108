// SPDX-License-Identifier: GPL-3.0-or-later
//
// Known answers for the cases that differ (arrays, observed registers, loops), and the meaning itself on
// random programs: scrambling registers that are dead must not change anything a thread does.
#include "ir/analysis/liveness.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "unit/ir/random_program.h"
#include "unit/ir/step.h"

namespace fenceline {
namespace {

constexpr SourcePos kPos{1, 1};

TEST(Liveness, DeadUntilWrittenAndAfterTheLastRead) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, kPos);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r"), s = t.reg("s");
  t.load({r}, {x, b.constant(0)}, kPos);
  t.assign({s}, b.binary(ExprOp::kAdd, b.reg(r), b.reg(s)), kPos);
  t.store({x, b.constant(0)}, b.reg(s), kPos);
  const ExprId formula = b.thread_reg(t.id(), s);
  b.property({"p", PropertyKind::kNever, formula, kPos});
  const Program p = b.finish();
  const Liveness unobserved(p, {}), observed(p);
  const auto row = [&](const Liveness& live, RegId reg) {
    std::vector<bool> result;
    for (size_t i = 0; i < 4; ++i) result.push_back(live.live(ThreadId(0), Point(i), reg));
    return result;
  };
  EXPECT_EQ(row(unobserved, r), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(row(unobserved, s), (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(row(observed, s), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(row(observed, r), row(unobserved, r));
  const Liveness at_end(p, {}, {{ThreadId(0), r}});  // live from its last write to the end
  EXPECT_EQ(row(at_end, r), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(row(at_end, s), row(unobserved, s));
}

TEST(Liveness, FormulasObserveArrayElements) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId i = t.reg("i"), a = t.reg_array("a", {0, 0});
  const ExprId one = b.thread_reg_at(t.id(), a, 2, b.constant(1));
  const ExprId any = b.thread_reg_at(t.id(), a, 2, b.thread_reg(t.id(), i));
  const Program p = b.finish();
  const auto halted = [&](ExprId formula) {
    const Liveness live(p, {formula});
    std::vector<bool> result;
    for (size_t reg = 0; reg < 3; ++reg) result.push_back(live.live(ThreadId(0), Point(0), RegId(reg)));
    return result;
  };
  EXPECT_EQ(halted(one), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(halted(any), (std::vector<bool>{true, true, true}));
}

TEST(Liveness, LoopsCarryValuesBack) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r");
  const auto loop = t.label();
  t.bind(loop);
  t.fence(FenceKinds::full(), kPos);
  t.check(b.reg(r), kPos);
  t.jump(loop);
  const Program p = b.finish();
  EXPECT_TRUE(Liveness(p).live(ThreadId(0), Point(0), r));
  EXPECT_TRUE(Liveness(p).live(ThreadId(0), Point(1), r));
}

TEST(Liveness, ArraysElementByElementOnlyIfConstant) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId i = t.reg("i"), a = t.reg_array("a", {0, 0});
  t.assign({a, 2, b.constant(1)}, b.constant(5), kPos);  // 0: kills a[1]
  t.assign({a, 2, b.reg(i)}, b.constant(6), kPos);       // 1: kills nothing
  t.check(b.reg_at(a, 2, b.constant(1)), kPos);          // 2: reads a[1]
  t.check(b.reg_at(a, 2, b.reg(i)), kPos);               // 3: reads all
  const Program p = b.finish();
  const Liveness live(p);
  const RegId a0 = a, a1(a.index() + 1);
  EXPECT_TRUE(live.live(ThreadId(0), Point(0), a0));
  EXPECT_FALSE(live.live(ThreadId(0), Point(0), a1));
  EXPECT_TRUE(live.live(ThreadId(0), Point(1), a1));
  EXPECT_TRUE(live.live(ThreadId(0), Point(3), a0));
  EXPECT_TRUE(live.live(ThreadId(0), Point(3), a1));
  EXPECT_FALSE(live.live(ThreadId(0), Point(4), a0));
  EXPECT_TRUE(live.live(ThreadId(0), Point(3), i));
  EXPECT_FALSE(live.live(ThreadId(0), Point(4), i));
}

// Everything a thread does that others could notice.
std::vector<Value> behaviour(const Program& p, ThreadId thread, const Liveness& live, uint64_t seed,
                             bool scramble) {
  Rng noise(seed + 1);
  std::vector<Value> memory = p.initial_memory(), log;
  SingleThread m{p, thread, Rng(seed), {}, p.thread(thread).entry, {}, {}};
  for (const Register& reg : p.thread(thread).registers) m.registers.push_back(reg.init);
  m.read = [&](CellId cell) { return memory[cell.index()]; };
  m.write = [&](CellId cell, Value value) {
    memory[cell.index()] = value;
    log.push_back(static_cast<Value>(cell.index()));
    log.push_back(value);
  };
  for (int step = 0; step < 200; ++step) {
    if (scramble)
      for (size_t r = 0; r < m.registers.size(); ++r)
        if (!live.live(thread, m.point, RegId(r))) m.registers[r] = noise.between(-100, 100);
    const auto outcome = m.step();
    log.push_back(static_cast<Value>(m.point.value()));
    log.push_back(static_cast<Value>(outcome));
    if (outcome != SingleThread::Outcome::kMoved) break;
    for (size_t r = 0; r < m.registers.size(); ++r)
      if (live.live(thread, m.point, RegId(r))) log.push_back(m.registers[r]);
  }
  return log;
}

TEST(Liveness, DeadRegistersDoNotMatter) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const Program p = random_program(rng);
    const Liveness live(p, {});
    for (size_t t = 0; t < p.threads.size(); ++t)
      ASSERT_EQ(behaviour(p, ThreadId(t), live, seed, false), behaviour(p, ThreadId(t), live, seed, true))
          << "seed " << seed;
  }
}

}  // namespace
}  // namespace fenceline
