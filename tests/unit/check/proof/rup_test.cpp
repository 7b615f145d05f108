// SPDX-License-Identifier: GPL-3.0-or-later
//
// Proofs by hand, proofs by CaDiCaL, and what is left of them after some damage. A damaged proof may still be
// a proof: then it must be one of the slow and simple checker below, too.
#include "check/proof/rup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cadical.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "base/rng.h"
#include "check/proof/proof_text.h"
#include "env/errors.h"

namespace fenceline::testing {
namespace {

using Formula = std::vector<std::vector<int>>;

const Formula kSmall = {{1, 2}, {1, -2}, {-1, 2}, {-1, -2}};

TEST(Rup, ByHand) {
  EXPECT_TRUE(check::check_rup(kSmall, "1 0\n0\n").ok);
  EXPECT_TRUE(check::check_rup(kSmall, "c a comment\n 1  0 \r\n").ok);  // the rest follows by propagation
  EXPECT_EQ(check::check_rup(kSmall, "d 1 2 0\n2 -1 0\n-1 0\n0").why_not,
            "line 4 does not follow by unit propagation");
  EXPECT_EQ(check::check_rup(kSmall, "").why_not, "the empty clause is not derived");
  EXPECT_EQ(check::check_rup(kSmall, "0\n").why_not, "line 1 does not follow by unit propagation");
  EXPECT_EQ(check::check_rup(kSmall, "d 1 2 0\n1 0\n0\n").why_not,
            "line 2 does not follow by unit propagation");
  EXPECT_EQ(check::check_rup(kSmall, "3 0\n").why_not, "there is no variable 3");
  EXPECT_EQ(check::check_rup(kSmall, "1 x 0\n").why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "1 0x").why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "1").why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "99999999999 0").why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "-2147483648 0").why_not, "line 1 cannot be read");
  EXPECT_TRUE(check::check_rup(Formula{{1}, {-1, 2}, {-2}}, "").ok);  // by propagation alone
  EXPECT_TRUE(check::check_rup(Formula{{1}, {}}, "").ok);
  EXPECT_FALSE(check::check_rup(Formula{}, "").ok);
  EXPECT_FALSE(check::check_rup(Formula{{1, 2}}, "1 0\n-1 0\n0\n").ok);
}

TEST(Rup, LiteralsThatAreThereTwice) {
  const Formula twice = {{1, 2, 1}, {1, -2, -2}, {-1, 2, -1, 2}, {-1, -2}, {1, -1}};
  EXPECT_TRUE(check::check_rup(twice, "2 -2 0\nd 1 -1 0\n1 1 0\n0\n").ok);
  EXPECT_FALSE(check::check_rup(twice, "d 1 2 0\n1 1 0\n0\n").ok);
}

TEST(Rup, BinaryByHand) {
  using namespace std::string_literals;
  EXPECT_TRUE(check::check_rup(kSmall, "a\x02\0a\0"s).ok);
  EXPECT_FALSE(check::check_rup(kSmall, "d\x02\x04\0a\x02\0a\0"s).ok);
  EXPECT_EQ(check::check_rup(kSmall, "b\x02\0"s).why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "a\x02\0a\x80"s).ok, true);  // reading ends here
  EXPECT_EQ(check::check_rup(kSmall, "d\x02\x80\0\0"s).why_not, "line 2 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "a\x01\0"s).why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "a\xff\xff\xff\xff\xff\xff\0"s).why_not, "line 1 cannot be read");
  EXPECT_EQ(check::check_rup(kSmall, "a\x82\x01\0"s).why_not, "there is no variable 65");
}

TEST(Rup, LimitsAreNoVerdict) {
  Limits limits;
  limits.interrupt();
  std::string long_proof;
  for (int i = 0; i < 1000; ++i) long_proof += "d 1 2 0\n";
  const check::RupCheck check = check::check_rup(kSmall, long_proof, &limits);
  EXPECT_TRUE(!check.ok && check.exhausted);
  EXPECT_FALSE(check.why_not.empty());
}

// ---- A checker that is slow and simple

bool simple_follows(const Formula& clauses, const std::vector<int>& clause) {
  std::set<int> truths;
  for (const int literal : clause) truths.insert(-literal);
  for (const int literal : clause)
    if (truths.count(literal)) return true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<int>& c : clauses) {
      std::optional<int> open;
      size_t opens = 0;
      bool satisfied = false;
      for (const int literal : std::set<int>(c.begin(), c.end())) {
        satisfied |= truths.count(literal) > 0;
        if (!truths.count(-literal)) open = literal, ++opens;
      }
      if (satisfied || opens > 1) continue;
      if (opens == 0) return true;
      truths.insert(*open);
      changed = true;
    }
  }
  return false;
}

// Ignores deletions: what it accepts is right, and check_rup must not accept more.
bool simple_check(Formula clauses, const std::string& proof) {
  check::ProofReader reader(proof);
  std::vector<int> clause;
  for (;;) {
    if (simple_follows(clauses, {})) return true;
    switch (reader.next(clause)) {
      case check::ProofReader::Line::kAdd:
        if (!simple_follows(clauses, clause)) return false;
        clauses.push_back(clause);
        break;
      case check::ProofReader::Line::kDelete:
        break;
      default:
        return false;
    }
  }
}

// ---- Proofs of CaDiCaL

Formula random_formula(Rng& rng, int variables, size_t clauses) {
  Formula formula;
  while (formula.size() < clauses) {
    std::vector<int> clause;
    while (clause.size() < 3) {
      const int variable = static_cast<int>(rng.between(1, variables));
      if (std::none_of(clause.begin(), clause.end(), [&](int l) { return std::abs(l) == variable; }))
        clause.push_back(rng.chance(50) ? variable : -variable);
    }
    formula.push_back(clause);
  }
  return formula;
}

Formula pigeons(int holes) {
  Formula formula;
  const auto in = [&](int pigeon, int hole) { return pigeon * holes + hole + 1; };
  for (int p = 0; p <= holes; ++p) {
    formula.emplace_back();
    for (int h = 0; h < holes; ++h) formula.back().push_back(in(p, h));
  }
  for (int h = 0; h < holes; ++h)
    for (int p = 0; p <= holes; ++p)
      for (int q = 0; q < p; ++q) formula.push_back({-in(p, h), -in(q, h)});
  return formula;
}

// The proof if it is unsatisfiable.
std::optional<std::string> proof_of(const Formula& formula, bool binary) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rup_test." + std::to_string(getpid()) + ".drat");
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);
  solver.set("binary", binary);
  EXPECT_TRUE(solver.trace_proof(path.c_str()));
  for (const std::vector<int>& clause : formula) {
    for (const int literal : clause) solver.add(literal);
    solver.add(0);
  }
  const int answer = solver.solve();
  solver.close_proof_trace();
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(check::check_rup_file(formula, path.string()).ok, answer == 20);
  std::filesystem::remove(path);
  if (answer != 20) return std::nullopt;
  return text.str();
}

TEST(Rup, NoSuchFile) { EXPECT_THROW(check::check_rup_file(kSmall, "/nonexistent/proof"), NoSuchFile); }

TEST(Rup, ProofsOfASolver) {
  Rng rng(1);
  size_t refuted = 0;
  for (int round = 0; round < 60; ++round) {
    const int variables = round < 50 ? 30 : 120;
    const Formula formula = random_formula(rng, variables, static_cast<size_t>(variables * 9 / 2));
    for (const bool binary : {false, true})
      if (const auto proof = proof_of(formula, binary)) {
        ++refuted;
        const check::RupCheck check = check::check_rup(formula, *proof);
        EXPECT_TRUE(check.ok) << check.why_not;
      }
  }
  EXPECT_GT(refuted, 40u);
  for (const bool binary : {false, true}) {
    const auto proof = proof_of(pigeons(7), binary);
    ASSERT_TRUE(proof);
    const check::RupCheck check = check::check_rup(pigeons(7), *proof);
    EXPECT_TRUE(check.ok) << check.why_not;
    EXPECT_GT(check.steps, 100u);
    // The formula without one of its clauses can be satisfied: no proof of it is right.
    Formula weaker = pigeons(7);
    weaker.erase(weaker.begin() + 3);
    EXPECT_FALSE(check::check_rup(weaker, *proof).ok);
  }
}

TEST(Rup, DamagedProofs) {
  Rng rng(2);
  size_t accepted = 0, rejected = 0;
  for (int round = 0; round < 400; ++round) {
    Formula formula = random_formula(rng, 10, 52);
    const bool binary = rng.chance(50);
    const auto proof = proof_of(formula, binary);
    if (!proof) continue;
    for (int damage = 0; damage < 10; ++damage) {
      std::string damaged = *proof;
      Formula of = formula;
      switch (rng.below(5)) {
        case 0:
          damaged.resize(rng.below(damaged.size()));
          break;
        case 1:
          damaged[rng.below(damaged.size())] ^= static_cast<char>(1u << rng.below(7));
          break;
        case 2:
          damaged.erase(rng.below(damaged.size()), 1 + rng.below(20));
          break;
        case 3:
          damaged.insert(rng.below(damaged.size()), 1, static_cast<char>(rng.below(128)));
          break;
        default:
          of.erase(of.begin() + static_cast<std::ptrdiff_t>(rng.below(of.size())));
      }
      const bool ok = check::check_rup(of, damaged).ok;
      (ok ? accepted : rejected) += 1;
      EXPECT_TRUE(!ok || simple_check(of, damaged)) << damaged;
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 100u);
}

// A satisfiable formula has no proof, whatever the text.
TEST(Rup, NothingProvesWhatCanBeSatisfied) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const Formula formula = random_formula(rng, 12, 40);
    if (proof_of(formula, false)) continue;
    std::string proof;
    for (int line = 0; line < 200; ++line) {
      if (rng.chance(30)) proof += "d ";
      for (uint64_t i = rng.below(4); i > 0; --i)
        proof += std::to_string(rng.between(1, 12) * (rng.chance(50) ? 1 : -1)) + " ";
      proof += "0\n";
    }
    EXPECT_FALSE(check::check_rup(formula, proof).ok);
  }
}

}  // namespace
}  // namespace fenceline::testing
