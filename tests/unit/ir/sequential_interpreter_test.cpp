// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/sequential_interpreter.h"

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace fenceline {
namespace {

// One thread on x (a cell) and a (three cells).
class SequentialInterpreterTest : public ::testing::Test {
 protected:
  ProgramBuilder builder{SourceFile{"test", ""}};
  ObjectId x = builder.object("x", {5}, std::nullopt, {}, false);
  ObjectId a = builder.object("a", {1, 2, 3}, std::nullopt, {}, true);
  ThreadBuilder& thread = builder.thread("P", {});

  ExprId number(Value value) { return builder.constant(value); }

  struct End {
    SequentialInterpreter::Step step;
    std::vector<Value> memory, registers;
    std::string why;
  };
  // To the end, always the same alternative.
  End run(uint64_t alternative = 0) {
    thread.halt({});
    const Program program = builder.finish();
    const SequentialInterpreter interpreter(program);
    SequentialState state = interpreter.begin(ThreadId(0));
    End end{SequentialInterpreter::Step::kOn, program.initial_memory(), {}, ""};
    for (int i = 0; i < 1000 && end.step == SequentialInterpreter::Step::kOn; ++i) {
      const SequentialState before = state;
      const std::vector<Value> memory = end.memory;
      const uint64_t alternatives = interpreter.alternatives(ThreadId(0), state);
      end.step =
          interpreter.step(ThreadId(0), state, end.memory, std::min(alternative, alternatives - 1), end.why);
      if (end.step == SequentialInterpreter::Step::kOn) continue;
      EXPECT_EQ(memory, end.memory);  // all as it was
      EXPECT_EQ(before.registers, state.registers);
      EXPECT_EQ(before.at, state.at);
    }
    end.registers = state.registers;
    return end;
  }
};

TEST_F(SequentialInterpreterTest, AccessesAndRmws) {
  const RegId r = thread.reg("r"), s = thread.reg("s"), t = thread.reg("t");
  thread.load({r}, {x, number(0), 0}, {});
  thread.store({a, number(1), 0}, builder.binary(ExprOp::kAdd, builder.reg(r), number(4)), {});
  thread.rmw(RmwOp::kFetchAdd, {s}, {a, number(1), 0}, number(3), ExprId(), {});
  thread.rmw(RmwOp::kCasValue, {t}, {x, number(0), 0}, number(5), number(6), {});
  thread.rmw(RmwOp::kCas, {t}, {x, number(0), 0}, number(5), number(7), {});
  thread.rmw(RmwOp::kXchg, {}, {a, number(0), 0}, number(8), ExprId(), {});
  const End end = run();
  EXPECT_EQ(end.step, SequentialInterpreter::Step::kEnded);
  EXPECT_EQ(end.memory, (std::vector<Value>{6, 8, 12, 3}));
  EXPECT_EQ(end.registers, (std::vector<Value>{5, 9, 0}));
}

TEST_F(SequentialInterpreterTest, BranchesAndChoices) {
  const RegId r = thread.reg("r");
  const auto yes = thread.label(), no = thread.label(), end_label = thread.label();
  thread.havoc({r}, {3, 6}, {});
  thread.branch(builder.binary(ExprOp::kGt, builder.reg(r), number(4)), yes, no, {});
  thread.bind(yes);
  thread.store({x, number(0), 0}, number(100), {});
  thread.jump(end_label);
  thread.bind(no);
  thread.store({x, number(0), 0}, number(200), {});
  thread.bind(end_label);
  const End end = run(2);
  EXPECT_EQ(end.registers, (std::vector<Value>{5}));
  EXPECT_EQ(end.memory.front(), 100);
}

TEST_F(SequentialInterpreterTest, LimitsOfOursAreNoErrors) {
  thread.limit(number(0), {}, "Fenceline cannot do this");
  EXPECT_EQ(run().step, SequentialInterpreter::Step::kOurLimit);
}

TEST_F(SequentialInterpreterTest, Waits) {
  thread.assume(number(0), {});
  EXPECT_EQ(run().step, SequentialInterpreter::Step::kBlocked);
}

TEST_F(SequentialInterpreterTest, FailsOutsideOfAnObject) {
  thread.store({a, number(3), 0}, number(1), {});
  const End end = run();
  EXPECT_EQ(end.step, SequentialInterpreter::Step::kFailed);
  EXPECT_EQ(end.why, "there is nothing at a[3]");
}

TEST_F(SequentialInterpreterTest, FailsWithoutAValue) {
  const RegId r = thread.reg("r");
  thread.assign({r}, builder.binary(ExprOp::kDiv, number(1), builder.reg(r)), {});
  EXPECT_EQ(run().step, SequentialInterpreter::Step::kFailed);
}

TEST_F(SequentialInterpreterTest, FailsWhereAnAssertionDoes) {
  thread.check(number(0), {}, "as it should");
  EXPECT_EQ(run().why, "as it should");
}

}  // namespace
}  // namespace fenceline
