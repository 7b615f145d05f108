// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intervals are checked exhaustively on small operands and randomly on large ones; the analysis on small
// programs with known answers and, for soundness, by running random programs on a memory in which a load may
// return any value ever stored, which is more than any memory model allows.
#include "ir/analysis/ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "ir/analysis/interval.h"
#include "ir/analysis/value_sets.h"
#include "ir/builder.h"
#include "ir/eval.h"
#include "unit/ir/random_program.h"
#include "unit/ir/step.h"

namespace fenceline {
namespace {

constexpr SourcePos kPos{1, 1};
constexpr Value kMin = std::numeric_limits<Value>::min(), kMax = std::numeric_limits<Value>::max();

std::vector<ExprOp> operators() {
  std::vector<ExprOp> result;
  for (auto op = static_cast<int>(ExprOp::kNeg); op < static_cast<int>(ExprOp::kSelect); ++op)
    if (static_cast<ExprOp>(op) != ExprOp::kWrap) result.push_back(static_cast<ExprOp>(op));
  return result;
}

TEST(Interval, ContainsEveryResultOfSmallOperands) {
  for (const ExprOp op : operators())  // kWrap is for the test below: not every number is a width
    for (Value alo = -5; alo <= 5; ++alo)
      for (Value ahi = alo; ahi <= 5; ++ahi)
        for (Value blo = -4; blo <= 4; ++blo)
          for (Value bhi = blo; bhi <= 4; ++bhi) {
            const Range result = apply_range(op, {alo, ahi}, {blo, bhi});
            for (Value a = alo; a <= ahi; ++a)
              for (Value b = blo; b <= bhi; ++b) {
                const Evaluated exact = apply(op, a, b);
                if (exact.ok() && !result.contains(exact.value))
                  FAIL() << spelling(op) << " of " << alo << ".." << ahi << " and " << blo << ".." << bhi
                         << " is not only " << result.lo << ".." << result.hi << ": " << exact.value;
              }
          }
}

TEST(Interval, WrappedReadModifyWritesContainEveryResult) {
  static constexpr std::array kOps = {RmwOp::kFetchAdd, RmwOp::kFetchAnd, RmwOp::kFetchOr, RmwOp::kFetchXor};
  // Small ones, and those at the ends of 64 bits.
  for (const Value base : {Value{0}, kMax - 5, kMin + 4})
    for (const RmwOp op : kOps)
      for (const int bits : {2, 3, -2, -3, 64, -63})
        for (Value lo = base - 4; lo <= base + 3; ++lo)
          for (Value hi = lo; hi <= base + 4; ++hi)
            for (Value blo = -5; blo <= 5; ++blo)
              for (Value bhi = blo; bhi <= blo + 2; ++bhi) {
                const Range found = fetch_range(op, {lo, hi}, {blo, bhi}, bits);
                const ValueSet set = fetch_values(op, Range{lo, hi}, Range{blo, bhi}, bits);
                for (Value a = lo;; ++a) {
                  for (Value b = blo; b <= bhi; ++b) {
                    const Value exact = fetch(op, a, b, bits).value;
                    ASSERT_TRUE(found.contains(exact) && set.contains(exact))
                        << a << " and " << b << " to " << bits << ": " << exact;
                  }
                  if (a == hi) break;
                }
              }
  // Where sets are too large to look at pairs.
  const Range large{0, 100'000};
  EXPECT_EQ(fetch_values(RmwOp::kFetchAdd, large, large, -8).range(), (Range{0, 255}));
  EXPECT_EQ(fetch_values(RmwOp::kFetchAdd, large, large, 32).range(), (Range{0, 200'000}));
  EXPECT_EQ(fetch_values(RmwOp::kFetchAdd, Range{0, kMax}, large, 32).range(),
            (Range{-Value{0x8000'0000}, 0x7fff'ffff}));
}

TEST(Interval, WrapContainsEveryResult) {
  for (const Value bits : {1, 2, 3, -1, -2, -3})
    for (Value lo = -20; lo <= 20; ++lo)
      for (Value hi = lo; hi <= 20; ++hi) {
        Range exact = Range::empty();
        for (Value a = lo; a <= hi; ++a)
          exact = exact.join(Range::single(apply(ExprOp::kWrap, a, bits).value));
        ASSERT_EQ(apply_range(ExprOp::kWrap, {lo, hi}, Range::single(bits)), exact)
            << lo << ".." << hi << " to " << bits;
      }
  const Range all{kMin, kMax};
  EXPECT_EQ(apply_range(ExprOp::kWrap, all, Range::single(64)), all);
  EXPECT_EQ(apply_range(ExprOp::kWrap, all, Range::single(-63)), (Range{0, kMax}));
  EXPECT_EQ(apply_range(ExprOp::kWrap, all, Range::single(-8)), (Range{0, 255}));
}

TEST(Interval, ContainsResultsOfLargeOperands) {
  Rng rng(7);
  const auto value = [&]() -> Value {
    const auto bits = static_cast<Value>(rng.next());
    switch (rng.below(4)) {
      case 0:
        return bits;
      case 1:
        return bits >> rng.below(63);
      case 2:
        return kMin + rng.between(0, 3);
      default:
        return kMax - rng.between(0, 3);
    }
  };
  for (int round = 0; round < 20000; ++round)
    for (const ExprOp op : operators()) {
      const Value a = value(), b = rng.chance(50) ? value() : rng.between(-2, 70);
      const Range ra = Range::single(a).join(Range::single(value()));
      const Range rb = Range::single(b).join(Range::single(rng.chance(50) ? value() : rng.between(-2, 70)));
      const Evaluated exact = apply(op, a, b);
      if (exact.ok()) {
        ASSERT_TRUE(apply_range(op, ra, rb).contains(exact.value)) << spelling(op) << " " << a << " " << b;
      }
    }
}

TEST(Interval, IsPreciseWhereItMatters) {
  EXPECT_EQ(apply_range(ExprOp::kMod, {1, 4}, {4, 4}), (Range{0, 3}));
  EXPECT_EQ(apply_range(ExprOp::kMod, {0, 2}, {4, 4}), (Range{0, 2}));
  EXPECT_EQ(apply_range(ExprOp::kSub, {1, 1}, {0, 1}), (Range{0, 1}));
  EXPECT_EQ(apply_range(ExprOp::kLt, {0, 2}, {3, 5}), Range::single(1));
  EXPECT_EQ(apply_range(ExprOp::kBitAnd, {kMin, kMax}, {0, 7}), (Range{0, 7}));
  EXPECT_EQ(apply_range(ExprOp::kDiv, {-9, 9}, {0, 3}), (Range{-9, 9}));
  EXPECT_TRUE(apply_range(ExprOp::kDiv, {1, 2}, {0, 0}).is_empty());
  EXPECT_TRUE(apply_range(ExprOp::kAdd, {kMax, kMax}, {1, 2}).is_empty());
  EXPECT_EQ(apply_range(ExprOp::kAdd, {0, kMax}, {1, 2}), (Range{1, kMax}));
  EXPECT_EQ(apply_range(ExprOp::kOr, {0, 1}, Range::empty()), Range::single(1));
}

TEST(Ranges, PetersonStaysBoolean) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId flag = b.object("flag", {0, 0}, std::nullopt, kPos, true);
  const ObjectId turn = b.object("turn", {0}, std::nullopt, kPos);
  for (Value i = 0; i < 2; ++i) {
    ThreadBuilder& t = b.thread("P", kPos);
    const RegId r = t.reg("r");
    t.store({flag, b.constant(i)}, b.constant(1), kPos);
    t.store({turn, b.constant(0)}, b.constant(1 - i), kPos);
    t.load({r}, {flag, b.constant(1 - i)}, kPos);
    t.check(b.binary(ExprOp::kLe, b.reg(r), b.constant(1)), kPos);
    t.check(b.reg(r), kPos);
  }
  const Program p = b.finish();
  const Ranges ranges = analyze_ranges(p);
  for (const Range& cell : ranges.cells) EXPECT_EQ(cell, (Range{0, 1}));
  EXPECT_EQ(ranges.registers[0][0], (Range{0, 1}));
  const Thread& t = p.threads[0];
  EXPECT_FALSE(may_fail(p, ranges, ThreadId(0), t.code[0]));
  EXPECT_FALSE(may_fail(p, ranges, ThreadId(0), t.code[3]));
  EXPECT_TRUE(may_fail(p, ranges, ThreadId(0), t.code[4]));
}

TEST(Ranges, CellsOfConstantOffsetsAreSeparate) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId a = b.object("a", {0, 0, 0, 0}, std::nullopt, kPos, true);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r");
  t.havoc({r}, {1, 2}, kPos);
  t.store({a, b.reg(r)}, b.constant(5), kPos);
  t.store({a, b.constant(3)}, b.constant(-1), kPos);
  const Program p = b.finish();
  const Ranges ranges = analyze_ranges(p);
  // r starts as 0, so a[0] is within reach of a[r] for an analysis that ignores order.
  EXPECT_EQ(ranges.cells, (std::vector<Range>{{0, 5}, {0, 5}, {0, 5}, {-1, 0}}));
}

TEST(Ranges, WideningStopsAtWhatTheProgramNames) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId modulo = b.object("modulo", {0}, std::nullopt, kPos);
  const ObjectId declared = b.object("declared", {0}, Range{0, 1000}, kPos);
  const ObjectId free = b.object("free", {0}, std::nullopt, kPos);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r");
  const auto loop = t.label();
  const ExprId zero = b.constant(0);
  t.bind(loop);
  t.load({r}, {modulo, zero}, kPos);
  t.store({modulo, zero},
          b.binary(ExprOp::kMod, b.binary(ExprOp::kAdd, b.reg(r), b.constant(1)), b.constant(100)), kPos);
  t.rmw(RmwOp::kFetchAdd, {}, {declared, zero}, b.constant(1), ExprId(), kPos);
  t.rmw(RmwOp::kFetchAdd, {}, {free, zero}, b.constant(1), ExprId(), kPos);
  t.jump(loop);
  const Program p = b.finish();
  const Ranges ranges = analyze_ranges(p);
  EXPECT_EQ(ranges.cells[0], (Range{0, 99}));
  EXPECT_EQ(ranges.cells[1], (Range{0, 1000}));
  EXPECT_EQ(ranges.cells[2], (Range{0, kMax}));
  EXPECT_FALSE(may_fail(p, ranges, ThreadId(0), p.threads[0].code[1]));
  EXPECT_TRUE(may_fail(p, ranges, ThreadId(0), p.threads[0].code[2]));
  EXPECT_FALSE(may_fail(p, ranges, ThreadId(0), p.threads[0].code[3]));
}

TEST(Ranges, ImpossibleCasWritesNothing) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId x = b.object("x", {0}, Range{0, 3}, kPos);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r"), s = t.reg("s");
  t.rmw(RmwOp::kCas, {r}, {x, b.constant(0)}, b.constant(2), b.constant(7), kPos);
  t.rmw(RmwOp::kCas, {s}, {x, b.constant(0)}, b.constant(0), b.constant(1), kPos);
  const Program p = b.finish();
  const Ranges ranges = analyze_ranges(p);
  EXPECT_EQ(ranges.cells[0], (Range{0, 1}));
  EXPECT_EQ(ranges.registers[0][0], Range::single(0));
  EXPECT_EQ(ranges.registers[0][1], (Range{0, 1}));
  EXPECT_FALSE(may_fail(p, ranges, ThreadId(0), p.threads[0].code[0]));
}

TEST(Ranges, EveryKindOfErrorIsSeen) {
  ProgramBuilder b({"t.fl", ""});
  const ObjectId a = b.object("a", {0, 0}, Range{0, 3}, kPos, true);
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId r = t.reg("r", 0, Range{0, 2}), any = t.reg("any");
  const RegId array = t.reg_array("l", {0, 0});
  const ExprId zero = b.constant(0), one = b.constant(1), free = b.reg(any), small = b.reg(r);
  t.havoc({any}, {-5, 5}, kPos);                                                           // 0
  t.havoc({r}, {0, 3}, kPos);                                                              // 1: range
  t.assign({r}, small, kPos);                                                              // 2: fine
  t.load({any}, {a, small}, kPos);                                                         // 3: index
  t.load({any}, {a, b.constant(2)}, kPos);                                                 // 4: index
  t.store({a, zero}, free, kPos);                                                          // 5: range
  t.assign({any}, b.binary(ExprOp::kDiv, one, free), kPos);                                // 6: division
  t.assign({any}, b.binary(ExprOp::kAnd, free, b.binary(ExprOp::kDiv, one, free)), kPos);  // 7: ditto
  t.assign({any}, b.binary(ExprOp::kDiv, one, b.binary(ExprOp::kAdd, small, one)), kPos);  // 8: fine
  t.assume(b.binary(ExprOp::kShl, one, free), kPos);                                       // 9: shift
  t.assume(b.binary(ExprOp::kShl, one, small), kPos);                                      // 10: fine
  t.assign({array, 2, small}, one, kPos);                                                  // 11: index
  t.assign({any}, b.reg_at(array, 2, small), kPos);                                        // 12: index
  t.load({r}, {a, zero}, kPos);                                                            // 13: range
  const Program p = b.finish();
  const Ranges ranges = analyze_ranges(p);
  const std::vector<bool> expected = {false, true,  false, true,  true, true, true,
                                      true,  false, true,  false, true, true, true};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(may_fail(p, ranges, ThreadId(0), p.threads[0].code[i]), expected[i]) << i;
}

TEST(Ranges, SoundOnRandomPrograms) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const Program p = random_program(rng);
    const Ranges ranges = analyze_ranges(p);
    std::vector<std::vector<Value>> stored;  // by cell: all values it ever had
    for (const Value value : p.initial_memory()) stored.push_back({value});
    std::vector<SingleThread> machines;
    for (size_t t = 0; t < p.threads.size(); ++t) {
      SingleThread m{p, ThreadId(t), Rng(rng.next()), {}, p.threads[t].entry, {}, {}};
      for (const Register& reg : p.threads[t].registers) m.registers.push_back(reg.init);
      m.read = [&](CellId cell) {
        const auto& values = stored[cell.index()];
        return values[rng.below(values.size())];
      };
      m.write = [&](CellId cell, Value value) {
        ASSERT_TRUE(ranges.cells[cell.index()].contains(value)) << "seed " << seed;
        if (stored[cell.index()].size() < 50) stored[cell.index()].push_back(value);
      };
      machines.push_back(std::move(m));
    }
    for (int step = 0; step < 400; ++step) {
      SingleThread& m = machines[rng.below(machines.size())];
      const Instruction& instruction = p.thread(m.thread).at(m.point);
      const auto outcome = m.step();
      if (outcome == SingleThread::Outcome::kError) {
        ASSERT_TRUE(may_fail(p, ranges, m.thread, instruction)) << "seed " << seed;
      }
      if (outcome != SingleThread::Outcome::kMoved) {  // start again, with all that has been stored
        m.point = p.thread(m.thread).entry;
        for (size_t r = 0; r < m.registers.size(); ++r) m.registers[r] = p.thread(m.thread).registers[r].init;
      }
      for (size_t r = 0; r < m.registers.size(); ++r)
        ASSERT_TRUE(ranges.registers[m.thread.index()][r].contains(m.registers[r])) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace fenceline
