// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text of `.cat` files: every construct, precedences, comments, and complaints about what is no model.
#include "model/cat/syntax.h"

#include "unit/model/cat_testing.h"

namespace fenceline {
namespace {

using cat::ExpressionKind;
using cat::StatementKind;

TEST(CatParser, EveryStatement) {
  const SourceFile file{"all.cat", R"(
C "All of it" withoutco withinit
let a = po
let b, c = (po, rf)
let (d, e) = b, c
let f(x, y) = x | y and g x = x in
let h() = 0
let rec r = po | (r; r) and s = r when acyclic r
acyclic a as first
~irreflexive a
empty a
flag ~empty a as race
undefined_unless empty a as Race
show a, b
show a \ b as c
unshow a, b
debug a
include "x.cat"
procedure p(x, y) = acyclic x acyclic y end
procedure q x = acyclic x end
procedure rec z() = call z() end
call p(a, b) as both
call q (a)
forall x in S do acyclic x end
with co from generate_cos(co0)
instructions R[{'once, 'acquire}]
default W[]
enum Kind = 'a || 'b || 'c
match k with || 'a -> acyclic po || 'b -> || _ -> acyclic rf end
if "option" acyclic a else include "y.cat" end
if not "option" && ("b" || "c") then end
assert empty a as sure
)"};
  const cat::SyntaxTree tree = cat::parse(file);
  EXPECT_EQ(tree.title, "All of it");
  EXPECT_EQ(tree.architecture, "C");
  std::vector<StatementKind> kinds;
  for (const cat::Statement& statement : tree.statements) kinds.push_back(statement.kind);
  using K = StatementKind;
  EXPECT_EQ(kinds,
            (std::vector<K>{K::kLet,     K::kLet,       K::kLet,       K::kLet,          K::kLet,
                            K::kLetRec,  K::kTest,      K::kTest,      K::kTest,         K::kTest,
                            K::kTest,    K::kDrawing,   K::kDrawing,   K::kDrawing,      K::kDrawing,
                            K::kInclude, K::kProcedure, K::kProcedure, K::kProcedure,    K::kCall,
                            K::kCall,    K::kForall,    K::kWithFrom,  K::kInstructions, K::kInstructions,
                            K::kEnum,    K::kMatch,     K::kIf,        K::kIf,           K::kTest}));
  const auto& statements = tree.statements;
  EXPECT_TRUE(statements[2].bindings[0].pattern.tuple);
  EXPECT_EQ(statements[3].bindings.size(), 2u);
  EXPECT_EQ(statements[3].bindings[0].value->kind, ExpressionKind::kFunction);
  EXPECT_TRUE(statements[5].has_test);
  EXPECT_TRUE(statements[7].test.negated);
  EXPECT_EQ(statements[9].test.role, cat::TestRole::kFlag);
  EXPECT_EQ(statements[10].test.name, "Race");
  EXPECT_TRUE(statements[18].recursive);
  EXPECT_EQ(statements[19].name, "both");
  EXPECT_EQ(statements[26].tags, (std::vector<std::string>{"a", "b", ""}));
}

TEST(CatParser, EveryExpression) {
  const auto kind = [](const std::string& text) {
    const SourceFile file{"e.cat", "let x = " + text};
    return cat::parse(file).statements.at(0).bindings.at(0).value->kind;
  };
  EXPECT_EQ(kind("po-loc"), ExpressionKind::kName);
  EXPECT_EQ(kind("Fence.rw.rw'"), ExpressionKind::kName);
  EXPECT_EQ(kind("_RMW"), ExpressionKind::kName);
  EXPECT_EQ(kind("'tag"), ExpressionKind::kTag);
  EXPECT_EQ(kind("0"), ExpressionKind::kEmptyRelation);
  EXPECT_EQ(kind("_"), ExpressionKind::kUniverse);
  EXPECT_EQ(kind("{a, b}"), ExpressionKind::kSet);
  EXPECT_EQ(kind("{}"), ExpressionKind::kSet);
  EXPECT_EQ(kind("()"), ExpressionKind::kTuple);
  EXPECT_EQ(kind("a, b"), ExpressionKind::kTuple);
  EXPECT_EQ(kind("begin a end"), ExpressionKind::kName);
  EXPECT_EQ(kind("[a]"), ExpressionKind::kIdentity);
  EXPECT_EQ(kind("a ++ b"), ExpressionKind::kAdd);
  EXPECT_EQ(kind("a * b"), ExpressionKind::kProduct);
  EXPECT_EQ(kind("a*"), ExpressionKind::kClosure);
  EXPECT_EQ(kind("a+"), ExpressionKind::kTransitive);
  EXPECT_EQ(kind("a?"), ExpressionKind::kReflexive);
  EXPECT_EQ(kind("a^-1"), ExpressionKind::kInverse);
  EXPECT_EQ(kind("a ^ -1"), ExpressionKind::kInverse);
  EXPECT_EQ(kind("~a"), ExpressionKind::kComplement);
  EXPECT_EQ(kind("f a"), ExpressionKind::kApply);
  EXPECT_EQ(kind("f(a, b)"), ExpressionKind::kApply);
  EXPECT_EQ(kind("f [a] 0 {}"), ExpressionKind::kApply);
  EXPECT_EQ(kind("fun y -> y"), ExpressionKind::kFunction);
  EXPECT_EQ(kind("fun (y, _) -> y"), ExpressionKind::kFunction);
  EXPECT_EQ(kind("let y = a and z = b in y | z"), ExpressionKind::kLet);
  EXPECT_EQ(kind("let rec y = a | (y; y) in y"), ExpressionKind::kLetRec);
  EXPECT_EQ(kind("try a with b"), ExpressionKind::kTry);
  EXPECT_EQ(kind("if \"option\" then a else b"), ExpressionKind::kIf);
  EXPECT_EQ(kind("if a = b then a else b"), ExpressionKind::kIf);
  EXPECT_EQ(kind("if a subset b then a else b"), ExpressionKind::kIf);
  EXPECT_EQ(kind("match a with 'x -> b || _ -> c end"), ExpressionKind::kMatchTag);
  EXPECT_EQ(kind("match a with || {} -> b || e ++ s -> c end"), ExpressionKind::kMatchSet);
  EXPECT_EQ(kind("match a with || p | e ++ s -> c || {} -> b end"), ExpressionKind::kMatchSet);
}

TEST(CatParser, Precedence) {
  EXPECT_TRUE(same_relation("po | rf; co", "po | (rf; co)"));
  EXPECT_TRUE(same_relation("po; rf \\ co", "po; (rf \\ co)"));
  EXPECT_TRUE(same_relation("po \\ rf \\ co", "(po \\ rf) \\ co"));
  EXPECT_TRUE(same_relation("po \\ rf & co", "po \\ (rf & co)"));
  EXPECT_TRUE(same_relation("po & rf \\ co", "(po & rf) \\ co"));
  EXPECT_TRUE(same_relation("po & W * R", "po & (W * R)"));
  EXPECT_TRUE(same_relation("po & rf+", "po & (rf+)"));
  EXPECT_TRUE(same_relation("~po & rf", "(~po) & rf"));
  EXPECT_TRUE(same_relation("~rf^-1", "~(rf^-1)"));
  EXPECT_TRUE(same_relation("rf+^-1", "(rf+)^-1"));
  EXPECT_TRUE(same_relation("po; rf | co; fr", "(po; rf) | (co; fr)"));
  EXPECT_FALSE(same_relation("po \\ rf \\ co", "po \\ (rf \\ co)"));
  EXPECT_FALSE(same_relation("po | rf; co", "(po | rf); co"));
  EXPECT_TRUE(same_relation("fencerel(F) & po", "(fencerel(F)) & po"));
}

// A star is a product if an operand follows.
TEST(CatParser, Stars) {
  EXPECT_EQ(term_of("acyclic po*; rf"), "po*; rf");
  EXPECT_EQ(term_of("acyclic po* | rf"), "po* | rf");
  EXPECT_EQ(term_of("acyclic po*"), "po*");
  EXPECT_EQ(term_of("acyclic W*R"), "W * R");
  EXPECT_EQ(term_of("acyclic W * ~R"), "W * (~R)");
  EXPECT_EQ(term_of("acyclic po*^-1"), "(po*)^-1");
}

TEST(CatParser, OperatorsThatDoNotMix) {
  EXPECT_EQ(complaint_about("acyclic ~po+"),
            "1:12: put parentheses around the operand of '~', or around it with its operand");
  EXPECT_NE(complaint_about("acyclic W * R * W"), "none");
  EXPECT_NE(complaint_about("acyclic W * R+"), "none");
}

TEST(CatParser, CommentsAndTitles) {
  EXPECT_EQ(term_of("(* one (* two *) *) \"t\" // rest\n# more\nacyclic po"), "po");
  EXPECT_EQ(cat_of("\"Title\" acyclic po").name, "Title");
  EXPECT_EQ(cat_of("X86 TSO acyclic po").name, "X86 TSO");
  EXPECT_EQ(cat_of("acyclic po").name, "test");
  EXPECT_EQ(cat_of("").constraints.size(), 0u);
  EXPECT_EQ(complaint_about("let a = (* (* *)"), "1:9: this comment does not end (comments nest)");
}

TEST(CatParser, Complaints) {
  EXPECT_EQ(complaint_about("let = po"), "1:5: a name to bind is missing, before '='");
  EXPECT_EQ(complaint_about("let empty = po"),
            "1:5: a name to bind is missing, before 'empty' ('empty' is a word of the language)");
  EXPECT_EQ(complaint_about("let a = "), "1:9: an expression is missing before the end of the file");
  EXPECT_EQ(complaint_about("let a = po |"), "1:13: an expression is missing before the end of the file");
  EXPECT_EQ(complaint_about("let a = (po"),
            "1:12: ')' is missing to close the parenthesis, before the end of the file");
  EXPECT_EQ(complaint_about("acyclic po\nas"),
            "2:3: a name behind 'as' is missing, before the end of the file");
  EXPECT_EQ(complaint_about("let a = po \"x\""),
            "1:12: no statement begins with a string (statements begin with let, acyclic, irreflexive, "
            "empty, flag, "
            "include, ...)");
  EXPECT_EQ(complaint_about("acylic po"), "1:1: no statement begins with 'acylic' (did you mean 'acyclic'?)");
  EXPECT_EQ(complaint_about("\"t\" emty po"), "1:5: no statement begins with 'emty' (did you mean 'empty'?)");
  EXPECT_EQ(complaint_about("let a = $"), "1:9: this character has no meaning here");
  EXPECT_EQ(complaint_about("include \"x"), "1:9: this string does not end");
  EXPECT_EQ(complaint_about("let a = po^1"), "1:12: this character has no meaning here");
  EXPECT_EQ(complaint_about("let a = po^+"), "1:11: '^' is followed by '-1'");
  EXPECT_EQ(complaint_about("flag po"), "1:6: 'acyclic', 'irreflexive' or 'empty' is missing here");
  EXPECT_EQ(complaint_about("procedure p(x) = acyclic x"),
            "1:27: 'end' is missing to close 'procedure', before the end of the file");
}

TEST(CatParser, DeepNestingIsAComplaint) {
  const auto repeat = [](const std::string& text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) result += text;
    return result;
  };
  const std::string deep = "this is nested too deeply";
  EXPECT_EQ(complaint_about("acyclic " + repeat("(", 100) + "po" + repeat(")", 100)), "none");
  for (const std::string& text : {"acyclic " + repeat("(", 100'000), "acyclic " + repeat("~", 100'000) + "po",
                                  "acyclic " + repeat("po ++ ", 100'000), "acyclic " + repeat("[", 100'000),
                                  "let x = " + repeat("fun y -> ", 100'000), repeat("if \"a\" ", 100'000),
                                  repeat("procedure p(x) = ", 100'000),
                                  "let x = if " + repeat("not ", 100'000) + "\"a\" then 0 else 0"})
    EXPECT_NE(complaint_about(text).find(deep), std::string::npos) << text.substr(0, 20);
  EXPECT_NE(complaint_about("acyclic po" + repeat("+", 100'000)), "none");
  EXPECT_NE(complaint_about("acyclic po" + repeat(" \\ po", 100'000)), "none");
  EXPECT_NE(complaint_about("acyclic f" + repeat(" x", 100'000)), "none");
  // Long is not deep.
  EXPECT_EQ(complaint_about("acyclic po" + repeat(" | po", 10'000)), "none");
  EXPECT_EQ(complaint_about("acyclic po" + repeat("^-1", 10'000)), "none");
  EXPECT_EQ(complaint_about(repeat("let a = po\n", 10'000)), "none");
}

}  // namespace
}  // namespace fenceline
