// SPDX-License-Identifier: GPL-3.0-or-later
//
// print and parse are inverse to each other, and parse never does worse than InputError.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "env/errors.h"
#include "ir/builder.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "unit/ir/random_program.h"

namespace fenceline {
namespace {

constexpr SourcePos kPos{3, 7};

// Equality of everything that has a meaning, by a walk of its own rather than by the printed text.
class Equality {
 public:
  Equality(const Program& p, const Program& q) : p_(p), q_(q) {}

  bool programs() const {
    return p_.source.name == q_.source.name && p_.cell_count == q_.cell_count &&
           all(p_.included, q_.included,
               [](const SourceFile& x, const SourceFile& y) { return x.name == y.name; }) &&
           all(p_.objects, q_.objects, [&](const Object& x, const Object& y) { return objects(x, y); }) &&
           all(p_.threads, q_.threads, [&](const Thread& x, const Thread& y) { return threads(x, y); }) &&
           all(p_.properties, q_.properties, [&](const Property& x, const Property& y) {
             return x.name == y.name && x.kind == y.kind && x.pos == y.pos && exprs(x.formula, y.formula);
           });
  }

 private:
  template <class T, class Same>
  static bool all(const std::vector<T>& x, const std::vector<T>& y, Same same) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
      if (!same(x[i], y[i])) return false;
    return true;
  }
  bool objects(const Object& x, const Object& y) const {
    return x.name == y.name && x.is_array == y.is_array && x.init == y.init && x.declared == y.declared &&
           x.first_cell == y.first_cell && x.pos == y.pos && x.cell_bytes == y.cell_bytes;
  }
  bool threads(const Thread& x, const Thread& y) const {
    return x.name == y.name && x.entry == y.entry && x.pos == y.pos &&
           all(x.registers, y.registers,
               [](const Register& a, const Register& b) {
                 return a.name == b.name && a.init == b.init && a.declared == b.declared &&
                        a.temporary == b.temporary;
               }) &&
           all(x.code, y.code,
               [&](const Instruction& a, const Instruction& b) { return instructions(a, b); });
  }
  bool instructions(const Instruction& x, const Instruction& y) const {
    return x.kind == y.kind && x.pos == y.pos && x.next == y.next && x.dest.reg == y.dest.reg &&
           x.dest.count == y.dest.count && exprs(x.dest.index, y.dest.index) &&
           x.address.object == y.address.object && exprs(x.address.offset, y.address.offset) &&
           x.address.bytes == y.address.bytes && exprs(x.a, y.a) && exprs(x.b, y.b) && x.rmw == y.rmw &&
           x.wrap == y.wrap && x.branches == y.branches && x.fence == y.fence && x.order == y.order &&
           x.havoc_range == y.havoc_range && x.label == y.label && x.operation == y.operation &&
           x.blocking == y.blocking && x.ends_program == y.ends_program && x.assertion == y.assertion;
  }
  bool exprs(ExprId i, ExprId j) const {
    if (i.valid() != j.valid()) return false;
    if (!i.valid()) return true;
    const Expr &x = p_.expr(i), &y = q_.expr(j);
    return x.op == y.op && x.imm == y.imm && x.reg == y.reg && x.count == y.count && x.object == y.object &&
           x.thread == y.thread && x.point == y.point && exprs(x.a, y.a) && exprs(x.b, y.b) &&
           exprs(x.c, y.c);
  }

  const Program &p_, &q_;
};

Program parse_text(const std::string& text) { return parse_program({"test.ir", text}); }

TEST(Text, RandomProgramsComeBack) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const Program p = random_program(rng);
    const std::string text = print_program(p);
    const Program q = parse_text(text);
    ASSERT_EQ(print_program(q), text) << "seed " << seed;
    ASSERT_TRUE(Equality(p, q).programs()) << "seed " << seed << "\n" << text;
  }
}

TEST(Text, LooksAsDocumented) {
  ProgramBuilder b({"peterson.fl", "the text does not matter"});
  const ObjectId flag = b.object("flag", {0, 0}, std::nullopt, {2, 12}, true);
  b.object("turn", {0}, Range{0, 1}, {2, 30});
  ThreadBuilder& t = b.thread("P[0]", {4, 1});
  t.reg("r");
  const RegId temp = t.temp();
  t.store({flag, b.constant(0)}, b.constant(1), {6, 5});
  const auto loop = t.label(), out = t.label();
  t.bind(loop);
  t.load({temp}, {flag, b.constant(1)}, {8, 12}, MemoryOrder::kAcquire);
  t.branch(b.binary(ExprOp::kEq, b.reg(temp), b.constant(1)), loop, out, {8, 5});
  t.bind(out);
  const auto cs = t.mark("cs", {9, 3});
  b.property({"mutex", PropertyKind::kNever, b.at(t.id(), cs), {13, 1}});
  EXPECT_EQ(print_program(b.finish()), R"(source "peterson.fl"
object flag array = 0, 0 @2:12
object turn in 0..1 = 0 @2:30
thread #0 "P[0]" entry 0 @4:1 {
  reg r = 0
  temp $1 "%0" = 0
  0: store flag[0] = 1 @6:5 -> 1
  1: load $1 = flag[1] acquire @8:12 -> 2
  2: branch ($1 == 1) @8:5 -> 1, 3
  3: mark "cs" @9:3 -> 4
  4: halt @4:1
}
property "mutex" never #0@3 @13:1
)");
}

TEST(Text, WhatOnlyOtherLanguagesNeed) {
  ProgramBuilder b({"main.c", ""});
  const uint16_t header = b.include({"lib/queue.h", ""});
  const ObjectId heap = b.object("heap", {0, 0, 7}, std::nullopt, {2, 1, header}, true);
  b.cell_bytes(heap, {2, 0, 1});
  ThreadBuilder& t = b.thread("P", {4, 1});
  const RegId r = t.reg("r");
  t.operation(1);
  t.load({r}, {heap, b.reg(r), 2}, {5, 3, header}, MemoryOrder::kAcquire);
  t.operation(0);
  t.rmw(RmwOp::kCasValue, {r}, {heap, b.constant(2), 1}, b.reg(r), b.constant(1), {6, 3});
  t.rmw(RmwOp::kFetchXor, {}, {heap, b.constant(2), 1}, b.wrap(b.reg(r), -8), ExprId(), {7, 3});
  t.wrap_fetched(-8);
  t.check(b.binary(ExprOp::kUlt, b.reg(r), b.wrap(b.reg(r), 32)), {8, 3}, "too many");
  b.property({"all", PropertyKind::kObservations, b.constant(1), {9, 1}});
  const Program p = b.finish();
  EXPECT_EQ(print_program(p), R"(source "main.c"
include "lib/queue.h"
object heap array = 0, 0, 7 bytes 2, 0, 1 @2:1:1
thread P entry 0 @4:1 {
  reg r = 0
  0: load r = heap[r]:2 acquire operation 1 @5:3:1 -> 1
  1: cas_value r = heap[2]:1, r, 1 @6:3 -> 2
  2: fetch_xor none = heap[2]:1, (r as u8) as u8 @7:3 -> 3
  3: assert (r ult (r as s32)) "too many" @8:3 -> 4
  4: halt @4:1
}
property "all" observations 1 @9:1
)");
  EXPECT_TRUE(Equality(p, parse_text(print_program(p))).programs());
  EXPECT_EQ(p.file_of({5, 3, header}).name, "lib/queue.h");
  EXPECT_EQ(p.line_name({5, 3, header}), "queue.h:5");
  EXPECT_EQ(p.line_name({5, 3}), "5");
}

TEST(Text, StrangeNamesComeBack) {
  ProgramBuilder b({"a\\b\"\n\xff.fl", ""});
  for (const char* name : {"x", "x", "none", "two words", "", "entry", "in"})
    b.object(name, {0}, std::nullopt, kPos);
  for (const char* name : {"x", "P", "P", "entry"}) {  // a thread may be called like an object
    ThreadBuilder& t = b.thread(name, kPos);
    t.reg("in", 0, Range{0, 1});
    t.reg("none");
    t.rmw(RmwOp::kXchg, {}, {ObjectId(2), b.constant(0)}, b.reg(RegId(0)), ExprId(), kPos);
    t.mark("a \"label\"", SourcePos());
  }
  b.property({"p q", PropertyKind::kAlways,
              b.binary(ExprOp::kAdd, b.thread_reg(ThreadId(3), RegId(1)), b.cell(ObjectId(5), b.constant(0))),
              kPos});
  const Program p = b.finish();
  const Program q = parse_text(print_program(p));
  EXPECT_TRUE(Equality(p, q).programs()) << print_program(p);
}

TEST(Text, PrintsSingleThings) {
  ProgramBuilder b({"t.fl", ""});
  ThreadBuilder& t = b.thread("P", kPos);
  const RegId i = t.reg("i"), a = t.reg_array("a", {0, 0});
  t.assign({a, 2, b.reg(i)}, b.select(b.reg(i), b.unary(ExprOp::kNeg, b.reg(i)), b.constant(-3)), kPos);
  const Program p = b.finish();
  EXPECT_EQ(print_instruction(p, ThreadId(0), Point(0)), "assign $1..$2[i] = (i ? (- i) : -3) @3:7 -> 1");
  EXPECT_EQ(print_expr(p, ThreadId(0), p.threads[0].code[0].a), "(i ? (- i) : -3)");
}

// The first complaint about `text`, as "line:column message".
std::string complaint(const std::string& text) {
  try {
    parse_text(text);
  } catch (const InputError& error) {
    const Diagnostic& d = error.diagnostics().at(0);
    EXPECT_NE(std::string(error.what()).find('^'), std::string::npos);
    return fmt::format("{}:{} {}", d.pos.line, d.pos.column, d.message);
  }
  return "";
}

TEST(Text, ComplaintsPointAtTheTrouble) {
  const std::string head = "source \"s\"\nobject x = 0\nthread P entry 0 {\n reg r = 0\n ";
  EXPECT_EQ(complaint(""), "1:1 expected 'source', found the end of the file");
  EXPECT_EQ(complaint("source 5"), "1:8 expected a string, found '5'");
  EXPECT_EQ(complaint("source \"s"), "1:8 this string does not end on its line");
  EXPECT_EQ(complaint("source \"\\q\""), "1:9 unknown escape");
  EXPECT_EQ(complaint(head + "0: halt"), "5:9 expected a number, found the end of the file");
  EXPECT_EQ(complaint(head + "1: halt }"), "5:2 the next instruction has the number 0");
  EXPECT_EQ(complaint(head + "0: jump }"), "5:5 expected an instruction, found 'jump'");
  EXPECT_EQ(complaint(head + "0: assume r -> 7 }"), "5:17 there is no such point");
  EXPECT_EQ(complaint(head + "0: assume $7 -> 0 }"), "5:12 there is no register $7");
  EXPECT_EQ(complaint(head + "0: assume s -> 0 }"), "5:12 there is no register 's'");
  EXPECT_EQ(complaint(head + "0: assume (r as x8) -> 0 }"), "5:18 expected a type, found 'x8'");
  EXPECT_EQ(complaint(head + "0: assume (r as u64) -> 0 }"), "5:18 there is no type of so many bits");
  EXPECT_EQ(complaint(head + "0: load r = x[0]:256 -> 0 }"), "5:19 this number is out of range");
  EXPECT_EQ(complaint(head + "0: assume (r 1) -> 0 }"), "5:15 expected an operator, found '1'");
  EXPECT_EQ(complaint(head + "0: load r = y[0] -> 0 }"), "5:14 there is no object 'y'");
  EXPECT_EQ(complaint(head + "0: assume 99999999999999999999 -> 0 }"),
            "5:12 this number does not fit into 64 bits");
  EXPECT_EQ(complaint(head + "0: assume r }"),
            "1:1 this is not a well-formed program: thread P, point 0: 0 successors");
  EXPECT_EQ(complaint(head + "0: halt }\nthread P entry 0 { 0: halt }"), "6:8 the name 'P' is taken");
  EXPECT_EQ(complaint(head + "0: halt }\n\x01"), "6:1 this character has no meaning here");
  EXPECT_EQ(complaint(head + "0: halt }\nproperty \"p\" never P@1"), "6:22 there is no such point");
  EXPECT_EQ(complaint(head + "0: halt }"), "");
}

TEST(Text, CommentsReachToTheEndOfTheLine) {
  EXPECT_EQ(
      complaint(
          "// What it is.\n// More.\nsource \"s\" // a source\nthread P entry 0 { 0: halt } // the end"),
      "");
  EXPECT_EQ(complaint("// Nothing else."), "1:17 expected 'source', found the end of the file");
  EXPECT_EQ(complaint("source \"//\" 5"),
            "1:13 expected 'object', 'thread' or 'property', in this order, found '5'");
}

TEST(Text, DepthIsBounded) {
  const auto nested = [](size_t depth, const char* open, const char* close) {
    std::string text = "source \"s\"\nthread P entry 0 {\n reg r = 0\n 0: assume ";
    for (size_t i = 0; i < depth; ++i) text += open;
    text += "r";
    for (size_t i = 0; i < depth; ++i) text += close;
    return text + " -> 0\n}\n";
  };
  EXPECT_EQ(complaint(nested(kMaxExprDepth - 1, "(! ", ")")), "");
  for (const size_t depth : {size_t{kMaxExprDepth}, size_t{1000000}}) {
    EXPECT_NE(complaint(nested(depth, "(! ", ")")).find("nested too deeply"), std::string::npos);
    EXPECT_NE(complaint(nested(depth, "$0..$0[", "]")).find("nested too deeply"), std::string::npos);
  }
}

// Damaged text is either rejected or read as some other well-formed program.
TEST(Text, JunkIsRejected) {
  std::vector<std::string> good;
  for (uint64_t seed = 0; good.size() < 40; ++seed) {
    Rng rng(seed);
    good.push_back(print_program(random_program(rng)));
    if (good.back().size() > 4000) good.pop_back();
  }
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::string text = good[seed % good.size()];
    Rng damage(seed);
    for (uint64_t i = 0; i <= damage.below(4); ++i) {
      const size_t at = damage.below(text.size());
      switch (damage.below(4)) {
        case 0:
          text[at] = static_cast<char>(damage.below(256));
          break;
        case 1:
          text.erase(at, damage.below(20));
          break;
        case 2:
          text.insert(at, text.substr(damage.below(text.size()), damage.below(20)));
          break;
        default:
          text.insert(at, std::to_string(damage.next() >> damage.below(64)));
          break;
      }
    }
    try {
      EXPECT_TRUE(verify(parse_text(text)).empty());
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace fenceline
