// SPDX-License-Identifier: GPL-3.0-or-later
//
// Outcomes that every textbook has, and the same final states as the machines on random programs.
#include "engine/enumeration/enumerate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.h"
#include "check/axiomatic/execution_checker.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"
#include "unit/check/axiomatic/cat_builder.h"
#include "unit/check/statespace/concrete_exploration.h"

namespace fenceline::testing {
namespace {

const CatModel& shipped(const std::string& name) {
  static std::map<std::string, CatModel> models;
  const auto found = models.find(name);
  return found != models.end() ? found->second : models[name] = shipped_cat(name);
}

Program parsed(const std::string& text) { return frontend::parse_fl({"test.fl", text}); }

// How many executions fulfil the formula of the program's property.
uint64_t positive(const Program& program, const std::string& model) {
  const std::vector<ExprId> observed = {program.properties.front().formula};
  const engine::Enumeration all = engine::enumerate_executions(program, shipped(model), observed);
  EXPECT_TRUE(all.complete) << all.why_not;
  uint64_t sum = 0;
  for (const auto& [values, count] : all.states) sum += count;
  EXPECT_EQ(sum, all.executions);
  const auto found = all.states.find({1});
  return found == all.states.end() ? 0 : found->second;
}

// The models among sc tso pso rmo relaxed that allow it.
std::string allowed_by(const std::string& threads, const std::string& outcome) {
  const Program program = parsed("shared int x, y; " + threads + " property p: finally (" + outcome + ");");
  std::string models;
  for (const char* model : {"serial", "sc", "tso", "pso", "rmo", "relaxed"})
    if (positive(program, model) > 0) models += (models.empty() ? "" : " ") + std::string(model);
  return models;
}

TEST(Enumerate, StoreBuffering) {
  const auto sb = [](const std::string& between) {
    return allowed_by(
        "thread P { int r; x = 1; " + between + " r = y; } thread Q { int r; y = 1; " + between + " r = x; }",
        "P.r == 0 && Q.r == 0");
  };
  EXPECT_EQ(sb(""), "tso pso rmo relaxed");
  EXPECT_EQ(sb("fence;"), "");
  EXPECT_EQ(sb("fence(store-load);"), "");
  EXPECT_EQ(sb("sfence;"), "tso pso rmo relaxed");
  EXPECT_EQ(sb("lfence;"), "tso pso rmo relaxed");
}

TEST(Enumerate, MessagePassing) {
  const auto mp = [](const std::string& writer, const std::string& reader) {
    return allowed_by(
        "thread P { x = 1; " + writer + " y = 1; } thread Q { int r, s; r = y; " + reader + " }",
        "Q.r == 1 && Q.s == 0");
  };
  EXPECT_EQ(mp("", "s = x;"), "pso rmo relaxed");
  EXPECT_EQ(mp("sfence;", "s = x;"), "rmo relaxed");
  EXPECT_EQ(mp("", "lfence; s = x;"), "pso rmo relaxed");
  EXPECT_EQ(mp("sfence;", "lfence; s = x;"), "");
  EXPECT_EQ(mp("sfence;", "if (r == 1) { s = x; }"), "rmo relaxed");
}

TEST(Enumerate, LoadBuffering) {
  const auto lb = [](const std::string& value) {
    return allowed_by(
        "thread P { int r; r = x; y = " + value + "; } thread Q { int r; r = y; x = " + value + "; }",
        "P.r == 1 && Q.r == 1");
  };
  EXPECT_EQ(lb("1"), "rmo relaxed");
  EXPECT_EQ(lb("r ^ r ^ 1"), "relaxed");
  EXPECT_EQ(lb("r"), "");  // no thread stores 1
}

TEST(Enumerate, IndependentReads) {
  const auto iriw = [](const std::string& between) {
    return allowed_by("thread A { x = 1; } thread B { y = 1; } thread P { int r, s; r = x; " + between +
                          " s = y; } thread Q { int r, s; r = y; " + between + " s = x; }",
                      "P.r == 1 && P.s == 0 && Q.r == 1 && Q.s == 0");
  };
  EXPECT_EQ(iriw(""), "rmo relaxed");
  EXPECT_EQ(iriw("lfence;"), "");
}

TEST(Enumerate, Coherence) {
  EXPECT_EQ(allowed_by("thread P { x = 1; } thread Q { int r, s; r = x; s = x; }", "Q.r == 1 && Q.s == 0"),
            "rmo relaxed");
  EXPECT_EQ(allowed_by("thread P { x = 1; x = 2; } thread Q { int r, s; r = x; s = x; }", "x == 1"), "");
  EXPECT_EQ(allowed_by("thread P { int r; x = 1; r = x; }", "P.r == 0"), "");
  EXPECT_EQ(allowed_by("thread P { int r; r = x; x = 1; }", "P.r == 1"), "");
  EXPECT_EQ(allowed_by("thread P { x = 1; y = 2; } thread Q { y = 1; x = 2; }", "x == 1 && y == 1"),
            "pso rmo relaxed");
  EXPECT_EQ(
      allowed_by("thread P { x = 1; sfence; y = 2; } thread Q { y = 1; sfence; x = 2; }", "x == 1 && y == 1"),
      "");
}

TEST(Enumerate, AtomicOperations) {
  const char* none = "";
  EXPECT_EQ(allowed_by("thread P { fetch_add(x, 1); } thread Q { fetch_add(x, 1); }", "x == 1"), none);
  EXPECT_EQ(
      allowed_by("thread P { int r; r = x; x = r + 1; } thread Q { int r; r = x; x = r + 1; }", "x == 1"),
      "sc tso pso rmo relaxed");
  const std::string section = " { int r; atomic { r = x; x = r + 1; } } ";
  EXPECT_EQ(allowed_by("thread P" + section + "thread Q" + section, "x == 1"), none);
  const std::string cas = " { int r; r = cas(x, 0, 1); } ";
  EXPECT_EQ(allowed_by("thread P" + cas + "thread Q" + cas, "P.r + Q.r != 1"), none);
}

TEST(Enumerate, WhatIsNoExecution) {
  const auto run = [](const std::string& body) {
    const Program program =
        parsed("shared int x; thread P { x = 1; } thread Q { int r; " + body + " } property p: finally (1);");
    return engine::enumerate_executions(program, shipped("sc"), {});
  };
  const engine::Enumeration waits = run("await(x == 1);");
  EXPECT_TRUE(waits.complete && waits.stopped && !waits.failed && !waits.too_long);
  EXPECT_EQ(waits.executions, 1u);
  const engine::Enumeration spins = run("while (x == 0) { }");
  EXPECT_TRUE(spins.complete && spins.too_long && !spins.stopped);
  EXPECT_GE(spins.executions, 10u);
  const engine::Enumeration fails = run("r = x; assert(r == 0);");
  EXPECT_TRUE(fails.complete && fails.failed);
  EXPECT_EQ(fails.executions, 1u);
  const engine::Enumeration large = run("r = x; r = r + 9223372036854775807;");
  EXPECT_TRUE(large.complete && large.too_large);
  EXPECT_EQ(large.executions, 1u);
  const engine::Enumeration both = run("await(x == 1); x = 2;");
  EXPECT_EQ(both.executions, 1u);
}

// A thread that cannot end before another one has read what it stored first.
TEST(Enumerate, ValuesOfExecutionsThatDoNotEndYet) {
  EXPECT_EQ(allowed_by("thread P { x = 1; await(y == 1); } thread Q { await(x == 1); y = 1; }", "x == 1"),
            "sc tso pso rmo relaxed");
}

TEST(Enumerate, ValuesThatGrow) {
  const Program program = parsed(
      "shared int x; thread P[i in 0..2] { int k; while (k < 2) { fetch_add(x, 1); k = k + 1; } } "
      "property p: finally (x == 6);");
  const engine::Enumeration all = engine::enumerate_executions(
      program, shipped("sc"), std::vector<ExprId>{program.properties.front().formula});
  EXPECT_EQ(all.executions, 90u);  // 6! / 2!^3 orders
  EXPECT_EQ(all.states.at({1}), 90u);
}

TEST(Enumerate, TooMany) {
  const Program program =
      parsed("shared int x; thread P[i in 0..3] { x = i; x = i + 10; x = i + 20; } property p: finally (1);");
  engine::EnumerationLimits limits;
  limits.budget = 1000;
  const engine::Enumeration some = engine::enumerate_executions(program, shipped("relaxed"), {}, limits);
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(some.why_not, "there are too many executions");
}

TEST(Enumerate, Flags) {
  CatBuilder b("racy");
  b.acyclic(b.base("po") | b.base("rf") | b.base("co") | b.base("fr"), "sc");
  b.demand(ConstraintKind::kEmpty, b.base("rf") & b.base("ext") & product(~b.base("IW"), b.base("R")), "race",
           true, true);
  b.demand(ConstraintKind::kEmpty, only(b.base("FW")) >> b.base("rf"), "reads-last", true, true);
  const CatModel model = b.finish();
  const Program program =
      parsed("shared int x; thread P { x = 1; } thread Q { int r; r = x; } property p: finally (1);");
  const engine::Enumeration all = engine::enumerate_executions(program, model, {});
  EXPECT_EQ(all.executions, 2u);
  EXPECT_EQ(all.flags, (std::map<std::string, uint64_t>{{"race", 1}, {"reads-last", 1}}));
}

// ---- Random programs

class RandomProgram {
 public:
  RandomProgram(uint64_t seed, size_t threads, size_t statements) : rng_(seed) {
    text_ = "shared int x, y, a[2];\n";
    for (size_t t = 0; t < threads; ++t) {
      text_ += "thread T" + std::to_string(t) + " { int r, s;\n";
      for (size_t i = 0; i < statements; ++i) text_ += "  " + statement(true) + "\n";
      text_ += "}\n";
    }
    text_ += "property p: finally (0);\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string lvalue() {
    static const char* const kLvalues[] = {"x", "y", "x", "y", "a[0]", "a[r & 1]"};
    return kLvalues[rng_.below(6)];
  }
  std::string reg() { return rng_.chance(50) ? "r" : "s"; }
  std::string value() { return rng_.chance(70) ? std::to_string(rng_.between(1, 2)) : reg() + " ^ 1"; }
  std::string statement(bool outside) {
    switch (rng_.below(outside ? 14 : 6)) {
      case 0:
      case 1:
      case 2:
        return lvalue() + " = " + value() + ";";
      case 3:
      case 4:
      case 5:
        return reg() + " = " + lvalue() + ";";
      case 6:
        return "if (" + reg() + " == " + std::to_string(rng_.below(2)) + ") { " + statement(false) + " }";
      case 7:
        return "fence;";
      case 8:
        return "sfence;";
      case 9:
        return "fence(store-load);";
      case 10:
        return reg() + " = xchg(" + lvalue() + ", " + value() + ");";
      case 11:
        return reg() + " = cas(" + lvalue() + ", " + std::to_string(rng_.below(2)) + ", " + value() + ");";
      case 12:
        return "atomic { " + statement(false) + " " + statement(false) + " }";
      default:
        return "choose { " + statement(false) + " } or { skip; }";
    }
  }

  Rng rng_;
  std::string text_;
};

// All registers and cells.
std::vector<ExprId> everything_of(Program& program) {
  std::vector<ExprId> observed;
  const auto add = [&](Expr e) {
    program.exprs.push_back(e);
    return ExprId(program.exprs.size() - 1);
  };
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t r = 0; r < program.threads[t].registers.size(); ++r) {
      Expr e;
      e.op = ExprOp::kThreadReg;
      e.thread = ThreadId(t);
      e.reg = RegId(r);
      observed.push_back(add(e));
    }
  for (size_t o = 0; o < program.objects.size(); ++o)
    for (size_t i = 0; i < program.objects[o].size(); ++i) {
      Expr index;
      index.imm = static_cast<Value>(i);
      Expr e;
      e.op = ExprOp::kCell;
      e.object = ObjectId(o);
      e.a = add(index);
      observed.push_back(add(e));
    }
  return observed;
}

TEST(EnumerateRandom, SameFinalStatesAsTheMachines) {
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomProgram random(seed, 2 + seed % 2, seed % 2 == 0 ? 4 : 3);
    Program program = parsed(random.text());
    const std::vector<ExprId> observed = everything_of(program);
    for (const char* model : {"sc", "tso", "pso"}) {
      const FenceSet none;
      const Task task{program, none, memory_model(model), program.properties.front()};
      const Exploration reached = explore(task, 9, 60000);
      if (!reached.complete) continue;
      ++compared;
      std::set<std::vector<Value>> machine, axioms;
      for (const ConcreteState& state : reached.states) {
        bool final = true;
        std::vector<Value> values;
        for (size_t t = 0; t < program.threads.size(); ++t) {
          final &= program.threads[t].at(state.locations[t]).kind == InstrKind::kHalt &&
                   state.buffers[t].pending.empty();
          values.insert(values.end(), state.registers[t].begin(), state.registers[t].end());
        }
        values.insert(values.end(), state.memory.begin(), state.memory.end());
        if (final) machine.insert(values);
      }
      const engine::Enumeration all = engine::enumerate_executions(program, shipped(model), observed);
      ASSERT_TRUE(all.complete);
      for (const auto& [values, count] : all.states) axioms.insert(values);
      ASSERT_EQ(machine, axioms) << model << "\n" << random.text();
    }
  }
  EXPECT_GT(compared, 300u);
}

TEST(EnumerateRandom, EachExecutionPassesTheChecker) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomProgram random(1000 + seed, 2 + seed % 2, 3);
    const Program program = parsed(random.text());
    const FenceSet none;
    for (const char* model : {"serial", "sc", "tso", "pso", "rmo", "relaxed"}) {
      const Task task{program, none, memory_model("sc"), program.properties.front()};
      size_t seen = 0;
      const engine::Enumeration all =
          engine::enumerate_executions(program, shipped(model), {}, {}, [&](const Execution& execution) {
            if (seen++ % 16 != 0) return;
            const ExecutionCheck check = check::check_execution(task, shipped(model), execution);
            EXPECT_TRUE(check.ok) << check.why_not << "\n" << model << "\n" << random.text();
          });
      EXPECT_TRUE(all.complete);
      EXPECT_EQ(seen, all.executions);
    }
  }
}

// The same without anything clever: with a constraint that always holds but is not monotone, so that the
// search is never cut short.
TEST(EnumerateRandom, CuttingShortLosesNothing) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomProgram random(2000 + seed, 2, 3);
    Program program = parsed(random.text());
    const std::vector<ExprId> observed = everything_of(program);
    for (const char* model : {"sc", "tso", "pso", "rmo", "relaxed"}) {
      CatModel blunt = shipped(model);
      for (Constraint& constraint : blunt.constraints) {
        // r \ (rf \ rf), which the evaluator takes for something that may shrink
        const auto add = [&](TermOp op, TermId a, TermId b = {}) {
          Term term;
          term.op = op;
          term.a = a;
          term.b = b;
          blunt.terms.push_back(term);
          return TermId(blunt.terms.size() - 1);
        };
        Term rf;
        rf.op = TermOp::kBase;
        rf.name = "rf";
        blunt.terms.push_back(rf);
        const TermId base(blunt.terms.size() - 1);
        const TermId nothing = add(TermOp::kMinus, base, base);
        constraint.term = add(TermOp::kMinus, constraint.term, nothing);
      }
      const engine::Enumeration one = engine::enumerate_executions(program, shipped(model), observed);
      const engine::Enumeration two = engine::enumerate_executions(program, blunt, observed);
      ASSERT_TRUE(one.complete && two.complete);
      EXPECT_EQ(one.states, two.states) << model << "\n" << random.text();
      EXPECT_LE(one.steps, two.steps + 10);
    }
  }
}

}  // namespace
}  // namespace fenceline::testing
