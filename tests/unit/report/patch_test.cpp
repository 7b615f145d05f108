// SPDX-License-Identifier: GPL-3.0-or-later
//
// Fences in texts of all layouts. Each result is read by the front end, which must find a fence more in every
// thread that runs it.
#include "report/patch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "frontend/fl/fl.h"

namespace fenceline::report {
namespace {

size_t fences_of(const Program& program) {
  size_t count = 0;
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code) count += instruction.kind == InstrKind::kFence ? 1 : 0;
  return count;
}

constexpr const char* kHead = "shared int x, y;\n";
constexpr const char* kTail = "property p: never (x == 9);\n";

// The body with fences behind the statements at these positions (line, column of the body), which have
// `instances` instructions in all.
std::string with_fences(const std::string& body, const std::vector<SourcePos>& at,
                        FenceKinds kinds = FenceKinds::full()) {
  const SourceFile source{"test.fl", kHead + body + kTail};
  const Program program = frontend::parse_fl(source);
  std::map<SourcePos, FenceText> fences;  // by where they are written
  size_t instances = 0;
  for (const Thread& thread : program.threads)
    for (const StatementEnd& end : thread.ends) {
      const SourcePos begin{end.begin.line - 1, end.begin.column};
      if (std::find(at.begin(), at.end(), begin) == at.end()) continue;
      fences.insert({end.end, {end, kinds}});
      ++instances;
    }
  EXPECT_EQ(fences.size(), at.size());
  std::vector<FenceText> list;
  for (const auto& [where, fence] : fences) list.push_back(fence);
  const std::string patched = patched_text(source, list);
  EXPECT_EQ(fences_of(frontend::parse_fl({"test.fl", patched})), fences_of(program) + instances) << patched;
  EXPECT_TRUE(patched.starts_with(kHead));
  EXPECT_TRUE(patched.ends_with(kTail));
  return patched.substr(std::string(kHead).size(),
                        patched.size() - std::string(kHead).size() - std::string(kTail).size());
}

TEST(Patch, AStatementAloneOnItsLine) {
  EXPECT_EQ(with_fences("thread P {\n    x = 1;\n  y = 2;\n}\n", {{2, 5}}),
            "thread P {\n    x = 1;\n    fence;\n  y = 2;\n}\n");
  EXPECT_EQ(with_fences("thread P {\n\tx = 1;\n}\n", {{2, 2}}), "thread P {\n\tx = 1;\n\tfence;\n}\n");
}

TEST(Patch, BehindAComment) {
  EXPECT_EQ(with_fences("thread P {\n  x = 1;  // one; and\n}\n", {{2, 3}}),
            "thread P {\n  x = 1;  // one; and\n  fence;\n}\n");
  EXPECT_EQ(with_fences("thread P {\n  x = 1; /* one\n  more */ y = 1;\n}\n", {{2, 3}}),
            "thread P {\n  x = 1; fence; /* one\n  more */ y = 1;\n}\n");
  EXPECT_EQ(with_fences("thread P {\n  x = /* ; */ 1; // y\n}\n", {{2, 3}}),
            "thread P {\n  x = /* ; */ 1; // y\n  fence;\n}\n");
}

TEST(Patch, SeveralStatementsOnOneLine) {
  EXPECT_EQ(with_fences("thread P { x = 1; y = 2; }\n", {{1, 12}}), "thread P { x = 1; fence; y = 2; }\n");
  EXPECT_EQ(with_fences("thread P { x = 1; y = 2; }\n", {{1, 12}, {1, 19}}),
            "thread P { x = 1; fence; y = 2; fence; }\n");
  EXPECT_EQ(with_fences("thread P {\n  x = 1; y = 2;\n}\n", {{2, 10}}),
            "thread P {\n  x = 1; y = 2; fence;\n}\n");
}

TEST(Patch, AStatementOverSeveralLines) {
  EXPECT_EQ(with_fences("thread P {\n  x = 1 +\n      2;\n}\n", {{2, 3}}),
            "thread P {\n  x = 1 +\n      2;\n  fence;\n}\n");
}

TEST(Patch, BodiesWithoutBraces) {
  EXPECT_EQ(with_fences("thread P { if (x == 1) x = 2; else y = 1; }\n", {{1, 24}}),
            "thread P { if (x == 1) { x = 2; fence; } else y = 1; }\n");
  EXPECT_EQ(with_fences("thread P { if (x == 1) x = 2; else y = 1; }\n", {{1, 24}, {1, 36}}),
            "thread P { if (x == 1) { x = 2; fence; } else { y = 1; fence; } }\n");
  EXPECT_EQ(with_fences("thread P {\n  while (y == 0)\n    x = 2;\n}\n", {{3, 5}}),
            "thread P {\n  while (y == 0)\n    { x = 2; fence; }\n}\n");
  EXPECT_EQ(with_fences("thread P { do x = 2; while (y == 0); }\n", {{1, 15}}),
            "thread P { do { x = 2; fence; } while (y == 0); }\n");
  EXPECT_EQ(with_fences("thread P { while (x == 0) if (y == 1) x = 2; }\n", {{1, 39}}),
            "thread P { while (x == 0) if (y == 1) { x = 2; fence; } }\n");
}

TEST(Patch, Labels) {
  EXPECT_EQ(with_fences("thread P {\n  x = 2;\n cs: skip;\n  x = 1;\n}\n", {{3, 2}}),
            "thread P {\n  x = 2;\n cs: skip;\n  fence;\n  x = 1;\n}\n");
  EXPECT_EQ(with_fences("thread P {\n cs: x = 1;\n  y = 1;\n}\n", {{2, 6}}),
            "thread P {\n cs: x = 1;\n  fence;\n  y = 1;\n}\n");
  EXPECT_EQ(with_fences("thread P {\n cs: x = 1;\n  y = 1;\n}\n", {{2, 2}}),
            "thread P {\n cs: fence; x = 1;\n  y = 1;\n}\n");
  EXPECT_EQ(with_fences("thread P { if (x == 0) a: x = 1; }\n", {{1, 24}, {1, 27}}),
            "thread P { if (x == 0) { a: fence; x = 1; fence; } }\n");
  EXPECT_EQ(with_fences("thread P {\n a:\n  while (x == 0) { }\n}\n", {{2, 2}}),
            "thread P {\n a:\n  fence;\n  while (x == 0) { }\n}\n");
}

TEST(Patch, SectionsAndBlocks) {
  EXPECT_EQ(with_fences("thread P {\n  atomic {\n    x = 1;\n  }\n}\n", {{2, 3}}),
            "thread P {\n  atomic {\n    x = 1;\n  }\n  fence;\n}\n");
  EXPECT_EQ(with_fences("thread P { choose { x = 1; } or { y = 1; } }\n", {{1, 21}}),
            "thread P { choose { x = 1; fence; } or { y = 1; } }\n");
  EXPECT_EQ(with_fences("thread P { await(x == 1); y = 1; }\n", {{1, 12}}),
            "thread P { await(x == 1); fence; y = 1; }\n");
}

TEST(Patch, InstancesShareOneText) {
  EXPECT_EQ(with_fences("thread P[i in 0..2] {\n  x = i;\n}\n", {{2, 3}}),
            "thread P[i in 0..2] {\n  x = i;\n  fence;\n}\n");
}

TEST(Patch, KindsOfFences) {
  EXPECT_EQ(with_fences("thread P {\n  x = 1;\n  y = 1;\n}\n", {{2, 3}}, FenceKinds::store_store()),
            "thread P {\n  x = 1;\n  sfence;\n  y = 1;\n}\n");
  EXPECT_EQ(with_fences("thread P { x = 1; }\n", {{1, 12}}, FenceKinds::store_load()),
            "thread P { x = 1; fence(store-load); }\n");
}

TEST(Patch, ChangedLines) {
  EXPECT_EQ(changed_lines("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nnew\nd\ne\nf\n"),
            "@@ line 2 @@\n b\n c\n+new\n d\n e\n");
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nB\nc\n"), "@@ line 1 @@\n a\n-b\n+B\n c\n");
  EXPECT_EQ(changed_lines("a\n", "a\nb"), "@@ line 1 @@\n a\n+b\n");
  EXPECT_EQ(changed_lines("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(changed_lines("1\n2\n3\n4\n5\n6\n7\n8\n", "1\nx\n2\n3\n4\n5\n6\n7\ny\n8\n"),
            "@@ line 1 @@\n 1\n+x\n 2\n 3\n@@ line 6 @@\n 6\n 7\n+y\n 8\n");
}

}  // namespace
}  // namespace fenceline::report
