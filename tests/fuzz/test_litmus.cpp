// SPDX-License-Identifier: GPL-3.0-or-later
//
// The readings themselves on the classic shapes, whose verdicts can be looked up (Herding cats, table of
// TSO and PSO tests; SPARC manual, appendix D). Each test names one outcome and says under which of SC, TSO
// and PSO it is allowed; the axiomatic oracle, the naive explorer and the engine (where built) must all say
// so.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "engine_adapter.h"
#include "flat.h"
#include "mini_program.h"
#include "naive.h"
#include "oracle.h"

namespace fenceline::fuzz {
namespace {

constexpr int kX = 0, kY = 1, kZ = 2;

Stmt store(int var, Value value) { return assign(lvalue(var), constant(value)); }
Stmt load(int to, int var) { return assign(reg(to), lvalue(var)); }
Stmt xchg(int to, int var, Value value) {
  return assign(reg(to), node(Op::kXchg, {lvalue(var), constant(value)}));
}
Stmt fetch_add(int to, int var, Value value) {
  return assign(reg(to), node(Op::kFetchAdd, {lvalue(var), constant(value)}));
}
// A cas that always fails: no test stores 77.
Stmt failing_cas(int to, int var) {
  return assign(reg(to), node(Op::kCas, {lvalue(var), constant(77), constant(78)}));
}

struct Litmus {
  std::string name;
  std::vector<Block> threads;
  std::map<std::string, Value> outcome;
  bool sc, tso, pso;
};

std::ostream& operator<<(std::ostream& out, const Litmus& litmus) { return out << litmus.name; }

MiniProgram program_of(const Litmus& litmus) {
  MiniProgram program;
  for (int v = 0; v < 3; ++v) program.vars.push_back({.array = false, .init = {0}, .declared = {}});
  for (const Block& body : litmus.threads)
    program.threads.push_back({.regs = std::vector<Reg>(3), .body = body});
  return program;
}

// One entry for each test.
// NOLINTNEXTLINE(readability-function-size)
const std::vector<Litmus>& tests() {
  static const std::vector<Litmus> kTests = {
      // Store buffering.
      {"SB",
       {{store(kX, 1), load(0, kY)}, {store(kY, 1), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       1,
       1},
      {"SB_fences",
       {{store(kX, 1), fence(kAllKinds), load(0, kY)}, {store(kY, 1), fence(kAllKinds), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"SB_store_load",
       {{store(kX, 1), fence(kStoreLoad), load(0, kY)}, {store(kY, 1), fence(kStoreLoad), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"SB_one_fence",
       {{store(kX, 1), fence(kAllKinds), load(0, kY)}, {store(kY, 1), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       1,
       1},
      {"SB_all_but_store_load",
       {{store(kX, 1), fence(kAllKinds - kStoreLoad), load(0, kY)},
        {store(kY, 1), fence(kAllKinds - kStoreLoad), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       1,
       1},
      {"SB_xchg_as_stores",
       {{xchg(1, kX, 1), load(0, kY)}, {xchg(1, kY, 1), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"SB_rmw_as_loads",
       {{store(kX, 1), fetch_add(0, kY, 0)}, {store(kY, 1), fetch_add(0, kX, 0)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       1},
      // An rmw elsewhere empties the buffer on TSO; on PSO it only waits for its own cell.
      {"SB_rmw_elsewhere",
       {{store(kX, 1), fetch_add(1, kZ, 0), load(0, kY)}, {store(kY, 1), fetch_add(1, kZ, 0), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       1},
      {"SB_failed_cas_elsewhere",
       {{store(kX, 1), failing_cas(1, kZ), load(0, kY)}, {store(kY, 1), failing_cas(1, kZ), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       1},
      {"SB_failed_cas_on_the_cell",
       {{store(kX, 1), failing_cas(1, kX), load(0, kY)}, {store(kY, 1), failing_cas(1, kY), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"SB_sfence_rmw_elsewhere",
       {{store(kX, 1), fence(kStoreStore), failing_cas(1, kZ), load(0, kY)},
        {store(kY, 1), fence(kStoreStore), failing_cas(1, kZ), load(0, kX)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"SB_forwarding",
       {{store(kX, 1), load(0, kX), load(1, kY)}, {store(kY, 1), load(0, kY), load(1, kX)}},
       {{"P0.r0", 1}, {"P0.r1", 0}, {"P1.r0", 1}, {"P1.r1", 0}},
       0,
       1,
       1},
      // Message passing.
      {"MP",
       {{store(kX, 1), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       1},
      {"MP_sfence",
       {{store(kX, 1), fence(kStoreStore), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       0},
      {"MP_full_fence",
       {{store(kX, 1), fence(kAllKinds), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       0},
      {"MP_store_load_orders_no_stores",
       {{store(kX, 1), fence(kStoreLoad), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       1},
      {"MP_store_load_and_a_load",
       {{store(kX, 1), fence(kStoreLoad), load(0, kZ), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       0},
      {"MP_fence_of_reader_only",
       {{store(kX, 1), store(kY, 1)}, {load(0, kY), fence(kAllKinds), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       1},
      {"MP_xchg_second",
       {{store(kX, 1), xchg(0, kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       1},
      {"MP_xchg_first",
       {{xchg(0, kX, 1), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       0},
      {"MP_sfence_xchg",
       {{store(kX, 1), fence(kStoreStore), xchg(0, kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}},
       0,
       0,
       0},
      // The others of two threads and two variables.
      {"LB",
       {{load(0, kX), store(kY, 1)}, {load(0, kY), store(kX, 1)}},
       {{"P0.r0", 1}, {"P1.r0", 1}},
       0,
       0,
       0},
      {"R", {{store(kX, 1), store(kY, 1)}, {store(kY, 2), load(0, kX)}}, {{"y", 2}, {"P1.r0", 0}}, 0, 1, 1},
      {"R_store_load",
       {{store(kX, 1), store(kY, 1)}, {store(kY, 2), fence(kStoreLoad), load(0, kX)}},
       {{"y", 2}, {"P1.r0", 0}},
       0,
       0,
       1},
      {"R_sfence_store_load",
       {{store(kX, 1), fence(kStoreStore), store(kY, 1)}, {store(kY, 2), fence(kStoreLoad), load(0, kX)}},
       {{"y", 2}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"S", {{store(kX, 2), store(kY, 1)}, {load(0, kY), store(kX, 1)}}, {{"x", 2}, {"P1.r0", 1}}, 0, 0, 1},
      {"S_sfence",
       {{store(kX, 2), fence(kStoreStore), store(kY, 1)}, {load(0, kY), store(kX, 1)}},
       {{"x", 2}, {"P1.r0", 1}},
       0,
       0,
       0},
      {"2+2W", {{store(kX, 1), store(kY, 2)}, {store(kY, 1), store(kX, 2)}}, {{"x", 1}, {"y", 1}}, 0, 0, 1},
      {"2+2W_one_sfence",
       {{store(kX, 1), fence(kStoreStore), store(kY, 2)}, {store(kY, 1), store(kX, 2)}},
       {{"x", 1}, {"y", 1}},
       0,
       0,
       1},
      {"2+2W_sfences",
       {{store(kX, 1), fence(kStoreStore), store(kY, 2)}, {store(kY, 1), fence(kStoreStore), store(kX, 2)}},
       {{"x", 1}, {"y", 1}},
       0,
       0,
       0},
      // Three and four threads.
      {"WRC",
       {{store(kX, 1)}, {load(0, kX), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P2.r0", 1}, {"P2.r1", 0}},
       0,
       0,
       0},
      {"RWC",
       {{store(kX, 1)}, {load(0, kX), load(1, kY)}, {store(kY, 1), load(0, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}, {"P2.r0", 0}},
       0,
       1,
       1},
      {"ISA2",
       {{store(kX, 1), store(kY, 1)}, {load(0, kY), store(kZ, 1)}, {load(0, kZ), load(1, kX)}},
       {{"P1.r0", 1}, {"P2.r0", 1}, {"P2.r1", 0}},
       0,
       0,
       1},
      {"W+RWC",
       {{store(kX, 1), store(kY, 1)}, {load(0, kY), load(1, kZ)}, {store(kZ, 1), load(0, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 0}, {"P2.r0", 0}},
       0,
       1,
       1},
      {"Z6.0",
       {{store(kX, 1), store(kY, 1)}, {store(kY, 2), store(kZ, 1)}, {store(kZ, 2), load(0, kX)}},
       {{"y", 2}, {"z", 2}, {"P2.r0", 0}},
       0,
       1,
       1},
      {"IRIW",
       {{store(kX, 1)}, {store(kY, 1)}, {load(0, kX), load(1, kY)}, {load(0, kY), load(1, kX)}},
       {{"P2.r0", 1}, {"P2.r1", 0}, {"P3.r0", 1}, {"P3.r1", 0}},
       0,
       0,
       0},
      // Coherence, and atomicity of rmw.
      {"CoRR", {{store(kX, 1)}, {load(0, kX), load(1, kX)}}, {{"P1.r0", 1}, {"P1.r1", 0}}, 0, 0, 0},
      {"CoWW", {{store(kX, 1), store(kX, 2)}}, {{"x", 1}}, 0, 0, 0},
      {"CoRW", {{load(0, kX), store(kX, 1)}}, {{"P0.r0", 1}}, 0, 0, 0},
      {"CoWR", {{store(kX, 1), load(0, kX)}, {store(kX, 2)}}, {{"P0.r0", 2}, {"x", 1}}, 0, 0, 0},
      {"CoWR_own", {{store(kX, 1), store(kX, 2), load(0, kX)}}, {{"P0.r0", 1}}, 0, 0, 0},
      {"two_fetch_adds",
       {{fetch_add(0, kX, 1)}, {fetch_add(0, kX, 1)}},
       {{"P0.r0", 0}, {"P1.r0", 0}},
       0,
       0,
       0},
      {"fetch_add_and_store", {{fetch_add(0, kX, 1)}, {store(kX, 5)}}, {{"P0.r0", 0}, {"x", 1}}, 0, 0, 0},
      // One that must be there on all models, lest "nothing is allowed" pass.
      {"MP_ordinary",
       {{store(kX, 1), store(kY, 1)}, {load(0, kY), load(1, kX)}},
       {{"P1.r0", 1}, {"P1.r1", 1}},
       1,
       1,
       1},
  };
  return kTests;
}

bool allows(const MiniProgram& program, const Answer& answer, const std::map<std::string, Value>& outcome) {
  const std::vector<std::string> names = outcome_names(program);
  for (const std::vector<Value>& final : answer.finals) {
    bool matches = true;
    for (size_t i = 0; i < names.size(); ++i) {
      const auto wanted = outcome.find(names[i]);
      matches &= wanted == outcome.end() || wanted->second == final[i];
    }
    if (matches) return true;
  }
  return false;
}

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, every_reading_has_the_textbook_verdict) {
  const Litmus& litmus = GetParam();
  const MiniProgram program = program_of(litmus);
  const FlatProgram flat = flatten(program);
  const bool expected[kModels] = {litmus.sc, litmus.tso, litmus.pso};
  const auto by_axioms = axiomatic_answers(flat, 7);
  EngineAnswers by_engine = engine_answers(print_fl(program), 7);
  ASSERT_EQ(by_engine.complaint, "") << print_fl(program);
  for (unsigned model = 0; model < kModels; ++model) {
    SCOPED_TRACE(kModelNames[model]);
    ASSERT_TRUE(by_axioms[model].complete) << by_axioms[model].reason;
    EXPECT_EQ(allows(program, by_axioms[model], litmus.outcome), expected[model]) << "oracle";
    const Answer naive = explore_naively(flat, static_cast<Model>(model));
    ASSERT_TRUE(naive.complete) << naive.reason;
    EXPECT_EQ(allows(program, naive, litmus.outcome), expected[model]) << "naive";
    EXPECT_TRUE(naive.same_as(by_axioms[model]));
    ASSERT_TRUE(by_engine.of_model[model].complete);
    EXPECT_EQ(allows(program, by_engine.of_model[model], litmus.outcome), expected[model]) << "engine";
  }
}

std::string test_name(const testing::TestParamInfo<Litmus>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (c == '+' || c == '.') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(classic, LitmusTest, testing::ValuesIn(tests()), test_name);

}  // namespace
}  // namespace fenceline::fuzz
