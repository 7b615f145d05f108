// SPDX-License-Identifier: GPL-3.0-or-later
//
// The text report, word for word: it is meant to be read, so a change of it should be seen by a person.
#include <gtest/gtest.h>

#include <sstream>

#include "report/display.h"
#include "unit/report/cases.h"

namespace fenceline::testing {
namespace {

constexpr const char* kShort = "P[0] P[0] P[0] P[0] P[1] P[1] P[1] P[1]";
constexpr const char* kSpinning =
    "P[1] P[1]~flag[1] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[0] P[1] P[1] P[1] "
    "P[0]~flag[0] P[0]~turn P[1]~turn P[0] P[0] P[0] P[0]";

TEST(TextReport, Peterson) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  EXPECT_EQ(report::text_report(peterson.answer(), {}),
            R"(test.fl: mutex violated on tso (explicit: 1,234,567 states, 1.50 s)
  the shortest counterexample has 8 steps:

step line │ P[0]                        │ P[1]
──────────┼─────────────────────────────┼────────────────────────────
   1    6 │ flag[0] = 1                 │
          │   buffer: flag[0]=1         │
   2    7 │ turn = 1                    │
          │   buffer: flag[0]=1, turn=1 │
   3    8 │ flag[1] is 0 (initial)      │
   4    9 │ reaches cs                  │
   5    6 │                             │ flag[1] = 1
          │                             │   buffer: flag[1]=1
   6    7 │                             │ turn = 0
          │                             │   buffer: flag[1]=1, turn=0
   7    8 │                             │ flag[0] is 0 (initial)
   8    9 │                             │ reaches cs

mutex violated: P[0] at cs (line 9) and P[1] at cs (line 9)
why: P[1] read flag[0] as 0 (step 7) while P[0]'s flag[0] = 1 (step 1) was still in its buffer.
)");
}

TEST(TextReport, VerboseShowsEveryStep) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  report::TextStyle style;
  style.verbose = true;
  EXPECT_EQ(report::text_report(peterson.answer(), style),
            R"(test.fl: mutex violated on tso (explicit: 1,234,567 states, 1.50 s)
  engine: explicit (the only one)
  states: 1,234,567, transitions: 7,654,321, peak memory: 20 MiB
  levels: 12
  bytes_per_state: 24.5
  the shortest counterexample has 8 steps:

step line │ P[0]                        │ P[1]
──────────┼─────────────────────────────┼────────────────────────────
   1    6 │ flag[0] = 1                 │
          │   buffer: flag[0]=1         │
   2    7 │ turn = 1                    │
          │   buffer: flag[0]=1, turn=1 │
   3    8 │ flag[1] is 0 (initial)      │
   4    8 │ flag[1] == 1 is false       │
          │ reaches cs                  │
   5    6 │                             │ flag[1] = 1
          │                             │   buffer: flag[1]=1
   6    7 │                             │ turn = 0
          │                             │   buffer: flag[1]=1, turn=0
   7    8 │                             │ flag[0] is 0 (initial)
   8    8 │                             │ flag[0] == 1 is false
          │                             │ reaches cs

mutex violated: P[0] at cs (line 9) and P[1] at cs (line 9)
why: P[1] read flag[0] as 0 (step 7) while P[0]'s flag[0] = 1 (step 1) was still in its buffer.
)");
}

TEST(TextReport, SpinningIsPrintedOnceAndColumnsWrap) {
  const ReportCase peterson(kPeterson, "tso", kSpinning);
  report::TextStyle style;
  style.width = 60;
  EXPECT_EQ(report::text_report(peterson.answer(), style),
            R"(test.fl: mutex violated on tso (explicit: 1,234,567 states, 1.50 s)
  the shortest counterexample has 26 steps:

step line │ P[0]                   │ P[1]
──────────┼────────────────────────┼───────────────────────
   1    6 │                        │ flag[1] = 1
          │                        │   buffer: flag[1]=1
   2    6 │                        │ flag[1] = 1 reaches
          │                        │   memory
   3    6 │ flag[0] = 1            │
          │   buffer: flag[0]=1    │
   4    7 │ turn = 1               │
          │   buffer: flag[0]=1,   │
          │     turn=1             │
   5    8 │ flag[1] is 1 (step 1)  │
   7    8 │ turn is 1 (own buffer) │
          │   spins 2 more times   │
          │     (steps 9-16)       │
  17    7 │                        │ turn = 0
          │                        │   buffer: turn=0
  18    8 │                        │ flag[0] is 0 (initial)
  19    9 │                        │ reaches cs
  20    6 │ flag[0] = 1 reaches    │
          │   memory               │
          │   buffer: turn=1       │
  21    7 │ turn = 1 reaches       │
          │   memory               │
  22    7 │                        │ turn = 0 reaches
          │                        │   memory
  23    8 │ flag[1] is 1 (step 1)  │
  25    8 │ turn is 0 (step 17)    │
  26    9 │ reaches cs             │

mutex violated: P[0] at cs (line 9) and P[1] at cs (line 9)
why: P[1] read flag[0] as 0 (step 18) while P[0]'s
  flag[0] = 1 (step 3) was still in its buffer.
(3 local steps are not shown; --verbose shows all)
)");
}

TEST(TextReport, ManyThreadsAreAList) {
  const ReportCase many(R"(shared int x, y, done;
thread W[i in 0..4] { x = i; fence; int r = y; if (r == 0) { done = i; } }
property p: never (done == 4);)",
                        "pso", "W[0] W[1] W[2] W[3] W[3]~x W[4] W[4]~x W[4] W[4] W[4] W[4] W[4]~done");
  EXPECT_EQ(report::text_report(many.answer(), {}),
            R"(test.fl: p violated on pso (explicit: 1,234,567 states, 1.50 s)
  the shortest counterexample has 12 steps:

step line │ thread │ what it does
──────────┼────────┼────────────────────────
   1    2 │ W[0]   │ x = 0
          │        │   buffer: x=0
   2    2 │ W[1]   │ x = 1
          │        │   buffer: x=1
   3    2 │ W[2]   │ x = 2
          │        │   buffer: x=2
   4    2 │ W[3]   │ x = 3
          │        │   buffer: x=3
   5    2 │ W[3]   │ x = 3 reaches memory
   6    2 │ W[4]   │ x = 4
          │        │   buffer: x=4
   7    2 │ W[4]   │ x = 4 reaches memory
   8    2 │ W[4]   │ fence
   9    2 │ W[4]   │ r = y reads 0 (initial)
  11    2 │ W[4]   │ done = 4
          │        │   buffer: done=4
  12    2 │ W[4]   │ done = 4 reaches memory

p violated: done = 4
why: this does not depend on store buffers: the same execution is possible under sc.
(1 local step is not shown; --verbose shows all)
)");
}

TEST(TextReport, AtomicSectionsChoicesAndNamedRegisters) {
  const ReportCase mixed(R"(shared int x, y;
thread P {
  int k = 0, r = 0;
  havoc k in 0..3;
  choose { y = 7; } or { atomic { int a = x; x = a + k; } }
  r = k + 1;
  k = 0;
}
property p: never (P.r == 3 && x == 2);)",
                         "sc", "P:2 P:1 P P P P P");
  EXPECT_EQ(report::text_report(mixed.answer(), {}),
            R"(test.fl: p violated on sc (explicit: 1,234,567 states, 1.50 s)
  the shortest counterexample has 7 steps:

step line │ P
──────────┼────────────────────────────────
   1    4 │ k = 2 (any of 0..3)
   2    5 │ chooses branch 2 of 2
   4    5 │ atomic: a = x reads 0 (initial)
   5    5 │   then: x = 2
   7    6 │ r = 3

p violated: P.r = 3 and x = 2
(2 local steps are not shown; --verbose shows all)
)");
}

TEST(TextReport, ErrorsAreShownWhereTheyHappen) {
  const ReportCase failing("shared int a[3];\nthread P { int i = 1; while (true) { a[i] = 7; i = i + 1; } }",
                           "tso", "P P P P P");
  EXPECT_EQ(report::text_report(failing.answer(), {}),
            R"(test.fl: errors violated on tso (explicit: 1,234,567 states, 1.50 s)
  the shortest counterexample has 5 steps:

step line │ P
──────────┼──────────────────────────────────
   1    2 │ a[1] = 7
          │   buffer: a[1]=7
   3    2 │ a[2] = 7
          │   buffer: a[1]=7, a[2]=7
   5    2 │ a[i] = 7
          │ error: index 3 is outside a[0..2]

errors violated: P fails in line 2: a[i] = 7: index 3 is outside a[0..2]
why: this does not depend on store buffers: the same execution is possible under sc.
(2 local steps are not shown; --verbose shows all)
)");
}

TEST(TextReport, TheInitialStateMayDoIt) {
  const ReportCase at_once("shared int x = 1; thread P { x = 1; } property p: always (x == 0);", "sc", "");
  EXPECT_EQ(report::text_report(at_once.answer(), {}),
            R"(test.fl: p violated on sc (explicit: 1,234,567 states, 1.50 s)
  the initial state violates it

p violated: x = 1
)");
}

TEST(TextReport, OtherVerdictsAreShort) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  report::Answer answer = peterson.answer();
  answer.result = Result();
  answer.result.conclusion = Proof();
  answer.result.statistics.states = 999;
  EXPECT_EQ(report::text_report(answer, {}),
            "test.fl: mutex verified on tso (explicit: 999 states, 0.00 s)\n");
  answer.result.conclusion = Unknown();
  answer.result.reason = "the time limit of 10 s was reached";
  EXPECT_EQ(report::text_report(answer, {}),
            "test.fl: mutex unknown on tso (explicit: 999 states, 0.00 s)\n"
            "  the time limit of 10 s was reached\n");
  answer.engine.clear();
  answer.result.reason = "no engine supports the model";
  EXPECT_EQ(report::text_report(answer, {}),
            "test.fl: mutex unknown on tso\n  no engine supports the model\n");
}

TEST(TextReport, WhatGrowsInBuffers) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  report::Answer answer = peterson.answer();
  answer.result = Result();
  answer.result.statistics.states = 999;
  answer.result.reason = "the time limit of 10 s was reached";
  answer.result.buffers = {{ThreadId(1), 12, "((x,1)(x,0))*"}, {ThreadId(0), 0, std::string(300, 'a')}};
  EXPECT_EQ(report::text_report(answer, {}),
            "test.fl: mutex unknown on tso (explicit: 999 states, 0.00 s)\n"
            "  the time limit of 10 s was reached\n"
            "  store buffer contents that kept growing:\n"
            "    P[1] at line 12: ((x,1)(x,0))*\n"
            "    P[0]:\n"
            "      " +
                std::string(94, 'a') +
                "\n"
                "      " +
                std::string(94, 'a') +
                "\n"
                "      " +
                std::string(11, 'a') + "…\n");
  answer.result.conclusion = Proof();
  answer.result.buffers.pop_back();
  EXPECT_EQ(report::text_report(answer, {}).find("buffers"), std::string::npos);
  report::TextStyle style;
  style.verbose = true;
  EXPECT_TRUE(report::text_report(answer, style)
                  .ends_with("  store buffers that grow without bound:\n"
                             "    P[1] at line 12: ((x,1)(x,0))*\n"));
}

TEST(TextReport, QuietIsOneLine) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  report::TextStyle style;
  style.quiet = true;
  EXPECT_EQ(report::text_report(peterson.answer(), style), "test.fl: tso: mutex: violated\n");
}

TEST(TextReport, FitsTheTerminal) {
  const ReportCase peterson(kPeterson, "tso", kSpinning);
  for (unsigned width = 40; width <= 120; ++width) {
    report::TextStyle style;
    style.width = width;
    std::istringstream lines(report::text_report(peterson.answer(), style));
    std::string line;
    std::getline(lines, line);  // the heading is not broken: it is what people search for
    while (std::getline(lines, line)) {
      if (line.starts_with("(")) continue;
      EXPECT_LE(report::display_width(line), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(TextReport, ColourChangesNothingElse) {
  for (const char* script : {kShort, kSpinning}) {
    const ReportCase peterson(kPeterson, "tso", script);
    for (const unsigned width : {50u, 100u}) {
      report::TextStyle plain, colour;
      plain.width = colour.width = width;
      colour.colour = true;
      std::string stripped;
      const std::string painted = report::text_report(peterson.answer(), colour);
      for (size_t i = 0; i < painted.size(); ++i) {
        if (painted[i] == '\033')
          i = painted.find('m', i);
        else
          stripped += painted[i];
      }
      EXPECT_NE(painted, stripped);
      EXPECT_EQ(stripped, report::text_report(peterson.answer(), plain));
    }
  }
}

TEST(TextReport, StrangeFileNames) {
  const ReportCase peterson(kPeterson, "tso", kShort);
  report::Answer answer = peterson.answer();
  answer.file =
      "\033[31m\xff"
      "é.fl";
  report::TextStyle style;
  style.quiet = true;
  EXPECT_EQ(report::text_report(answer, style), "?[31m?é.fl: tso: mutex: violated\n");
}

TEST(TextSummary, ATableOfModels) {
  const std::vector<report::AnswerLine> answers = {
      {"peterson.fl", "mutex", "sc", Verdict::kVerified}, {"peterson.fl", "mutex", "tso", Verdict::kViolated},
      {"peterson.fl", "live", "sc", Verdict::kVerified},  {"peterson.fl", "live", "tso", Verdict::kUnknown},
      {"é.fl", "live", "tso", Verdict::kVerified},
  };
  EXPECT_EQ(report::text_summary(answers, {}), R"(                    sc        tso
peterson.fl  mutex  verified  violated
             live   verified  unknown
é.fl         live   -         verified
)");
}

}  // namespace
}  // namespace fenceline::testing
