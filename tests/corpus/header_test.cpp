// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpus/header.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline::corpus {
namespace {

constexpr Verdict kV = Verdict::kVerified, kX = Verdict::kViolated, kU = Verdict::kUnknown;

const SourceFile kFile{
    "x.fl",
    "// A lock.\n// large\n// unbounded\n//\n// expect mutex: sc=verified tso=violated pso=unknown\n\n"
    "shared int x;  // expect nothing: this is no header any more\n"};

TEST(CorpusHeader, ReadsSentencesAndExpectations) {
  const Header header = parse_header(kFile);
  EXPECT_EQ(header.comments, (std::vector<std::string>{"A lock.", ""}));
  EXPECT_TRUE(header.large);
  EXPECT_TRUE(header.unbounded);
  EXPECT_EQ(header.expectations, (std::vector<Expectation>{{"mutex", {kV, kX, kU}}}));
  EXPECT_EQ(header.find("live"), nullptr);
}

TEST(CorpusHeader, RejectsWhatItDoesNotUnderstand) {
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

const SourceFile kAbstract{
    "x.fl",
    "// A lock.\n// expect-coherence mutex pso: set=spurious fd1=verified\n"
    "// expect-coherence mutex tso: pd0=violated\n// expect-fences mutex: tso=1 pso=2 pso.fd0=none\n\n"
    "thread P { }\n"};

TEST(CorpusHeader, ReadsWhatAbstractionsMustAnswer) {
  const Header header = parse_header(kAbstract);
  EXPECT_EQ(header.comments, std::vector<std::string>{"A lock."});
  EXPECT_EQ(header.coherence,
            (std::vector<AbstractExpectation>{
                {"mutex", "pso", {{"set", AbstractVerdict::kSpurious}, {"fd1", AbstractVerdict::kVerified}}},
                {"mutex", "tso", {{"pd0", AbstractVerdict::kViolated}}}}));
  EXPECT_EQ(header.fences, (std::vector<FenceExpectation>{
                               {"mutex", {{"tso", "", 1}, {"pso", "", 2}, {"pso", "fd0", std::nullopt}}}}));
}

TEST(CorpusHeader, RejectsOtherLinesAboutAbstractions) {
  for (const char* line :
       {"// expect-coherence mutex: fd1=verified", "// expect-coherence mutex rmo: fd1=verified",
        "// expect-coherence mutex pso:", "// expect-coherence mutex pso: fd1=maybe",
        "// expect-coherence mutex pso: fd=verified", "// expect-coherence mutex pso: fd1",
        "// expect-coherence m pso: fd1=verified\n// expect-coherence m pso: fd0=verified",
        "// expect-fences mutex:", "// expect-fences mutex tso=1", "// expect-fences mutex: rmo=1",
        "// expect-fences mutex: tso=one", "// expect-fences mutex: tso=-1",
        "// expect-fences mutex: tso=", "// expect-fences mutex: tso.fd=1", "// expect-fences mutex: tso.=1",
        "// expect-fences m: tso=1\n// expect-fences m: pso=1"})
    EXPECT_THROW(parse_header({"x.fl", line}), InputError) << line;
}

TEST(CorpusHeader, RewritesWhatAbstractionsAnswer) {
  std::vector<AbstractExpectation> expectations = parse_header(kAbstract).coherence;
  EXPECT_EQ(with_coherence(kAbstract, expectations), kAbstract.text);
  expectations[1].verdicts[0].second = AbstractVerdict::kVerified;
  const std::string text = with_coherence(kAbstract, expectations);
  EXPECT_EQ(parse_header({"x.fl", text}).coherence, expectations);
  EXPECT_NE(text.find("// expect-coherence mutex tso: pd0=verified\n// expect-fences mutex"),
            std::string::npos);
}

}  // namespace
}  // namespace fenceline::corpus
