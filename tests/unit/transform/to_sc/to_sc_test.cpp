// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs reduced to SC, compared with what the machine makes of the originals. (Random programs are
// compared in tests/fuzz/fuzz_reduction.cpp.)
#include "transform/to_sc/to_sc.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "ir/eval.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "machine/store_buffer/system.h"
#include "unit/peterson.h"

namespace fenceline::transform {
namespace {

// Looks at every reachable state, without any reduction, up to one that violates the property.
class Explorer final : public machine::StateSink {
 public:
  Explorer(const Program& program, const FenceSet& fences, const MemoryModel& model, const Property& property)
      : program_(program),
        property_(property),
        system_(program, fences, model, {}, {},
                {.fuse = false, .reduce = false, .liveness = false, .buffer_limit = 3}),
        worker_(system_.worker()) {
    worker_->initial(*this);
    while (!todo_.empty() && !violated) {
      const machine::KeptState state = todo_.back();
      todo_.pop_back();
      worker_->successors(state.packed(), *this);
    }
  }

  void expanding(const machine::StateView& view) override {
    memories.insert({view.memory, view.memory + program_.cell_count});
    if (!has_formula(property_.kind) || (looks_at_end(property_.kind) && !view.final_state)) return;
    const Evaluated formula = evaluate(program_, property_.formula, [&](const Expr& leaf, Value index) {
      const auto offset = static_cast<size_t>(index);
      if (leaf.op == ExprOp::kCell)
        return view.memory[program_.object(leaf.object).first_cell.index() + offset];
      if (leaf.op == ExprOp::kAt) return Value{view.locations[leaf.thread.index()] == leaf.point.value()};
      return view.registers[view.first_register[leaf.thread.index()] + leaf.reg.index() + offset];
    });
    if ((formula.value != 0) == (property_.kind == PropertyKind::kNever)) violated = true;
  }
  void state(machine::PackedState packed) override {
    if (known_.emplace(packed.begin(), packed.end()).second) todo_.emplace_back(packed);
  }
  void buffer_full() override {}
  void error() override { violated = violated || looks_at_errors(property_.kind); }
  void overflow() override {}

  bool violated = false;
  std::set<std::vector<Value>> memories;

 private:
  const Program& program_;
  const Property& property_;
  const machine::System system_;
  std::unique_ptr<machine::TransitionSystem> worker_;
  std::set<std::string> known_;
  std::vector<machine::KeptState> todo_;
};

bool holds(const Program& program, const FenceSet& fences, const char* model, const Property& property) {
  return !Explorer(program, fences, memory_model(model), property).violated;
}

Program program(const std::string& text) { return frontend::parse_fl({"test.fl", text}); }

ReducedProgram reduced(const Program& original, const char* model, unsigned slots = 2,
                       const FenceSet& fences = {}, const std::set<FlushPoint>& refinements = {}) {
  return to_sc(original, fences, memory_model(model), original.properties.front(), slots, refinements);
}

bool overflows(const ReducedProgram& r) { return !holds(r.program, {}, "sc", r.overflow_property); }

// The verdicts on the models, as letters: S, T and P where the property holds. Also of the reduced programs,
// which must not overflow; these are printed and read back before they are verified.
std::string holds_on(const std::string& text, const FenceSet& fences = {}, unsigned slots = 2) {
  const Program original = program(text);
  std::string models;
  for (const char* model : {"sc", "tso", "pso"}) {
    const ReducedProgram r = reduced(original, model, slots, fences);
    EXPECT_FALSE(overflows(r)) << model;
    const bool there = holds(original, fences, model, original.properties.front());
    EXPECT_EQ(holds(r.program, {}, "sc", r.property), there) << model;
    const std::string printed = print_program(r.program);
    const Program again = parse_program({"reduced", "// A line about it.\n" + printed});
    EXPECT_EQ(print_program(again), printed);
    EXPECT_EQ(holds(again, {}, "sc", again.properties.front()), there) << model;
    if (there) models += static_cast<char>(model[0] - 'a' + 'A');
  }
  return models;
}

TEST(ToSc, LitmusShapes) {
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; a = y; }
    thread Q { int b; y = 1; b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)"),
            "S");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { x = 1; y = 1; }
    thread Q { int a, b; a = y; b = x; }
    property p: finally (Q.a == 0 || Q.b == 1);)"),
            "ST");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { x = 1; }
    thread Q { y = 1; }
    thread R { int a, b; a = x; b = y; }
    thread S { int a, b; a = y; b = x; }
    property p: finally (!(R.a == 1 && R.b == 0 && S.a == 1 && S.b == 0));)"),
            "STP");
  // Own stores are seen at once, and the newest of them.
  EXPECT_EQ(holds_on(R"(shared int x;
    thread P { int a; x = 1; x = 2; a = x; }
    property p: finally (P.a == 2 && x == 2);)"),
            "STP");
}

TEST(ToSc, FencesOfTheTextAndOfTheOverlay) {
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; fence; a = y; }
    thread Q { int b; y = 1; fence; b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)"),
            "STP");
  const std::string message = R"(shared int x, y;
    thread P { x = 1; y = 1; }
    thread Q { int a, b; a = y; b = x; }
    property p: finally (Q.a == 0 || Q.b == 1);)";
  FenceSet barrier, mark;
  const StatementEnd first = program(message).threads[0].ends.front();
  barrier.add(ThreadId(0), first.point, FenceKinds::store_store());
  mark.add(ThreadId(0), first.point, FenceKinds::store_load());
  EXPECT_EQ(holds_on(message, barrier), "STP");
  EXPECT_EQ(holds_on(message, mark), "ST");
}

TEST(ToSc, PartialFencesOfPso) {
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; fence(store-load); a = y; }
    thread Q { int b; y = 1; fence(store-load); b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)"),
            "STP");
  EXPECT_EQ(holds_on(R"(shared int x, y, z;
    thread P { x = 1; sfence; y = 1; sfence; z = 1; }
    thread Q { int a, b, c; a = z; b = y; c = x; }
    property p: finally ((Q.a == 0 || Q.b == 1) && (Q.b == 0 || Q.c == 1));)",
                     {}, 3),
            "STP");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; sfence; a = y; }
    thread Q { int b; y = 1; sfence; b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)"),
            "S");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int r; x = 1; sfence; r = xchg(y, 1); }
    thread Q { int a, b; a = y; b = x; }
    property p: finally (Q.a == 0 || Q.b == 1);)"),
            "STP");
}

TEST(ToSc, ReadModifyWriteNeedsAnEmptyBuffer) {
  const std::string between = R"(shared int x, y, z;
    thread P { int a, r; x = 1; r = xchg(z, 1); a = y; }
    thread Q { int b, r; y = 1; r = xchg(z, 1); b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)";
  EXPECT_EQ(holds_on(between), "ST");  // on PSO it waits for its own cell only
  EXPECT_EQ(holds_on(R"(shared int x;
    thread P { int r; x = 1; r = fetch_add(x, 1); }
    property p: finally (x == 2 && P.r == 1);)"),
            "STP");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int r; y = 1; atomic { r = x; x = r + 1; } }
    thread Q { int a, b; a = x; b = y; atomic { a = x; x = a + 1; } }
    property p: finally (x == 2 && (Q.b == 1 || y == 1));)"),
            "STP");
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; sync; a = y; }
    thread Q { y = 1; }
    thread R { int b; await (y == 1); b = x; }
    property p: finally (P.a == 1 || R.b == 1);)"),
            "STP");
}

TEST(ToSc, PetersonWithAndWithoutFences) {
  const Program original = program(kPeterson);
  for (const char* model : {"tso", "pso"}) {
    const ReducedProgram r = reduced(original, model, 1);
    EXPECT_FALSE(holds(r.program, {}, "sc", r.property));
    EXPECT_TRUE(overflows(r)) << "the thread can iterate any number of times";
  }
  FenceSet fences;
  for (size_t t = 0; t < 2; ++t)
    for (const StatementEnd& end : original.threads[t].ends)
      if (original.threads[t].at(end.point).kind == InstrKind::kStore)
        fences.add(ThreadId(t), end.point, FenceKinds::full());
  for (const char* model : {"tso", "pso"}) {
    const ReducedProgram r = reduced(original, model, 1, fences);
    EXPECT_TRUE(holds(r.program, {}, "sc", r.property));
    EXPECT_FALSE(overflows(r));
  }
}

TEST(ToSc, AThreadAtALabelIsObservedWhileItsStoresAreFlushed) {
  // Both come to their labels only with both stores pending, which are flushed while they are there.
  EXPECT_EQ(holds_on(R"(shared int x, y;
    thread P { int a; x = 1; a = y; if (a == 0) { cs: skip; } }
    thread Q { int b; y = 1; b = x; if (b == 0) { l: skip; } }
    property p: never (P@cs && x == 1 && Q@l && y == 1);)"),
            "S");
  // No thread is between two points, and one that has ended is at its end while it flushes.
  EXPECT_EQ(holds_on(R"(shared int x;
    thread P { a: x = 1; b: skip; x = 2; c: skip; }
    property p: never (P@a + P@b + P@c > 1);)"),
            "STP");
}

TEST(ToSc, EndsAreSeenWithEmptyBuffers) {
  EXPECT_EQ(holds_on("shared int x; thread P { x = 1; } property p: finally (x == 1);"), "STP");
  EXPECT_EQ(
      holds_on("shared int x, y; thread P { x = 1; x = 2; y = 3; } property p: finally (x == 2 && y == 3);",
               {}, 3),
      "STP");
}

TEST(ToSc, OverflowIsReachedAndReported) {
  const Program original =
      program("shared int x; thread P { x = 1; x = 2; x = 3; } property p: always (x != 4);");
  for (const char* model : {"tso", "pso"}) {
    EXPECT_TRUE(overflows(reduced(original, model, 2)));
    EXPECT_FALSE(overflows(reduced(original, model, 3)));
  }
  EXPECT_FALSE(overflows(reduced(original, "sc", 1)));
}

TEST(ToSc, ErrorsStayErrors) {
  const auto fails = [](const std::string& text) {
    const Program original = program(text);
    const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
    std::string models;
    for (const char* model : {"sc", "tso", "pso"}) {
      const ReducedProgram r = to_sc(original, {}, memory_model(model), errors, 2);
      const bool fine = holds(r.program, {}, "sc", r.property);
      EXPECT_EQ(fine, holds(original, {}, model, errors)) << model;
      if (!fine) models += static_cast<char>(model[0] - 'a' + 'A');
    }
    return models;
  };
  const std::string end = "property p: never (0);";
  EXPECT_EQ(fails("shared int 0..1 x; thread P { int r; havoc r in 0..2; x = r; }" + end), "STP");
  EXPECT_EQ(fails("shared int 1..2 x; thread P { int r; havoc r in 0..1; x = r; }" + end), "STP");
  EXPECT_EQ(fails("shared int x[2]; thread P { int r; havoc r in 0..2; x[r] = 1; }" + end), "STP");
  EXPECT_EQ(fails("shared int x[2]; thread P { int r; havoc r in 0..1; x[r] = 1; r = x[1 - r]; }" + end), "");
  EXPECT_EQ(fails("shared int x[2]; thread P { int r; x[0] = 2; r = x[0]; r = x[r]; }" + end), "STP");
  // What lies behind the array has an entry, which is not that of an element.
  EXPECT_EQ(fails("shared int x[2], y; thread P { int r; x[0] = 2; y = 0; r = x[0]; r = x[r]; }" + end),
            "STP");
  EXPECT_EQ(fails("shared int x; thread P { int r; x = 1 / r; }" + end), "STP");
  EXPECT_EQ(fails("shared int x, y; thread P { int a; x = 1; a = y; assert (a == 0 || x == 1); }"
                  "thread Q { int b; y = 1; b = x; assert (b == 1 || y == 1); }" +
                  end),
            "");
}

TEST(ToSc, OffsetsThatAreComputed) {
  EXPECT_EQ(holds_on(R"(shared int x[2], y[2];
    thread P { int i, a; havoc i in 0..1; x[i] = 1; a = x[1 - i]; a = a + 2 * x[i]; y[i] = a; }
    property p: finally (y[0] + y[1] == 2 && x[0] + x[1] == 1);)"),
            "STP");
  EXPECT_EQ(holds_on(R"(shared int x[2];
    thread P { int i, a; havoc i in 0..1; x[i] = 1; a = x[1]; x[1 - i] = 2; }
    thread Q { int a, b; a = x[0]; b = x[1]; }
    property p: finally (!(Q.a == 2 && Q.b == 0));)"),
            "ST");
}

TEST(ToSc, SlotsWithoutAnEntryAreZero) {
  const Program original = program(R"(shared int x, y;
    thread P { x = 1; y = 2; sfence; x = 3; fence(store-load); y = 4; }
    property p: never (0);)");
  for (const char* model : {"tso", "pso"}) {
    const ReducedProgram r = reduced(original, model, 2);
    const auto cell = [&](const std::string& name) {
      for (const Object& object : r.program.objects)
        if (object.name == name) return object.first_cell.index();
      ADD_FAILURE() << name;
      return size_t{0};
    };
    const std::vector<std::string> buffers =
        model[0] == 't' ? std::vector<std::string>{"P"} : std::vector<std::string>{"x.P", "y.P"};
    for (const std::vector<Value>& memory : Explorer(r.program, {}, memory_model("sc"), r.property).memories)
      for (const std::string& buffer : buffers)
        for (Value slot = 1; slot <= 2; ++slot) {
          if (slot <= memory[cell(buffer + ".count")]) continue;
          const std::string name = buffer + "." + std::to_string(slot);
          if (model[0] == 't') {
            EXPECT_EQ(memory[cell(name + ".cell")], 0);
            EXPECT_EQ(memory[cell(name + ".value")], 0);
          } else {
            EXPECT_EQ(memory[cell(name)], 0);
            EXPECT_EQ(memory[cell(name + ".epoch")], 0);
          }
        }
  }
}

TEST(ToSc, RefinementsRecordAndChangeNothing) {
  const Program original = program(R"(shared int x, y;
    thread P { int a; x = 1; a = y; }
    thread Q { int b; y = 1; b = x; }
    property p: finally (P.a == 1 || Q.b == 1);)");
  const std::vector<FlushPoint> flushes = flush_points(original, {}, memory_model("tso"));
  ASSERT_EQ(flushes.size(), 4U);  // before the loads, and at the ends
  const ReducedProgram r = reduced(original, "tso", 2, {}, {flushes[0], flushes[3]});
  EXPECT_EQ(r.flushes, flushes);
  EXPECT_FALSE(holds(r.program, {}, "sc", r.property));
  std::set<std::string> names;
  for (const Object& object : r.program.objects) names.insert(object.name);
  EXPECT_TRUE(names.contains("b.P.1"));
  EXPECT_TRUE(names.contains("b.Q.2"));
  EXPECT_FALSE(names.contains("b.P.2"));
  for (size_t i = 0; i < flushes.size(); ++i) {
    EXPECT_EQ(r.program.thread(flushes[i].thread).at(r.choices[i]).kind, InstrKind::kChoose);
    EXPECT_EQ(r.origins[flushes[i].thread.index()][r.choices[i].index()], flushes[i].point);
  }
  EXPECT_EQ(r.program.object(r.remembered[0]).name, "b.P.1");
  EXPECT_FALSE(r.remembered[1].valid());
  ASSERT_EQ(r.buffers[1].queues.size(), 1U);
  EXPECT_EQ(r.program.object(r.buffers[1].queues[0].count).name, "Q.count");
  EXPECT_EQ(r.program.object(r.buffers[1].queues[0].numbers[1]).name, "Q.2.cell");
  for (const std::vector<Point>& points : r.origins)
    for (const Point point : points) EXPECT_TRUE(point.valid());
}

TEST(ToSc, OnScOnlyFencesGo) {
  const Program original =
      program("shared int x; thread P { x = 1; fence; x = 2; } property p: never (x == 3);");
  const ReducedProgram r = reduced(original, "sc");
  EXPECT_EQ(r.program.objects.size(), 1U);
  EXPECT_TRUE(r.flushes.empty());
  ASSERT_EQ(r.program.threads[0].code.size(), original.threads[0].code.size());
  for (const Instruction& instruction : r.program.threads[0].code)
    EXPECT_NE(instruction.kind, InstrKind::kFence);
}

TEST(ToSc, ReportsWhatIsUnsupported) {
  const Program p =
      program("shared int x; thread P { x = 1; } property p: never (0); property d: no deadlock;");
  EXPECT_EQ(reduction_unsupported(p, memory_model("pso"), p.properties[0]), "");
  EXPECT_NE(reduction_unsupported(p, memory_model("rmo"), p.properties[0]).find("no store buffers"),
            std::string::npos);
  EXPECT_NE(reduction_unsupported(p, memory_model("tso"), p.properties[1]).find("deadlocks"),
            std::string::npos);
  const Property opacity{"o", PropertyKind::kOpacity, ExprId(), SourcePos()};
  EXPECT_NE(reduction_unsupported(p, memory_model("tso"), opacity).find("histories"), std::string::npos);
  const Program large = program(
      "shared int x[60000]; thread P { int r; havoc r in 0..59999; x[r] = 1; r = x[0]; "
      "r = x[1]; } property p: never (0);");
  EXPECT_THROW(reduced(large, "pso"), Unsupported);
}

}  // namespace
}  // namespace fenceline::transform
