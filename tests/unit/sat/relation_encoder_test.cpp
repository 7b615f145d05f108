// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random models over random base relations: the clauses must allow exactly what the definition of each
// operator allows, for all values of everything that is left open. Terms are evaluated here by the book.
#include "sat/relation_encoder.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "base/rng.h"
#include "env/errors.h"
#include "unit/check/axiomatic/cat_builder.h"
#include "unit/sat/testing.h"

namespace fenceline::sat {
namespace {

using testing::CatBuilder;
using testing::CatTerm;

constexpr const char* kSets[] = {"R", "W"};
constexpr const char* kRelations[] = {"po", "rf", "co"};

// What a base may claim although it is not so: that an event is executed whenever another one is; that rf, co
// and fr are those of an execution.
enum class Lie : uint8_t { kNone, kAllExecuted, kCoherent };

// Partially open executions: some events may be executed or not, some pairs be related or not.
class RandomBase : public BaseRelations {
 public:
  RandomBase(SatTesting& sat, Rng& rng, Lie lie)
      : sat_(sat),
        rng_(rng),
        lie_(lie),
        n_(static_cast<size_t>(rng.chance(40) ? rng.between(5, 8) : rng.between(2, 4))) {
    for (size_t x = 0; x < n_; ++x) executed_.push_back(rng.chance(35) ? open() : kTrue);
    for (const char* name : kSets)
      for (size_t x = 0; x < n_; ++x) sets_[name].push_back(anything());
    for (const char* name : kRelations)
      for (size_t pair = 0; pair < n_ * n_; ++pair) relations_[name].push_back(anything());
    if (rng.chance(50)) order_program();
    if (rng.chance(30)) divide_into_classes();
  }

  const std::vector<Lit>& inputs() const { return inputs_; }

  size_t events() const override { return n_; }
  Lit executed(size_t event) const override { return executed_[event]; }
  bool implies(size_t event, size_t other) const override {
    return lie_ == Lie::kAllExecuted || BaseRelations::implies(event, other);
  }
  bool coherent() const override { return lie_ == Lie::kCoherent; }
  SetBounds set_bounds(std::string_view name) const override {
    SetBounds bounds{std::vector<bool>(n_), std::vector<bool>(n_)};
    for (size_t x = 0; x < n_; ++x) {
      bounds.upper[x] = of(sets_, name)[x] != kFalse;
      bounds.lower[x] = of(sets_, name)[x] == kTrue;
    }
    return bounds;
  }
  RelationBounds relation_bounds(std::string_view name) const override {
    RelationBounds bounds{BitMatrix(n_), BitMatrix(n_)};
    for (size_t x = 0; x < n_; ++x)
      for (size_t y = 0; y < n_; ++y) {
        if (of(relations_, name)[x * n_ + y] != kFalse) bounds.upper.set(x, y);
        if (of(relations_, name)[x * n_ + y] == kTrue) bounds.lower.set(x, y);
      }
    return bounds;
  }
  Lit in_set(std::string_view name, size_t event) override { return of(sets_, name)[event]; }
  Lit in_relation(std::string_view name, size_t x, size_t y) override {
    return sat_.circuit.both(of(relations_, name)[x * n_ + y], sat_.circuit.both(executed_[x], executed_[y]));
  }

  // The value of a literal of this class under an assignment of the inputs.
  bool value(Lit literal, uint64_t bits) const {
    if (literal.constant()) return literal == kTrue;
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].variable() == literal.variable())
        return (((bits >> i) & 1) != 0) == (inputs_[i] == literal);
    throw Bug("not an input");
  }
  bool set(std::string_view name, size_t x, uint64_t bits) const {
    return value(executed_[x], bits) && value(of(sets_, name)[x], bits);
  }
  bool relation(std::string_view name, size_t x, size_t y, uint64_t bits) const {
    return value(executed_[x], bits) && value(executed_[y], bits) &&
           value(of(relations_, name)[x * n_ + y], bits);
  }

 private:
  using Named = std::map<std::string, std::vector<Lit>, std::less<>>;
  static const std::vector<Lit>& of(const Named& map, std::string_view name) {
    return map.find(name)->second;
  }

  // As in programs: po is a strict order that is known beforehand, whatever is executed.
  void order_program() {
    BitMatrix order(n_);
    for (size_t x = 0; x < n_; ++x)
      for (size_t y = x + 1; y < n_; ++y)
        if (rng_.chance(60)) order.set(x, y);
    order = order.closure();
    for (size_t pair = 0; pair < n_ * n_; ++pair)
      relations_["po"][pair] = constant(order.at(pair / n_, pair % n_));
  }

  // As atomic sections: co relates the events of a class with each other.
  void divide_into_classes() {
    std::vector<uint64_t> number;
    for (size_t x = 0; x < n_; ++x) number.push_back(rng_.below(2 * n_));
    for (size_t pair = 0; pair < n_ * n_; ++pair)
      relations_["co"][pair] = constant(pair / n_ != pair % n_ && number[pair / n_] == number[pair % n_]);
  }

  Lit open() {
    if (inputs_.size() == 8) return inputs_[rng_.below(8)];
    inputs_.push_back(sat_.circuit.fresh());
    return inputs_.back();
  }
  Lit anything() { return rng_.chance(40) ? open() : constant(rng_.chance(30)); }

  SatTesting& sat_;
  Rng& rng_;
  Lie lie_;
  size_t n_;
  std::vector<Lit> inputs_, executed_;
  Named sets_, relations_;
};

// Terms by the book, under one assignment.
class Evaluation {
 public:
  Evaluation(const CatModel& model, const RandomBase& base, uint64_t bits)
      : model_(model), base_(base), bits_(bits), n_(base.events()) {
    solutions_.resize(model.recursive.size(), BitMatrix(n_));
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t i = 0; i < model.recursive.size(); ++i) {
        const BitMatrix next = evaluate(model.recursive[i]);
        grown |= next != solutions_[i];
        solutions_[i] = next;
      }
    }
  }

  bool holds(const Constraint& constraint) const {
    const BitMatrix value = evaluate(constraint.term);
    const BitMatrix closure = value.closure();
    bool good = true;
    for (size_t x = 0; x < n_; ++x) {
      if (constraint.kind == ConstraintKind::kAcyclic) good &= !closure.at(x, x);
      if (constraint.kind == ConstraintKind::kIrreflexive) good &= !value.at(x, x);
      for (size_t y = 0; y < n_; ++y)
        if (constraint.kind == ConstraintKind::kEmpty) good &= !value.at(x, y);
    }
    return good != constraint.negated;
  }

 private:
  bool executed(size_t x) const { return base_.value(base_.executed(x), bits_); }

  // Sets are relations on the diagonal here.
  BitMatrix evaluate(TermId id) const {
    const Term& term = model_.term(id);
    const BitMatrix a = term.a.valid() ? evaluate(term.a) : BitMatrix(n_);
    const BitMatrix b = term.b.valid() ? evaluate(term.b) : BitMatrix(n_);
    BitMatrix result(n_);
    for (size_t x = 0; x < n_; ++x)
      for (size_t y = 0; y < n_; ++y)
        if (contains(term, a, b, x, y)) result.set(x, y);
    return result;
  }

  bool contains(const Term& term, const BitMatrix& a, const BitMatrix& b, size_t x, size_t y) const {
    const bool possible = executed(x) && executed(y) && (!term.is_set || x == y);
    bool somewhere = false;
    switch (term.op) {
      case TermOp::kBase:
        return term.is_set ? x == y && base_.set(term.name, x, bits_)
                           : base_.relation(term.name, x, y, bits_);
      case TermOp::kEmpty:
        return false;
      case TermOp::kUnion:
        return a.at(x, y) || b.at(x, y);
      case TermOp::kIntersect:
        return a.at(x, y) && b.at(x, y);
      case TermOp::kMinus:
        return a.at(x, y) && !b.at(x, y);
      case TermOp::kComplement:
        return possible && !a.at(x, y);
      case TermOp::kSequence:
        for (size_t k = 0; k < n_; ++k) somewhere |= a.at(x, k) && b.at(k, y);
        return somewhere;
      case TermOp::kInverse:
        return a.at(y, x);
      case TermOp::kTransitive:
        return a.closure().at(x, y);
      case TermOp::kReflexive:
        return a.at(x, y) || (x == y && possible);
      case TermOp::kClosure:
        return a.closure().at(x, y) || (x == y && possible);
      case TermOp::kProduct:
        return a.at(x, x) && b.at(y, y);
      case TermOp::kIdentity:
        return x == y && a.at(x, x);
      case TermOp::kDomain:
      case TermOp::kRange:
        for (size_t k = 0; k < n_; ++k) somewhere |= term.op == TermOp::kDomain ? a.at(x, k) : a.at(k, x);
        return x == y && somewhere;
      case TermOp::kRecursive:
        return solutions_[term.index].at(x, y);
    }
    return false;
  }

  const CatModel& model_;
  const RandomBase& base_;
  uint64_t bits_;
  size_t n_;
  std::vector<BitMatrix> solutions_;
};

class RandomModel {
 public:
  RandomModel(Rng& rng) : rng_(rng), builder_("random") {}

  CatModel run() {
    if (rng_.chance(40)) {  // let rec x = r | (x; s) and the like: x where more of it makes more
      const CatTerm x = builder_.variable(false);
      const CatTerm step = relation(1), first = relation(1);
      builder_.define(x, rng_.chance(50) ? first | (x >> step)
                                         : first | ((x >> x) & (rng_.chance(50) ? step : star(step))));
      recursive_.push_back(x);
    }
    if (rng_.chance(15)) {  // nothing but: no path between these. Nothing else says that both are executed.
      const CatTerm paths = plus(builder_.base("po") | builder_.base("rf"));
      builder_.demand(ConstraintKind::kEmpty, only(set(1)) >> (paths >> only(set(1))), "paths", false, false);
      builder_.demand(ConstraintKind::kEmpty, relation(2), "f", rng_.chance(50), true);
      return builder_.finish();
    }
    if (rng_.chance(10)) {  // nothing but: compositions with an order
      const CatTerm po = builder_.base("po"), rf = builder_.base("rf");
      const CatTerm left = rng_.chance(50) ? po : maybe(po), right = rng_.chance(50) ? po : maybe(po);
      const CatTerm composed = rng_.chance(40)   ? left >> rf
                               : rng_.chance(50) ? rf >> right
                                                 : left >> rf >> right;
      builder_.demand(ConstraintKind::kEmpty, only(set(1)) >> (composed >> only(set(1))), "s", false, false);
      builder_.demand(ConstraintKind::kEmpty, relation(1), "f", rng_.chance(50), true);
      return builder_.finish();
    }
    if (rng_.chance(10)) {  // nothing but: no cycle of classes
      const CatTerm one = builder_.base("co");
      builder_.acyclic(maybe(one) >> ((builder_.base("po") | builder_.base("rf")) - one) >> maybe(one),
                       "classes");
      builder_.demand(ConstraintKind::kEmpty, relation(1), "f", rng_.chance(50), true);
      return builder_.finish();
    }
    const uint64_t constraints = 1 + rng_.below(2);
    for (uint64_t i = 0; i < constraints; ++i) {
      const auto kind = static_cast<ConstraintKind>(rng_.below(3));
      const bool of_set = kind == ConstraintKind::kEmpty && rng_.chance(30);
      builder_.demand(kind, of_set ? set(2) : relation(3), "c", rng_.chance(20), false);
    }
    if (rng_.chance(30)) {
      const CatTerm one = rng_.chance(50) ? relation(1) : builder_.base("co");
      const CatTerm inner = rng_.chance(50) ? relation(2) : builder_.base("po") | builder_.base("rf");
      builder_.acyclic(maybe(one) >> (inner - one) >> maybe(one), "classes");
    }
    builder_.demand(static_cast<ConstraintKind>(rng_.below(3)), relation(2), "f", rng_.chance(50), true);
    return builder_.finish();
  }

 private:
  CatTerm set(int depth) {
    if (depth == 0 || rng_.chance(20)) return builder_.base(kSets[rng_.below(std::size(kSets))]);
    switch (rng_.below(6)) {
      case 0:
        return set(depth - 1) | set(depth - 1);
      case 1:
        return set(depth - 1) & set(depth - 1);
      case 2:
        return set(depth - 1) - set(depth - 1);
      case 3:
        return ~set(depth - 1);
      case 4:
        return domain(relation(depth - 1));
      default:
        return range(relation(depth - 1));
    }
  }

  CatTerm relation(int depth) {
    // The closure of an order and what may come in addition is frequent in models.
    if (depth > 0 && rng_.chance(8)) return plus(builder_.base("po") | relation(depth - 1));
    if (!recursive_.empty() && rng_.chance(20)) return recursive_.front();
    if (depth == 0 || rng_.chance(15)) return builder_.base(kRelations[rng_.below(std::size(kRelations))]);
    switch (rng_.below(12)) {
      case 0:
      case 1:
        return relation(depth - 1) | relation(depth - 1);
      case 2:
        return relation(depth - 1) & relation(depth - 1);
      case 3:
        return relation(depth - 1) - relation(depth - 1);
      case 4:
        return ~relation(depth - 1);
      case 5:
        return relation(depth - 1) >> relation(depth - 1);
      case 6:
        return inverse(relation(depth - 1));
      case 7:
        return plus(relation(depth - 1));
      case 8:
        return star(relation(depth - 1));
      case 9:
        return maybe(relation(depth - 1));
      case 10:
        return product(set(depth - 1), set(depth - 1));
      default: {
        const CatTerm in_the_middle = relation(depth - 1);
        return rng_.chance(50) ? only(set(depth - 1)) >> in_the_middle
                               : in_the_middle >> only(set(depth - 1));
      }
    }
  }

  Rng& rng_;
  CatBuilder builder_;
  std::vector<CatTerm> recursive_;
};

struct Comparison {
  int encoded = 0, recursive = 0, allowing = 0, forbidding = 0;
  std::string difference;  // the first one
};

// The clauses against the definition, for all inputs.
void compare(uint64_t seed, Lie lie, Comparison& result) {
  Rng rng(seed);
  SatTesting sat;
  RandomBase base(sat, rng, lie);
  const CatModel model = RandomModel(rng).run();
  std::optional<Lit> flag;
  RelationEncoder encoder(model, base, sat.circuit);
  try {
    encoder.require_consistent();
    flag = encoder.flagged(model.constraints.back());
  } catch (const Unsupported&) {
    EXPECT_FALSE(model.recursive.empty());
    if (model.constraints.front().negated) return;
  }
  if (!flag) return;
  ++result.encoded;
  result.recursive += !model.recursive.empty();
  for (uint64_t bits = 0; bits < uint64_t{1} << base.inputs().size(); ++bits) {
    const Evaluation evaluation(model, base, bits);
    bool consistent = true;
    for (const Constraint& constraint : model.constraints)
      if (!constraint.flag) consistent &= evaluation.holds(constraint);
    (consistent ? result.allowing : result.forbidding) += 1;
    std::vector<Lit> assumptions = SatTesting::assigned(base.inputs(), bits);
    bool same = sat.possible(assumptions) == consistent;
    assumptions.push_back(*flag);
    if (consistent && same) same = sat.possible(assumptions) == evaluation.holds(model.constraints.back());
    if (same) continue;
    result.difference = "seed " + std::to_string(seed) + ", inputs " + std::to_string(bits) + ", " +
                        model.text(model.constraints.front().term);
    return;
  }
}

TEST(relation_encoder, random_models_match_their_definition) {
  Comparison all;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    compare(seed, Lie::kNone, all);
    ASSERT_EQ(all.difference, "");
  }
  EXPECT_GT(all.encoded, 750);
  EXPECT_GT(all.recursive, 100);
  EXPECT_GT(all.allowing, 4000);
  EXPECT_GT(all.forbidding, 4000);
}

// What the encoder leaves out because of what it is told about executions must matter here.
TEST(relation_encoder, random_models_find_planted_errors) {
  for (const Lie lie : {Lie::kAllExecuted, Lie::kCoherent}) {
    Comparison all;
    for (uint64_t seed = 1; seed <= 3000 && all.difference.empty(); ++seed) compare(seed, lie, all);
    EXPECT_NE(all.difference, "") << static_cast<int>(lie);
  }
}

// Three events in program order, of which the second may not be executed, a write of the third that the first
// may read, and two more that are one class.
class BranchBase : public BaseRelations {
 public:
  explicit BranchBase(SatTesting& sat) : second_(sat.circuit.fresh()), reads_(sat.circuit.fresh()) {}

  Lit second() const { return second_; }
  Lit reads() const { return reads_; }

  size_t events() const override { return 5; }
  Lit executed(size_t event) const override { return event == 1 ? second_ : kTrue; }
  SetBounds set_bounds(std::string_view) const override {
    return {std::vector<bool>(events()), std::vector<bool>(events())};
  }
  RelationBounds relation_bounds(std::string_view name) const override {
    RelationBounds bounds{BitMatrix(events()), BitMatrix(events())};
    const auto add = [&](size_t x, size_t y) { bounds.upper.set(x, y), bounds.lower.set(x, y); };
    if (name == "po") add(0, 1), add(1, 2), add(0, 2);
    if (name == "co") add(3, 4), add(4, 3);
    if (name == "rf") bounds.upper.set(2, 0);
    return bounds;
  }
  Lit in_set(std::string_view, size_t) override { return kFalse; }
  Lit in_relation(std::string_view, size_t x, size_t) override { return x == 2 ? reads_ : second_; }

 private:
  Lit second_, reads_;
};

// The way around an edge must be there whenever the edge is.
TEST(relation_encoder, order_does_not_depend_on_what_is_not_executed) {
  for (const bool classes : {false, true}) {
    SatTesting sat;
    BranchBase base(sat);
    CatBuilder builder("branch");
    const CatTerm order = builder.base("po") | builder.base("rf"), one = builder.base("co");
    builder.acyclic(classes ? maybe(one) >> (order - one) >> maybe(one) : order, "order");
    const CatModel model = builder.finish();
    RelationEncoder encoder(model, base, sat.circuit);
    encoder.require_consistent();
    EXPECT_FALSE(sat.possible({base.reads(), base.second()}));
    EXPECT_FALSE(sat.possible({base.reads(), !base.second()}));
    EXPECT_TRUE(sat.possible({!base.reads(), base.second()}));
    EXPECT_TRUE(sat.possible({!base.reads(), !base.second()}));
  }
}

}  // namespace
}  // namespace fenceline::sat
