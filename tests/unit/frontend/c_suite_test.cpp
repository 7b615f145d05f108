// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "env/errors.h"
#include "frontend/c/suite.h"

namespace fenceline::frontend::c {
namespace {

Suite parse(const std::string& text) { return parse_suite({"folder/queue.tests", text}); }

const std::string kBegin =
    "implementation \"queue.c\"\n"
    "operation e = enqueue(&queue, in {0, 1});\n"
    "operation d = int dequeue(&queue, out int);\n";

// Line, column and message of the complaint.
std::string complaint(const std::string& text) {
  try {
    parse(text);
    return "";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1U);
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.pos.line) + ":" + std::to_string(first.pos.column) + ": " + first.message;
  }
}

std::string steps(const Suite& suite, const std::vector<Step>& all) {
  std::string text;
  for (const Step& step : all)
    text += (text.empty() ? "" : " ") + suite.operations[step.operation].name + (step.primed ? "'" : "");
  return text;
}

TEST(CSuite, AllDirectives) {
  const Suite suite = parse(
      "# a comment\n"
      "// another\n"
      "implementation \"queue.c\"  # one more\n"
      "reference \"sub/reference.c\"\n"
      "define SIZE 3 # of the ring\n"
      "define FAST\n"
      "init init_queue(&queue);\n"
      "init fill();\n"
      "operation e = enqueue(&queue, in {0, 1});\n"
      "operation d = unsigned long dequeue(&queue,\n"
      "                                    out int);\n"
      "operation v = void touch()\n"
      "operation n = std::size_t ns::count(f(1, 2), \"a)\"[0])\n"
      "test T0 = ( e | d )\n"
      "test Ti2 = e v ( e d | d e | n )\r\n");
  EXPECT_EQ(suite.implementation, "folder/queue.c");
  EXPECT_EQ(suite.reference, "folder/sub/reference.c");
  EXPECT_EQ(suite.defines, (std::vector<std::string>{"SIZE=3", "FAST"}));
  ASSERT_EQ(suite.init.size(), 2U);
  EXPECT_EQ(suite.init[0].function, "init_queue");
  EXPECT_EQ(suite.init[0].arguments.at(0).text, "&queue");
  EXPECT_TRUE(suite.init[1].arguments.empty());
  ASSERT_EQ(suite.operations.size(), 4U);
  const SuiteCall& enqueue = suite.operations[0].call;
  EXPECT_EQ(enqueue.returns, "");
  EXPECT_EQ(enqueue.arguments.at(1).kind, SuiteArgument::Kind::kIn);
  EXPECT_EQ(enqueue.arguments.at(1).values, (std::vector<std::string>{"0", "1"}));
  const SuiteCall& dequeue = suite.operations[1].call;
  EXPECT_EQ(dequeue.returns, "unsigned long");
  EXPECT_EQ(dequeue.function, "dequeue");
  EXPECT_EQ(dequeue.arguments.at(1).kind, SuiteArgument::Kind::kOut);
  EXPECT_EQ(dequeue.arguments.at(1).text, "int");
  EXPECT_EQ(dequeue.pos.line, 10U);
  EXPECT_EQ(suite.operations[2].call.returns, "");
  EXPECT_EQ(suite.operations[3].call.function, "ns::count");
  EXPECT_EQ(suite.operations[3].call.returns, "std::size_t");
  EXPECT_EQ(suite.operations[3].call.arguments.at(0).text, "f(1, 2)");
  ASSERT_EQ(suite.tests.size(), 2U);
  EXPECT_EQ(suite.tests[1].name, "Ti2");
  EXPECT_EQ(suite.tests[1].text, "e v ( e d | d e | n )");
  EXPECT_EQ(steps(suite, suite.tests[1].first), "e v");
  ASSERT_EQ(suite.tests[1].threads.size(), 3U);
  EXPECT_EQ(steps(suite, suite.tests[1].threads[1]), "d e");
}

TEST(CSuite, PrimesAndNamesWithoutBlanks) {
  const Suite suite = parse(
      "implementation \"s.c\"\n"
      "operation a = add()\noperation al = add_left()\noperation r = remove()\n"
      "test S = a'r ( aal'r' | al a | r'r )\n");
  const SuiteTest& test = suite.tests.at(0);
  EXPECT_EQ(steps(suite, test.first), "a' r");
  EXPECT_EQ(steps(suite, test.threads.at(0)), "a al' r'");  // the longest name counts
  EXPECT_EQ(steps(suite, test.threads.at(1)), "al a");
  EXPECT_EQ(steps(suite, test.threads.at(2)), "r' r");
}

TEST(CSuite, PathsThatAreAbsoluteStaySo) {
  EXPECT_EQ(parse("implementation \"/a b/q.c\"\noperation e = f()\ntest T = (e)").implementation, "/a b/q.c");
}

TEST(CSuite, Complaints) {
  EXPECT_EQ(complaint(""), "1:1: there is no implementation");
  EXPECT_EQ(complaint("implementation \"q.c\"\n"), "2:1: there are no operations");
  EXPECT_EQ(complaint(kBegin), "4:1: there are no tests");
  EXPECT_EQ(complaint("frobnicate"), "1:1: there is no directive 'frobnicate'");
  EXPECT_EQ(complaint("?"),
            "1:1: expected a directive (implementation, reference, define, init, operation, test), not '?'");
  EXPECT_EQ(complaint("implementation q.c"), "1:16: expected a file name in quotation marks, not 'q'");
  EXPECT_EQ(complaint("implementation \"q.c"),
            "1:20: expected the closing quotation mark, not the end of the file");
  EXPECT_EQ(complaint("implementation \"\""), "1:18: a file name with nothing in it");
  EXPECT_EQ(complaint("implementation \"a\\b\""), "1:18: a file name with a backslash");
  EXPECT_EQ(complaint("reference \"a\" b"), "1:15: expected the end of the line, not 'b'");
  EXPECT_EQ(complaint("reference \"a\"\nreference \"b\"\n"), "2:1: a second reference");
  EXPECT_EQ(complaint("define 3"), "1:8: expected a name, not '3'");
  EXPECT_EQ(complaint("operation e f()"), "1:13: expected '=', not 'f'");
  EXPECT_EQ(complaint("operation e = f"),
            "1:16: expected '(' and the arguments of the call, not the end of the file");
  EXPECT_EQ(complaint("operation e = (1)"), "1:15: expected the name of a function");
  EXPECT_EQ(complaint("operation e = f(1"), "1:18: expected ',' or ')', not the end of the file");
  EXPECT_EQ(complaint("operation e = f(g(1)"), "1:21: expected ',' or ')', not the end of the file");
  EXPECT_EQ(complaint("operation e = f(g[1)"), "1:20: expected ']', not ')'");
  EXPECT_EQ(complaint("operation e = f(,)"), "1:17: expected an argument, not ','");
  EXPECT_EQ(complaint("operation e = f(in 1)"), "1:20: expected '{' and the values to choose from, not '1'");
  EXPECT_EQ(complaint("operation e = f(in {})"), "1:21: expected a value");
  EXPECT_EQ(complaint("operation e = f(in {1,})"), "1:23: expected a value");
  EXPECT_EQ(complaint("operation e = f(in {1)"), "1:22: expected '}' or ',', not ')'");
  EXPECT_EQ(complaint("operation e = f(out)"), "1:20: expected a type behind 'out', not ')'");
  EXPECT_EQ(complaint(kBegin + "operation e = f()"), "4:11: there already is an operation 'e'");
  EXPECT_EQ(complaint(kBegin + "test all = (e)"), "4:6: a test cannot be called 'all'");
  EXPECT_EQ(complaint(kBegin + "test T = (e)\ntest T = (d)"), "5:6: there already is a test 'T'");
  EXPECT_EQ(complaint(kBegin + "test T = e"),
            "4:11: expected '(' and what the threads do, not the end of the file");
  EXPECT_EQ(complaint(kBegin + "test T = ()"), "4:11: expected an operation, not ')'");
  EXPECT_EQ(complaint(kBegin + "test T = (e | x)"), "4:15: there is no operation 'x'");
  EXPECT_EQ(complaint(kBegin + "test T = (e | 3)"), "4:15: expected an operation, not '3'");
  EXPECT_EQ(complaint(kBegin + "test T = (e\n"), "4:12: expected '|' or ')', not the end of the line");
  EXPECT_EQ(complaint(kBegin + "test T = (e) d"), "4:14: expected the end of the line, not 'd'");
}

TEST(CSuite, Harness) {
  const Suite suite = parse(
      "implementation \"q.c\"\n"
      "reference \"r.c\"\n"
      "init start(&q);\n"
      "operation e = put(&q, in {0, 5, K}, out int);\n"
      "operation d = int *take(&q)\n"
      "test T = (e | d)\n");
  const std::string text = harness(suite, suite.implementation);
  EXPECT_EQ(
      text,
      "#include <fenceline.h>\n"
      "#line 1 \"folder/queue.tests\"\n"
      "#include \"folder/q.c\"\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "void fl_observe(const char *, long);\n"
      "#line 3 \"folder/queue.tests\"\n"
      "void fl_init_0(void) { start(&q); }\n"
      "#line 4 \"folder/queue.tests\"\n"
      "void fl_operation_0(void) { long fl_in1_ = fl_nondet(0, 2); "
      "long fl_in1 = fl_in1_ == 0 ? (0) : (fl_in1_ == 1 ? (5) : (K)); int fl_out2 = 0; "
      "put(&q, fl_in1, &fl_out2); fl_observe(\"in1\", fl_in1); fl_observe(\"out2\", (long)fl_out2); }\n"
      "#line 5 \"folder/queue.tests\"\n"
      "void fl_operation_1(void) { int * fl_result = take(&q); fl_observe(\"result\", (long)fl_result); }\n"
      "#ifdef __cplusplus\n}\n#endif\n");
  EXPECT_NE(harness(suite, suite.reference).find("#line 2 \"folder/queue.tests\"\n#include \"folder/r.c\"\n"),
            std::string::npos);
}

}  // namespace
}  // namespace fenceline::frontend::c
