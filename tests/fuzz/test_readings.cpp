// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the litmus tests do not reach: errors, assume, atomic sections, loops and deadlocks in the naive
// explorer, the skips that keep endless programs out, and the shrinker.
#include <gtest/gtest.h>

#include "compare.h"
#include "flat.h"
#include "generator.h"
#include "mini_program.h"
#include "naive.h"
#include "oracle.h"
#include "shrink.h"

namespace fenceline::fuzz {
namespace {

MiniProgram program_with(std::vector<Block> bodies) {
  MiniProgram program;
  for (int v = 0; v < 2; ++v) program.vars.push_back({.array = false, .init = {0}, .declared = {}});
  for (Block& body : bodies)
    program.threads.push_back({.regs = std::vector<Reg>(2), .body = std::move(body)});
  return program;
}

Stmt store(int var, Value value) { return assign(lvalue(var), constant(value)); }
Expr equals(Expr left, Value right) { return node(Op::kEq, {std::move(left), constant(right)}); }
Stmt atomic(Block body) { return compound(StmtKind::kAtomic, constant(0), {std::move(body)}); }

Answer naive(const MiniProgram& program, Model model) { return explore_naively(flatten(program), model); }

TEST(naive, await_waits_and_can_deadlock) {
  const MiniProgram waits = program_with({{store(0, 1)}, {simple(StmtKind::kAwait, equals(lvalue(0), 1))}});
  EXPECT_FALSE(naive(waits, Model::kTso).deadlock_reachable);
  EXPECT_EQ(naive(waits, Model::kTso).finals.size(), 1u);
  const MiniProgram stuck = program_with({{store(0, 1)}, {simple(StmtKind::kAwait, equals(lvalue(0), 2))}});
  EXPECT_TRUE(naive(stuck, Model::kTso).deadlock_reachable);
  EXPECT_TRUE(naive(stuck, Model::kTso).finals.empty());
}

TEST(naive, assume_stops_without_a_deadlock) {
  const MiniProgram program = program_with({{simple(StmtKind::kAssume, equals(lvalue(0), 1))}});
  EXPECT_FALSE(naive(program, Model::kSc).deadlock_reachable);
  EXPECT_TRUE(naive(program, Model::kSc).finals.empty());
}

TEST(naive, atomic_increment_is_fetch_add) {
  const Block increment = {
      atomic({assign(reg(0), lvalue(0)), assign(lvalue(0), node(Op::kAdd, {reg(0), constant(1)}))}),
      assign(reg(1), lvalue(1))};
  const Block fetch_add = {assign(reg(0), node(Op::kFetchAdd, {lvalue(0), constant(1)})),
                           assign(reg(1), lvalue(1))};
  for (const Model model : {Model::kSc, Model::kTso, Model::kPso}) {
    const Answer by_section = naive(program_with({{store(1, 1), increment[0]}, increment}), model);
    const Answer by_rmw = naive(program_with({{store(1, 1), fetch_add[0]}, fetch_add}), model);
    EXPECT_TRUE(by_section.same_as(by_rmw));
  }
}

// The store in the section needs its cell's buffer empty, and no flush happens inside.
TEST(naive, atomic_store_waits_for_its_cell) {
  const MiniProgram program = program_with({{store(0, 1), atomic({store(0, 2)})}});
  for (const Model model : {Model::kSc, Model::kTso, Model::kPso}) {
    const Answer answer = naive(program, model);
    EXPECT_EQ(answer.finals, (std::set<std::vector<Value>>{{2, 0, 0, 0}}));
    EXPECT_FALSE(answer.deadlock_reachable);
  }
}

// One sync is enough for store buffering: it finds the other's store in memory, or comes before it.
TEST(naive, sync_waits_for_all_threads) {
  const auto both_zero_with = [](unsigned kinds, Model model) {
    const MiniProgram program = program_with(
        {{store(0, 1), assign(reg(0), lvalue(1))}, {store(1, 1), fence(kinds), assign(reg(0), lvalue(0))}});
    return naive(program, model).finals.contains({1, 1, 0, 0, 0, 0});
  };
  EXPECT_FALSE(both_zero_with(kAllKinds, Model::kSc));
  for (const Model model : {Model::kTso, Model::kPso}) {
    EXPECT_TRUE(both_zero_with(kAllKinds, model));
    EXPECT_FALSE(both_zero_with(kSync, model));
  }
}

TEST(naive, endless_stores_are_skipped) {
  const MiniProgram program = program_with({{compound(StmtKind::kWhile, constant(1), {{store(0, 1)}})}});
  EXPECT_TRUE(naive(program, Model::kSc).complete);
  EXPECT_EQ(naive(program, Model::kTso).reason, "unbounded buffers");
}

TEST(oracle, errors_need_an_execution) {
  // Message passing: the assertion can fail on PSO only.
  const MiniProgram program =
      program_with({{store(0, 1), store(1, 1)},
                    {assign(reg(0), lvalue(1)), assign(reg(1), lvalue(0)),
                     simple(StmtKind::kAssert, node(Op::kOr, {equals(reg(0), 0), equals(reg(1), 1)}))}});
  const auto answers = axiomatic_answers(flatten(program), 7);
  EXPECT_FALSE(answers[0].error_reachable);
  EXPECT_FALSE(answers[1].error_reachable);
  EXPECT_TRUE(answers[2].error_reachable);
}

TEST(oracle, counting_loops_are_unfolded) {
  const Expr counter = reg(0);
  const Stmt loop =
      compound(StmtKind::kWhile, node(Op::kLt, {counter, constant(2)}),
               {{assign(lvalue(0), counter), assign(counter, node(Op::kAdd, {counter, constant(1)}))}});
  const auto answers = axiomatic_answers(flatten(program_with({{loop}})), 7);
  EXPECT_EQ(answers[2].finals, (std::set<std::vector<Value>>{{1, 0, 2, 0}}));
}

TEST(oracle, endless_loops_are_skipped) {
  const Stmt spin = compound(StmtKind::kWhile, equals(lvalue(0), 0), {{}});
  EXPECT_FALSE(axiomatic_answers(flatten(program_with({{spin}})), 7)[0].complete);
}

bool has_fence(const Block& block, unsigned kinds) {
  for (const Stmt& s : block) {
    if (s.kind == StmtKind::kFence && (s.kinds & kinds)) return true;
    for (const Block& inner : s.blocks)
      if (has_fence(inner, kinds)) return true;
  }
  return false;
}

TEST(shrink, only_what_matters_is_left) {
  const auto fails = [](const MiniProgram& program) {
    for (const MiniThread& thread : program.threads)
      if (has_fence(thread.body, kLoadStore)) return true;
    return false;
  };
  int shrunken = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const MiniProgram program = generate(static_cast<Family>(seed % kFamilies), rng);
    EXPECT_TRUE(well_formed(program)) << print_fl(program);
    if (!fails(program)) continue;
    ++shrunken;
    const MiniProgram small = shrink(program, fails);
    ASSERT_EQ(small.threads.size(), 1u);
    EXPECT_TRUE(small.threads[0].regs.empty());
    EXPECT_EQ(small.threads[0].body, Block{fence(kLoadStore)}) << print_fl(small);
  }
  EXPECT_GT(shrunken, 20);
}

TEST(shrink, a_planted_bug_becomes_a_few_lines) {
  CompareOptions planted;
  planted.naive.plant = Plant::kForwardOldest;
  const auto fails = [&](const MiniProgram& program) {
    return compare_all(program, 2, planted).difference.has_value();
  };
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed);
    const MiniProgram program = generate(Family::kLoopFree, rng);
    if (!fails(program)) continue;
    const MiniProgram small = shrink(program, fails);
    ASSERT_EQ(small.threads.size(), 1u) << print_fl(small);
    EXPECT_LE(small.threads[0].body.size(), 3u) << print_fl(small);
    return;
  }
  FAIL() << "no program shows the planted bug";
}

TEST(generator, same_seed_same_program) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng one(seed), two(seed);
    EXPECT_EQ(generate(Family::kLoops, one), generate(Family::kLoops, two));
  }
}

// Every construct of the families occurs, and every set of fence kinds.
TEST(generator, everything_occurs) {
  std::string all;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    all += print_fl(generate(static_cast<Family>(seed % kFamilies), rng));
  }
  for (const char* construct : {"cas(",
                                "xchg(",
                                "fetch_add(",
                                "fence;",
                                "sync;",
                                "sfence;",
                                "lfence;",
                                "fence(store-load);",
                                "fence(load-store);",
                                "fence(store-load, store-store);",
                                "fence(store-store, load-load);",
                                "fence(store-load, load-load, load-store);",
                                "if (",
                                "else {",
                                "while (",
                                "do {",
                                "choose {",
                                "havoc ",
                                "assume(",
                                "assert(",
                                "await(",
                                "atomic {",
                                "skip;",
                                "break;",
                                "halt;",
                                "a[",
                                "int 0..",
                                " / ",
                                " % "})
    EXPECT_NE(all.find(construct), std::string::npos) << construct;
}

}  // namespace
}  // namespace fenceline::fuzz
