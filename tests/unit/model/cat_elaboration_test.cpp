// SPDX-License-Identifier: GPL-3.0-or-later
//
// What `.cat` texts mean: the terms they become, and what is rejected.
#include "unit/model/cat_testing.h"

namespace fenceline {
namespace {

TEST(CatElaboration, ConstraintsAsWritten) {
  const CatModel model = cat_of(
      "\"m\"\nacyclic (po | rf)\n~irreflexive po as cyclic\nempty R & W\nflag ~empty rf as read\n"
      "undefined_unless empty co as Co\nassert ~empty fr");
  ASSERT_EQ(model.constraints.size(), 6u);
  const auto& c = model.constraints;
  EXPECT_EQ(c[0].kind, ConstraintKind::kAcyclic);
  EXPECT_EQ(c[0].name, "acyclic (po | rf)");
  EXPECT_EQ(c[0].pos, (SourcePos{2, 1}));
  EXPECT_FALSE(c[0].negated || c[0].flag);
  EXPECT_EQ(c[1].kind, ConstraintKind::kIrreflexive);
  EXPECT_EQ(c[1].name, "cyclic");
  EXPECT_TRUE(c[1].negated);
  EXPECT_EQ(c[2].kind, ConstraintKind::kEmpty);
  EXPECT_TRUE(model.term(c[2].term).is_set);
  EXPECT_TRUE(c[3].flag && c[3].negated);
  EXPECT_TRUE(c[4].flag && c[4].negated);  // goes up when co is not empty
  EXPECT_EQ(c[4].name, "Co");
  EXPECT_TRUE(c[5].flag && !c[5].negated);
}

TEST(CatElaboration, StandardLibrary) {
  EXPECT_EQ(term_of("acyclic po-loc | rfe | coi"), "po & loc | rf & ext | co & int");
  EXPECT_EQ(term_of("acyclic fencerel(MFENCE)"), "po & _ * MFENCE; po");
  EXPECT_EQ(term_of("acyclic fr"), "fr");
  EXPECT_EQ(term_of("empty I"), "IW");
  EXPECT_EQ(term_of("empty emptyset | R"), "R");
  EXPECT_EQ(term_of("acyclic toid(R)"), "[R]");
  EXPECT_EQ(term_of("empty domain(rf) | range rf"), "domain(rf) | range(rf)");
  EXPECT_EQ(term_of("call inclusion(rf, co)"), "rf \\ co");
  EXPECT_EQ(term_of("acyclic amo"), "rmw \\ rmw & EX * EX");
}

TEST(CatElaboration, NamesMayBeDefinedAgain) {
  EXPECT_EQ(term_of("let com = rf let com = com | fr acyclic com"), "rf | fr");
  EXPECT_EQ(term_of("let co = po acyclic co"), "po");
  // What was defined before keeps its meaning.
  EXPECT_EQ(term_of("let a = po let f(x) = x | a let a = rf acyclic f(co)"), "co | po");
  EXPECT_EQ(term_of("let a = po let b = a and a = rf acyclic a; b"), "rf; po");
  EXPECT_EQ(term_of("let a = po let b = (let a = rf in a) | a acyclic b"), "rf | po");
}

TEST(CatElaboration, FunctionsAndTuples) {
  EXPECT_EQ(term_of("let f(x, y) = x; y acyclic f(po, rf)"), "po; rf");
  EXPECT_EQ(term_of("let f x = fun y -> x \\ y acyclic f po rf"), "po \\ rf");
  EXPECT_EQ(term_of("let twice f = fun x -> f (f x) let plus x = x; po acyclic twice plus rf"), "rf; po; po");
  EXPECT_EQ(term_of("let a, b = (po, rf) acyclic b; a"), "rf; po");
  EXPECT_EQ(term_of("let swap(x, y) = (y, x) let (a, b) = swap(po, rf) acyclic a; b"), "rf; po");
  EXPECT_EQ(term_of("let f() = po acyclic f()"), "po");
  EXPECT_EQ(term_of("let f(_, y) = y acyclic f(po, rf)"), "rf");
}

TEST(CatElaboration, Procedures) {
  const CatModel model = cat_of(
      "procedure p(x, n) = let y = x; n acyclic y irreflexive x as own end\n"
      "call p(po, rf) as called\ncall p(co, fr)");
  ASSERT_EQ(model.constraints.size(), 4u);
  EXPECT_EQ(model.constraints[0].name, "called");
  EXPECT_EQ(model.constraints[1].name, "own");
  EXPECT_EQ(model.constraints[2].name, "acyclic y");
  EXPECT_EQ(model.text(model.constraints[2].term), "co; fr");
}

TEST(CatElaboration, Simplification) {
  EXPECT_EQ(term_of("acyclic po | 0"), "po");
  EXPECT_EQ(term_of("acyclic po | po"), "po");
  EXPECT_EQ(term_of("acyclic po & 0"), "0");
  EXPECT_EQ(term_of("acyclic (po^-1)^-1"), "po");
  EXPECT_EQ(term_of("acyclic loc^-1"), "loc");
  EXPECT_EQ(term_of("acyclic (W * R)^-1"), "R * W");
  EXPECT_EQ(term_of("acyclic ~(~po)"), "po");
  EXPECT_EQ(term_of("acyclic [R]; [W]"), "[R & W]");
  EXPECT_EQ(term_of("acyclic id; po"), "po");
  EXPECT_EQ(term_of("acyclic [_]; po; id"), "po");
  EXPECT_EQ(term_of("acyclic po+?"), "po*");
  EXPECT_EQ(term_of("acyclic ((po?)+)*"), "po*");
  EXPECT_EQ(term_of("acyclic rf^-1; co"), "fr");
  EXPECT_EQ(term_of("acyclic (rf^-1; co) \\ id"), "fr");
  EXPECT_EQ(term_of("acyclic loc \\ id"), "loc \\ id");
  EXPECT_EQ(term_of("acyclic po & (_ * _)"), "po");
  EXPECT_EQ(term_of("empty R & _"), "R");
  EXPECT_EQ(term_of("acyclic emptyset * W"), "0");
  EXPECT_EQ(term_of("empty domain([R])"), "R");
  EXPECT_TRUE(same_relation("po | rf", "rf | po"));
  EXPECT_TRUE(same_relation("(po & rf); co", "(rf & po); co"));
}

TEST(CatElaboration, TermsAreSharedAndOrdered) {
  const CatModel model =
      cat_of("let a = po | rf let b = a; a acyclic b irreflexive b | a let unused = co; fr");
  EXPECT_EQ(model.constraints.size(), 2u);
  EXPECT_EQ(model.terms.size(), 5u);  // po, rf, their union, its square, and the union of these two
  EXPECT_FALSE(model.uses("co"));
  EXPECT_TRUE(model.uses("rf"));
  for (size_t i = 0; i < model.terms.size(); ++i) {
    for (const TermId operand : {model.terms[i].a, model.terms[i].b})
      if (operand.valid()) {
        EXPECT_LT(operand.index(), i);
      }
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(model.terms[i] == model.terms[j]);
  }
}

TEST(CatElaboration, Recursion) {
  const CatModel model = cat_of("let rec a = po | (a; b) and b = rf | (b; a) acyclic a");
  ASSERT_EQ(model.recursive.size(), 2u);
  EXPECT_EQ(model.text(model.constraints[0].term), "x0");
  EXPECT_EQ(model.text(model.recursive[0]), "po | x0; x1");
  EXPECT_EQ(model.text(model.recursive[1]), "rf | x1; x0");
  EXPECT_TRUE(model.uses("rf"));
  EXPECT_FALSE(model.uses("co"));
  // Sets too, also where only another variable decides it.
  const CatModel sets = cat_of("let rec s = t and t = R | range([s]; po) empty s");
  ASSERT_EQ(sets.recursive.size(), 2u);
  EXPECT_TRUE(sets.term(sets.constraints[0].term).is_set);
  EXPECT_TRUE(sets.term(sets.recursive[1]).is_set);
  // Of no help at all: a relation.
  EXPECT_EQ(term_of("let rec a = a acyclic a | po"), "x0 | po");
  EXPECT_EQ(term_of("let f(r) = let rec s = r | (s; s) in s acyclic f(po)"), "x0");
}

TEST(CatElaboration, RecursionNeedsALeastSolution) {
  EXPECT_EQ(complaint_about("let rec a = po \\ a\nacyclic a"),
            "1:9: 'a' has no least solution: a recursive name is below '~' or behind '\\'");
  EXPECT_NE(complaint_about("let rec a = po & ~(a; a) acyclic a"), "none");
  EXPECT_EQ(complaint_about("let rec a = po & ~(co \\ a) acyclic a"), "none");  // twice negated
  EXPECT_EQ(complaint_about("let rec a = po | a \\ rf acyclic a"), "none");
}

TEST(CatElaboration, WithFrom) {
  EXPECT_EQ(cat_of("with co from generate_cos(co0)").constraints.size(), 0u);
  EXPECT_EQ(term_of("with co from generate_cos(co0) acyclic co"), "co");
  EXPECT_EQ(term_of("with mo from generate_cos(co0) acyclic mo"), "co");
  EXPECT_EQ(term_of("include \"cross.cat\" with co from cross(co_locs(co0, partition(W))) acyclic co"), "co");
  // What is required of the order is required of co.
  const CatModel model = cat_of("with co from generate_cos(co0 | rf) acyclic co");
  ASSERT_EQ(model.constraints.size(), 2u);
  EXPECT_EQ(model.constraints[0].kind, ConstraintKind::kEmpty);
  EXPECT_NE(model.text(model.constraints[0].term).find("| rf) \\ co"), std::string::npos);
  EXPECT_EQ(cat_of("let co0 = po with co from generate_cos(co0)").constraints.size(), 1u);
  // Of some writes only.
  EXPECT_EQ(term_of("with mo from generate_orders(W & SC, co0) acyclic mo"), "co & (W & SC) * (W & SC)");
  EXPECT_EQ(term_of("with lo from generate_orders({}, po) acyclic lo"), "0");
}

TEST(CatElaboration, WithFromRejected) {
  EXPECT_EQ(complaint_about("with co from other(co0)"),
            "1:1: 'with co from' is not supported here (only coherence orders can be generated: with co from "
            "generate_cos(...))");
  EXPECT_EQ(complaint_about("with co from generate_cos(co0)\nwith mo from generate_cos(co0)"),
            "2:1: only one relation can be generated");
  EXPECT_EQ(complaint_about("let generate_cos(x) = x\nwith co from generate_cos(co0)"),
            "2:1: this 'generate_cos' is not supported (only that of cross.cat is)");
}

TEST(CatElaboration, TryOptionsAndTags) {
  EXPECT_EQ(term_of("acyclic try nothing-of-the-kind with po"), "po");
  EXPECT_EQ(term_of("acyclic try rf with po"), "rf");
  EXPECT_EQ(term_of("acyclic if \"option\" then rf else po"), "po");
  EXPECT_EQ(term_of("acyclic if not \"a\" && (\"b\" || ~\"c\") then rf else po"), "rf");
  EXPECT_EQ(term_of("if \"option\" acyclic rf else acyclic po end"), "po");
  EXPECT_EQ(term_of("if \"option\" acyclic rf end"), "none");
  EXPECT_EQ(term_of("let f t = match t with 'a -> po || _ -> rf end acyclic f 'a; f 'b"), "po; rf");
  EXPECT_EQ(
      cat_of("enum T = 'a || 'b forall t in T do match t with 'a -> acyclic po || 'b -> acyclic rf end end")
          .constraints.size(),
      2u);
  EXPECT_EQ(term_of("acyclic if 'a = 'b then po else rf"), "rf");
  EXPECT_EQ(term_of("acyclic if 'a in {'b, 'a} then po else rf"), "po");
  EXPECT_EQ(term_of("let f s = match s with {} -> po || e ++ r -> rf end acyclic f {}"), "po");
}

TEST(CatElaboration, SetsAndRelationsAreDifferent) {
  EXPECT_EQ(complaint_about("acyclic R"),
            "1:9: a relation is needed here, and this is a set ([S] is the identity on "
            "a set S)");
  EXPECT_EQ(complaint_about("acyclic po | R"),
            "1:14: a relation is needed here, and this is a set ([S] is the identity on a set S)");
  EXPECT_EQ(complaint_about("empty R | po"), "1:11: a set of events is needed here, and this is a relation");
  EXPECT_EQ(complaint_about("acyclic [po]"), "1:10: a set of events is needed here, and this is a relation");
  EXPECT_EQ(complaint_about("acyclic po * R"), "1:9: a set of events is needed here, and this is a relation");
  EXPECT_EQ(complaint_about("acyclic fencerel"), "1:9: a relation is needed here, and this is a function");
  EXPECT_EQ(complaint_about("acyclic po rf"),
            "1:9: this is a relation, not a function (an operator may be missing "
            "behind it)");
  EXPECT_EQ(complaint_about("call po(rf)"), "1:6: 'po' is a relation, not a procedure");
  EXPECT_EQ(complaint_about("acyclic nodetour(po, rf)"), "1:9: 3 values are needed, and there are 2");
  EXPECT_EQ(complaint_about("acyclic nodetour(po)"), "1:9: a tuple of 3 is needed, and this is a relation");
  // Except these two, which are what is needed.
  EXPECT_EQ(term_of("acyclic {} | po"), "po");
  EXPECT_EQ(term_of("empty {} | R"), "R");
  EXPECT_EQ(term_of("acyclic _ & po"), "po");
  EXPECT_EQ(term_of("acyclic _ \\ po"), "~po");
  EXPECT_EQ(term_of("empty ~{}"), "_ * _");
}

TEST(CatElaboration, UnknownNames) {
  EXPECT_EQ(complaint_about("acyclic po | \n rff"), "2:2: 'rff' is not defined (did you mean 'rf'?)");
  EXPECT_EQ(complaint_about("let order = po acyclic ordre"),
            "1:24: 'ordre' is not defined (did you mean 'order'?)");
  EXPECT_EQ(complaint_about("acyclic fencerel(MFENC)"),
            "1:18: 'MFENC' is not defined (did you mean 'MFENCE'?)");
  EXPECT_EQ(complaint_about("acyclic something-else"), "1:9: 'something-else' is not defined");
  EXPECT_EQ(complaint_about("let first = second let second = po acyclic first"),
            "1:13: 'second' is not defined");
  // A misspelt word behind a definition looks like an argument.
  EXPECT_EQ(complaint_about("let a = po acylic a"),
            "1:12: 'acylic' is not defined (did you mean 'acyclic'?)");
  EXPECT_EQ(complaint_about("let a = rff\nacyclic po"), "1:9: 'rff' is not defined (did you mean 'rf'?)");
}

TEST(CatElaboration, Unsupported) {
  EXPECT_EQ(complaint_about("let l = linearisations(W, co0)\nacyclic po"), "none");
  EXPECT_EQ(complaint_about("let l = linearisations(W, co0)\nacyclic l"),
            "1:9: 'linearisations' is not supported");
  EXPECT_EQ(complaint_about("acyclic po ++ 0"), "1:12: '++' is not supported");
  EXPECT_EQ(complaint_about("acyclic {po, rf}"),
            "1:10: a set that lists its elements is not supported, except of tags");
  EXPECT_EQ(complaint_about("forall x in W do acyclic po end"),
            "1:1: 'forall' is not supported, except over tags (sets of events are not known while the model "
            "is read)");
  EXPECT_EQ(complaint_about("acyclic match W with {} -> po || e ++ s -> rf end"),
            "1:9: 'match' on the elements of a set is not supported (sets of events are not known while the "
            "model is "
            "read)");
  EXPECT_EQ(complaint_about("acyclic if po = rf then po else rf"),
            "1:12: 'if' is not supported, except on tags and on options (sets of events are not known while "
            "the model "
            "is read)");
  EXPECT_EQ(complaint_about("let rec a = po | a when acyclic a"), "1:1: 'let rec ... when' is not supported");
  EXPECT_EQ(complaint_about("procedure rec p(x) = call p(x) end"),
            "1:1: a recursive procedure is not supported");
}

TEST(CatElaboration, EndlessAndLarge) {
  EXPECT_EQ(complaint_about("let rec f x = f x acyclic f po"),
            "1:15: functions call each other too deeply here");
  std::string doubling = "let f0 x = x; po\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "f" + std::to_string(i - 1);
    doubling += "let f" + std::to_string(i) + " x = " + before + "(" + before + " x)\n";
  }
  EXPECT_NE(complaint_about(doubling + "acyclic f39 rf").find("too large"), std::string::npos);
  std::string calls = "procedure p0(x) = acyclic x end\n";
  for (int i = 1; i < 2000; ++i)
    calls += "procedure p" + std::to_string(i) + "(x) = call p" + std::to_string(i - 1) + "(x) end\n";
  EXPECT_NE(complaint_about(calls + "call p1999(po)").find("too deeply"), std::string::npos);
  // A long row of definitions is not deep.
  std::string row = "let a0 = po\n";
  for (int i = 1; i < 5000; ++i)
    row += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "; rf\n";
  EXPECT_EQ(complaint_about(row + "acyclic a4999"), "none");
}

// The worked example of docs/models.md.
TEST(CatElaboration, OwnModel) {
  const CatModel model = cat_of(R"("My machine"
acyclic po-loc | rf | co | fr as coherence
let strong = po; [RMW] | [RMW]; po
let kept = [R]; po; [R]
         | addr | data | (ctrl; [W])
         | po; [SL & SS & LL & LS]; po
         | strong
empty rmw & (fre; coe) as atomicity
let order = kept | rfe | coe | fre
acyclic (atomic? ; (order \ atomic) ; atomic?) as mine)");
  EXPECT_EQ(model.name, "My machine");
  ASSERT_EQ(model.constraints.size(), 3u);
  EXPECT_EQ(model.constraints[2].name, "mine");
  EXPECT_TRUE(model.uses("ctrl") && model.uses("SL") && model.uses("RMW"));
  EXPECT_FALSE(model.uses("operation"));
}

TEST(CatElaboration, ModelsOfC) {
  EXPECT_EQ(term_of("C \"mine\" empty LS | UL"), "{}");
  EXPECT_EQ(term_of("\"mine\" empty LS"), "LS");
  EXPECT_EQ(term_of("C \"mine\" empty A"), "RLX | CON | ACQ | REL | ACQ_REL | SC");
}

TEST(CatElaboration, EmptySetsOfOthers) {
  EXPECT_EQ(term_of("empty FAULT | R"), "R");
  EXPECT_TRUE(always_empty("EXC-RET"));
  EXPECT_FALSE(always_empty("R"));
  for (const std::string_view name : base_names()) EXPECT_NE(base_sort(name), BaseSort::kNone);
  EXPECT_EQ(base_sort("Fence.rw.rw"), BaseSort::kSet);
  EXPECT_EQ(base_sort("rmw"), BaseSort::kRelation);
  EXPECT_EQ(base_sort("rmv"), BaseSort::kNone);
}

}  // namespace
}  // namespace fenceline
