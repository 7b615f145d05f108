// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transactional memories: what their programs and clients become, and what is rejected.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ir/text/printer.h"
#include "unit/frontend/fl_testing.h"

namespace fenceline::testing {
namespace {

// A memory with declarations, and programs that do nothing but what is given here. Each part is a line: the
// declarations line 2, read 3, write 4, end 5, abort 6.
std::string memory(const std::string& declarations, const std::string& read = "rfin;",
                   const std::string& write = "", const std::string& end = "commit;",
                   const std::string& abort = "abort;", const std::string& rest = "") {
  return fmt::format(
      "transaction M {{ transactional int g[variables]; shared int o[variables]; local int l; index u;\n"
      "{}\nread(v) {{ {} }}\nwrite(v) {{ {} }}\nend {{ {} }}\nabort {{ {} }}\n{}\n}}\n",
      declarations, read, write, end, abort, rest);
}

// The code of a thread, one instruction per line, without positions.
std::string code(const Program& program, size_t thread = 0) {
  std::string text;
  for (size_t i = 0; i < program.threads[thread].code.size(); ++i) {
    std::string line = print_instruction(program, ThreadId(thread), Point(i));
    const size_t at = line.rfind(" @"), arrow = line.rfind(" ->");
    line.erase(at, arrow != std::string::npos ? arrow - at : arrow);
    text += fmt::format("{}: {}\n", i, line);
  }
  return text;
}

std::vector<std::string> statement_names(const Program& program, size_t thread = 0) {
  std::vector<std::string> names;
  for (const StatementEnd& end : program.threads[thread].ends) names.push_back(end.name);
  return names;
}

Program parse_with(const std::string& text, uint64_t threads, uint64_t variables) {
  return frontend::parse_fl({"test.fl", text}, {threads, variables});
}

// ----------------------------------------------------------------------------------------------- lowering

TEST(FlTransaction, MostGeneralClient) {
  const Program program = parse_with(memory("", "l = g[v]; rfin;", "g[v] = self;"), 2, 2);
  ASSERT_EQ(program.threads.size(), 2u);
  EXPECT_EQ(program.threads[0].name, "T1");
  EXPECT_EQ(program.threads[1].name, "T2");
  EXPECT_EQ(code(program),
            "0: choose -> 1, 3, 5, 6, 7\n"
            "1: load l = g[0] -> 2\n"
            "2: mark \"\" rfin -> 0\n"
            "3: load l = g[1] -> 4\n"
            "4: mark \"\" rfin -> 0\n"
            "5: store g[0] = 1 -> 0\n"
            "6: store g[1] = 1 -> 0\n"
            "7: mark \"\" commit -> 0\n");
  EXPECT_NE(code(program, 1).find("5: store g[0] = 2"), std::string::npos);
  EXPECT_TRUE(program.objects[0].transactional);
  EXPECT_FALSE(program.objects[1].transactional);
  EXPECT_EQ(history_alphabet(program), (HistoryAlphabet{2, 2}));
}

TEST(FlTransaction, ThreadsAndVariablesAreConstants) {
  const std::string text = memory("shared int k = threads * 10 + variables;");
  EXPECT_EQ(history_alphabet(parse(text)), (HistoryAlphabet{2, 2}));
  EXPECT_EQ(parse(text).objects.back().init[0], 22);
  const Program larger = parse_with(text, 3, 4);
  EXPECT_EQ(history_alphabet(larger), (HistoryAlphabet{3, 4}));
  EXPECT_EQ(larger.objects.back().init[0], 34);
  const std::string own = "const int threads = 1, variables = 3;\n" + text;
  EXPECT_EQ(history_alphabet(parse(own)), (HistoryAlphabet{1, 3}));
  EXPECT_EQ(history_alphabet(parse_with(own, 0, 2)), (HistoryAlphabet{1, 2}));
}

TEST(FlTransaction, ProgramsAreInlined) {
  const Program program = parse_with(
      memory("", "write(v); if (l == 1) abort(); rfin;", "l = o[v];", "commit;", "rollback g[0] = 5; abort;"),
      1, 1);
  EXPECT_EQ(code(program),
            "0: choose -> 1, 6, 7\n"
            "1: load l = o[0] -> 2\n"
            "2: branch (l == 1) -> 3, 5\n"
            "3: store g[0] = 5 rollback -> 4\n"
            "4: mark \"\" abort -> 0\n"
            "5: mark \"\" rfin -> 0\n"
            "6: load l = o[0] -> 0\n"
            "7: mark \"\" commit -> 0\n");
}

TEST(FlTransaction, VariablesKeepTheirValues) {
  const Program program = parse_with(memory("local int a[2] = {3, 4}, b = self;"), 2, 1);
  const std::vector<Register>& registers = program.threads[1].registers;
  const auto init = [&](const std::string& name) {
    const auto it = std::ranges::find(registers, name, &Register::name);
    return it == registers.end() ? -1 : it->init;
  };
  EXPECT_EQ(init("a[1]"), 4);
  EXPECT_EQ(init("b"), 2);
  EXPECT_EQ(code(program, 1).substr(0, 12), "0: choose ->");
}

TEST(FlTransaction, BoundedClients) {
  const std::string text =
      memory("", "l = g[v]; if (l == 1) abort(); rfin;", "g[v] = 1;", "commit;", "abort;",
             "client { read(0); choose { write(1); } or { read(1); } end; } client { end; }");
  const Program program = parse_with(text, 3, 2);
  EXPECT_EQ(code(program),
            "0: load l = g[0] -> 1\n"
            "1: branch (l == 1) -> 2, 3\n"
            "2: mark \"\" abort -> 11\n"
            "3: mark \"\" rfin -> 4\n"
            "4: choose -> 5, 6\n"
            "5: store g[1] = 1 -> 10\n"
            "6: load l = g[1] -> 7\n"
            "7: branch (l == 1) -> 8, 9\n"
            "8: mark \"\" abort -> 11\n"
            "9: mark \"\" rfin -> 10\n"
            "10: mark \"\" commit -> 12\n"
            "11: choose -> 0, 12\n"
            "12: halt\n");
  EXPECT_EQ(code(program, 1), "0: mark \"\" commit -> 1\n1: halt\n");
  EXPECT_EQ(code(program, 2), code(program, 1));
}

TEST(FlTransaction, LinesNameStatements) {
  const Program program =
      parse_with(memory("", "02: if (l == 0)\n03: l = o[v]; 4: { l = 1; l = 2; } abort(); 11: rfin;", "",
                        "05: o[0] = 1; commit;", "07: while (u < 1) { u = u + 1; 08: o[0] = 0; } abort;"),
                 1, 1);
  EXPECT_EQ(statement_names(program),
            (std::vector<std::string>{"read 03", "read 4", "read 4", "", "abort 08", "end 05"}));
}

TEST(FlTransaction, LinesAndBraces) {
  const Program program = parse_with(memory("", "if (l == 0)\n03:   l = o[v]; rfin;"), 1, 1);
  const StatementEnd& end = program.threads[0].ends.at(0);
  EXPECT_EQ(end.open.column, 1u);
  EXPECT_EQ(end.begin.column, 7u);
  EXPECT_EQ(end.close, end.end);
}

TEST(FlTransaction, Stamps) {
  const Program program =
      parse_with(memory("shared stamp clk = 1, ver[2]; local stamp s, t[2];",
                        "if (s == 0) s = clk; if (clk < ver[v] + 1) skip; l = cas(clk, s, s + 1); rfin;"),
                 1, 1);
  EXPECT_TRUE(program.objects[2].stamp);
  EXPECT_TRUE(program.objects[3].stamp);
  EXPECT_FALSE(program.objects[1].stamp);
  for (const Register& reg : program.threads[0].registers)
    EXPECT_EQ(reg.stamp, reg.name != "l" && reg.name != "u") << reg.name;
}

TEST(FlTransaction, Structures) {
  const Program program =
      parse_with(memory("shared struct { int a; stamp b; } s[2], one; local struct { int a, c; } m[2], n;",
                        "s[u].a = 1; n.c = s[v].a; m[1].a = one.a; l = cas(s[1].a, 0, self); "
                        "if (s[0].b == one.b) skip; rfin;"),
                 1, 1);
  EXPECT_EQ(program.cell_name(CellId(3)), "s[1].a");
  EXPECT_EQ(program.object(program.object_of(CellId(4))).name, "one.a");
  EXPECT_TRUE(program.object(program.object_of(CellId(5))).stamp);
  EXPECT_EQ(program.cell_name(CellId(5)), "s[0].b");
  std::vector<std::string> names;
  for (const Register& reg : program.threads[0].registers)
    if (!reg.temporary) names.push_back(reg.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"l", "u", "m[0].a", "m[1].a", "m[0].c", "m[1].c", "n.a", "n.c"}));
}

TEST(FlTransaction, StructuresOfThreads) {
  const Program program = parse(
      "shared struct { int 0..3 a; int b; } s;\n"
      "thread P { local struct { int x; } m; m.x = s.a; s.b = m.x; }\nproperty p: finally (s.a == s.b);\n");
  EXPECT_EQ(steps(program), "load m.x s.a; store s.b; halt");
}

TEST(FlTransaction, Properties) {
  const Program program = parse(
      memory("") + "property a: opacity; property b: strict serializability; property c: never (T1.l == 3);");
  ASSERT_EQ(program.properties.size(), 3u);
  EXPECT_EQ(program.properties[0].kind, PropertyKind::kOpacity);
  EXPECT_EQ(program.properties[1].kind, PropertyKind::kStrictSerializability);
  EXPECT_TRUE(parse(memory("")).properties.empty());
}

// The programs of the corpus are tested elsewhere.
TEST(FlTransaction, CorpusCanBeRead) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FENCELINE_CORPUS_DIR "/stm")) {
    if (entry.path().extension() != ".fl") continue;
    const SourceFile file = read_source_file(entry.path().string());
    for (uint64_t threads = 1; threads <= 4; ++threads)
      for (uint64_t variables = 1; variables <= 4; ++variables) {
        const Program program = frontend::parse_fl(file, {threads, variables});
        EXPECT_EQ(history_alphabet(program),
                  (HistoryAlphabet{static_cast<uint32_t>(threads), static_cast<uint32_t>(variables)}));
        EXPECT_EQ(program.properties.size(), 2u) << file.name;
      }
    ++files;
  }
  EXPECT_GE(files, 9u);
}

TEST(FlTransaction, WordsThatAreNotReserved) {
  parse(
      "shared int self, threads, variables, stamp, client, transactional; thread P { self = stamp; }\n"
      "property p: finally (self == 0);");
}

// ------------------------------------------------------------------------------------------------ rejections

void rejected_in_read(const std::string& body, uint32_t column, const std::string& message,
                      const std::string& hint = "") {
  expect_complaint(memory("shared stamp clk; local stamp s; shared struct { int a; } t[2];", body), 3,
                   column + 10, message, hint);
}

void rejected_among_declarations(const std::string& declaration, uint32_t column, const std::string& message,
                                 const std::string& hint = "") {
  expect_complaint(memory(declaration), 2, column, message, hint);
}

TEST(FlTransaction, RejectedStamps) {
  rejected_in_read("s = s * 2;", 5, "a timestamp cannot be the operand of an operator");
  rejected_in_read("s = -s;", 6, "a timestamp cannot be the operand of an operator");
  rejected_in_read("s = s + l;", 7, "only constants can be added");
  rejected_in_read("s = s + clk;", 7, "only constants can be added");
  rejected_in_read("s = l;", 5, "'s' is a timestamp, and this is none");
  rejected_in_read("l = clk;", 5, "this is a timestamp, and 'l' is none", "stamp l");
  rejected_in_read("if (s) skip;", 5, "a timestamp cannot be a condition");
  rejected_in_read("if (s == l) skip;", 7, "compared with something else");
  rejected_in_read("l = o[s];", 7, "a timestamp cannot be an index");
  rejected_in_read("l = l == 0 ? s : 1;", 14, "a timestamp cannot be a part of '?'");
  rejected_in_read("havoc s in 0..1;", 7, "havoc does not support timestamps");
  rejected_in_read("l = cas(clk, l, 1);", 14, "'clk' is a timestamp, and this is none");
  rejected_in_read("l = cas(o[0], s, 1);", 15, "this is a timestamp, and 'o' is none");
  rejected_in_read("l = fetch_add(clk, 1);", 5, "this is a timestamp, and 'l' is none");
  rejected_in_read("s = fetch_add(clk, l);", 20, "only constants can be added");
  rejected_in_read("s = s + -1;", 9, "added to a timestamp, and this is -1");
  rejected_in_read("s = variables - 3 + s;", 5, "added to a timestamp, and this is -1");
  rejected_in_read("if (s + 1 == clk + (0 - 2)) skip;", 21, "added to a timestamp, and this is -2");
  rejected_in_read("s = fetch_add(clk, -1);", 20, "added to a timestamp, and this is -1");
  rejected_in_read("local stamp q = l;", 17, "'q' is a timestamp, and this is none");
  expect_complaint(memory("shared stamp clk;") + "property p: never (clk == 3);", 9, 20,
                   "'clk' is a timestamp");
}

TEST(FlTransaction, RejectedAccesses) {
  rejected_in_read("l = cas(g[v], 0, 1);", 9, "'g' is transactional", "loaded, stored and rolled back");
  rejected_in_read("l = xchg(g[v], 1);", 10, "'g' is transactional");
  rejected_in_read("atomic { l = g[v]; }", 14, "no access inside an atomic section");
  rejected_in_read("await(g[v] == 0);", 7, "no access inside an atomic section");
  rejected_in_read("rollback o[v] = 1;", 10, "'o' is not transactional");
  rejected_in_read("atomic { rfin; }", 10, "'rfin' inside an atomic section");
  rejected_in_read("v = 1;", 1, "'v' is a variable's number and cannot change");
  rejected_in_read("self = 1;", 1, "'self' is the thread's number and cannot change");
}

TEST(FlTransaction, RejectedIndices) {
  rejected_in_read("u = l;", 5, "'u' is an index, and this is not made of indices");
  rejected_in_read("u = u + o[0];", 5, "'u' is an index");
  rejected_in_read("u = cas(o[0], 0, 1);", 5, "'u' is an index");
  rejected_in_read("havoc u in 0..1;", 7, "havoc does not support the index 'u'");
  rejected_in_read("u = v + self * variables - u;  u = l == 0 ? 1 : 0;", 36, "'u' is an index");
  rejected_among_declarations("index w[2];", 7, "no arrays of indices");
  rejected_among_declarations("index w = l;", 11, "'w' is an index");
}

TEST(FlTransaction, RejectedCalls) {
  expect_complaint(memory("", "write(v); rfin;", "read(v);"), 4, 12, "recursion: read -> write -> read");
  expect_complaint(memory("", "rfin;", "", "commit;", "abort();"), 6, 9, "recursion: abort -> abort");
  rejected_in_read("write(u);", 7, "the variable's number must be a constant");
  rejected_in_read("write(7);", 7, "there is no variable 7: they go from 0 to 1");
  rejected_in_read("write();", 1, "'write' takes 1 argument, but 0 are given");
  rejected_in_read("l = end();", 5, "'end' has no value");
  rejected_in_read("end;", 4, "expected '(' after 'end'");
  rejected_in_read("return 1;", 8, "a program of a transaction has no value", "return;");
  expect_complaint("procedure p() { abort(); }\n" + memory("", "p(); rfin;"), 1, 17,
                   "'abort' belongs to transactions");
}

TEST(FlTransaction, RejectedStructures) {
  rejected_in_read("l = t;", 5, "'t' is a structure: a field is missing");
  rejected_in_read("l = t[0].b;", 10, "'t' has no field 'b'");
  rejected_in_read("l = t.a;", 5, "'t.a' is an array: an index is missing");
  rejected_in_read("l = t[0].a[1];", 12, "'a' is a field and no array");
  rejected_in_read("local struct { int a; } t;", 25, "'t' would hide the shared variable");
  rejected_in_read("local struct { int a; } k; local int k;", 38, "'k' is already declared");
  rejected_in_read("local struct { int a; } k; k = 1;", 28, "'k' is a structure");
  rejected_among_declarations("shared struct { int a, a; } q;", 24, "two fields are called 'a'");
  rejected_among_declarations("shared struct { struct { int a; } b; } q;", 17,
                              "a structure inside a structure");
  rejected_among_declarations("shared struct { int a[2]; } q;", 22, "a field cannot be an array");
  rejected_among_declarations("shared struct { } q;", 17, "a structure without fields");
  rejected_among_declarations("shared struct { int a; } q = 1;", 30, "no initial values");
  expect_complaint_in_body("T.x = 1;", 1, "only properties can look at the state of a thread");
}

TEST(FlTransaction, RejectedBlocks) {
  const std::string programs = "read(v) { rfin; } write(v) { } end { commit; }";
  expect_complaint("transaction M { " + programs + " }", 1, 13, "no transactional variables",
                   "transactional int g[variables];");
  expect_complaint("transaction M { transactional int g[3]; " + programs + " }", 1, 35,
                   "one cell for each variable", "g[variables]");
  expect_complaint("transaction M { transactional int g[variables], h[variables]; }", 1, 47,
                   "unexpected ','");
  expect_complaint(memory("transactional int h[variables];"), 2, 19, "declared for the second time");
  expect_complaint("transaction M { transactional int g[variables]; read(v) { } end { } }", 1, 13,
                   "no program 'write'");
  expect_complaint(memory("end { }"), 5, 1, "a second program 'end'");
  expect_complaint(memory("") + memory(""), 9, 1, "a second transaction block");
  expect_complaint(memory("") + "thread P { }", 9, 8, "a thread beside a transaction block");
  expect_complaint(memory("const threads = 5;"), 2, 17, "5 threads; from 1 to 4 are possible");
  expect_complaint(memory("shared int self;"), 2, 12, "'self' is already declared");
  expect_complaint(memory("procedure p() { }"), 2, 1, "expected a declaration, 'read'",
                   "outside the transaction");
  expect_complaint(memory("read { }"), 2, 6, "expected '(' and a name for the variable's number");
  expect_complaint("transaction M { transactional int g[variables];", 1, 15, "this '{' is never closed");
  rejected_in_read("07: }", 5, "a line's number is followed by a statement");
  rejected_in_read("l = 07;", 5, "starts with 0");
  rejected_in_read("l = l == 0 ? 07 : 1;", 14, "starts with 0");
  expect_complaint_in_body("07: x = 1;", 1, "starts with 0");
}

TEST(FlTransaction, RejectedClients) {
  const auto rejected = [](const std::string& clients, uint32_t column, const std::string& message) {
    expect_complaint(memory("", "rfin;", "", "commit;", "abort;", clients), 7, column, message);
  };
  rejected("client { read(2); }", 15, "there is no variable 2");
  rejected("client { read(l); }", 15, "a constant is needed here");
  rejected("client { abort; }", 10, "expected 'read', 'write', 'end' or 'choose', found 'abort'");
  rejected("client { choose { end; } }", 26, "expected 'or'");
  rejected("client { } client { } client { }", 30, "3 clients, but 2 threads");
}

}  // namespace
}  // namespace fenceline::testing
