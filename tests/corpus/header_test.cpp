// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpus/header.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline::corpus {
namespace {

constexpr Verdict kV = Verdict::kVerified, kX = Verdict::kViolated, kU = Verdict::kUnknown;

const SourceFile kFile{"x.fl",
                       "// A lock.\n// large\n//\n// expect mutex: sc=verified tso=violated pso=unknown\n\n"
                       "shared int x;  // expect nothing: this is no header any more\n"};

TEST(CorpusHeader, ReadsSentencesAndExpectations) {
  const Header header = parse_header(kFile);
  EXPECT_EQ(header.comments, (std::vector<std::string>{"A lock.", ""}));
  EXPECT_TRUE(header.large);
  EXPECT_EQ(header.expectations, (std::vector<Expectation>{{"mutex", {kV, kX, kU}}}));
  EXPECT_EQ(header.find("live"), nullptr);
}

TEST(CorpusHeader, RefusesWhatItDoesNotUnderstand) {
  for (const char* line :
       {"// expect mutex sc=verified tso=verified pso=verified",
        "// expect : sc=verified tso=verified pso=verified", "// expect mutex: sc=verified tso=verified",
        "// expect mutex: tso=verified sc=verified pso=verified",
        "// expect mutex: sc=verified tso=verified pso=maybe",
        "// expect mutex: sc=verified tso=verified pso=verified rmo=verified",
        "// expect m: sc=verified tso=verified pso=verified\n// expect m: sc=verified tso=verified "
        "pso=verified"})
    EXPECT_THROW(parse_header({"x.fl", line}), InputError) << line;
}

TEST(CorpusHeader, RewritesExpectationsInPlace) {
  EXPECT_EQ(with_expectations(kFile, parse_header(kFile).expectations), kFile.text);
  EXPECT_EQ(
      with_expectations({"x.fl", "// A.\n\nthread P { }\n"}, {{"m", {kV, kV, kX}}, {"n", {kU, kV, kV}}}),
      "// A.\n//\n// expect m: sc=verified tso=verified pso=violated\n"
      "// expect n: sc=unknown tso=verified pso=verified\n\nthread P { }\n");
}

}  // namespace
}  // namespace fenceline::corpus
