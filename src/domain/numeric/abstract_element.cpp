// SPDX-License-Identifier: GPL-3.0-or-later
//
// The only file that uses PPL. Its pitfalls: it makes the processor round upwards by default;
// add_constraint() throws on what a domain cannot express, so only refine_with_constraint() is used; and it
// is not thread-safe.
#include "domain/numeric/abstract_element.h"

#include <array>
#include <concepts>
#include <ppl.hh>
#include <set>

#include "env/errors.h"

namespace fenceline::numeric {
namespace {

namespace ppl = Parma_Polyhedra_Library;

// PPL makes the processor round upwards when the program starts, before main(). Other libraries rely on the
// default rounding: in CaDiCaL a loop that halves a number until it is 0 then never ends. This runs directly
// after PPL's initialisation. The sets used here are of integers and fractions, so rounding does not affect
// them.
[[maybe_unused]] const bool kRoundingRestored = [] {
  ppl::restore_pre_PPL_rounding();
  return true;
}();

constexpr std::array<std::string_view, 4> kNames = {"polyhedra", "octagons", "differences", "boxes"};

// What a domain has to support.
template <class Set>
concept ConvexSet = requires(Set set, const Set& other, const ppl::Constraint& constraint,
                             const ppl::Linear_Expression& expression, ppl::Coefficient& number, bool& flag,
                             const ppl::Variables_Set& some) {
  Set(ppl::dimension_type{}, ppl::UNIVERSE);
  set.add_space_dimensions_and_embed(ppl::dimension_type{});
  set.refine_with_constraint(constraint);
  set.remove_space_dimensions(some);
  set.upper_bound_assign(other);
  set.widening_assign(other);
  { other.contains(other) } -> std::same_as<bool>;
  { other.is_empty() } -> std::same_as<bool>;
  { other.maximize(expression, number, number, flag) } -> std::same_as<bool>;
  other.minimized_constraints();
};

ppl::Linear_Expression expression_of(const Linear& linear) {
  ppl::Linear_Expression result(ppl::Coefficient(linear.constant));
  for (const auto& [dimension, coefficient] : linear.terms)
    result += ppl::Coefficient(coefficient) * ppl::Variable(dimension);
  return result;
}

std::optional<Value> value_of(const ppl::Coefficient& number) {
  if (!number.fits_slong_p()) return std::nullopt;
  return number.get_si();
}

std::optional<LinearConstraint> constraint_of(const ppl::Constraint& constraint) {
  LinearConstraint result;
  result.equality = constraint.is_equality();
  const std::optional<Value> constant = value_of(constraint.inhomogeneous_term());
  if (!constant) return std::nullopt;
  result.expression.constant = *constant;
  for (ppl::dimension_type d = 0; d < constraint.space_dimension(); ++d) {
    const std::optional<Value> coefficient = value_of(constraint.coefficient(ppl::Variable(d)));
    if (!coefficient) return std::nullopt;
    if (*coefficient != 0) result.expression.terms[static_cast<Dimension>(d)] = *coefficient;
  }
  return result;
}

// The new number of each dimension: a partial injective function, as PPL wants it.
class Renaming {
 public:
  Renaming(const std::vector<Dimension>& order, Dimension dimensions) : to_(dimensions, kNowhere) {
    for (Dimension i = 0; i < order.size(); ++i) to_[order[i]] = i;
    codomain_ = order.size();
  }
  bool has_empty_codomain() const { return codomain_ == 0; }
  ppl::dimension_type max_in_codomain() const { return codomain_ - 1; }
  bool maps(ppl::dimension_type from, ppl::dimension_type& to) const {
    if (from >= to_.size() || to_[from] == kNowhere) return false;
    to = to_[from];
    return true;
  }

 private:
  static constexpr ppl::dimension_type kNowhere = ~ppl::dimension_type{0};
  std::vector<ppl::dimension_type> to_;
  size_t codomain_ = 0;
};

}  // namespace

class AbstractElement::Representation {
 public:
  virtual ~Representation() = default;
  virtual std::shared_ptr<Representation> copy() const = 0;
  virtual void add() = 0;
  virtual void assume(const LinearConstraint& constraint) = 0;
  virtual void keep(const std::vector<Dimension>& order, Dimension dimensions) = 0;
  virtual bool empty() const = 0;
  // The same set of so many dimensions in the form that suits them. Null: it is in that form already.
  virtual std::shared_ptr<Representation> suited(NumericDomain domain, Dimension dimensions) const = 0;
  virtual bool subsumes(const Representation& other) const = 0;
  virtual void join(const Representation& other) = 0;
  virtual void widen(const Representation& older) = 0;
  virtual void widen_with_thresholds(const Representation& older, const std::vector<Value>& thresholds) = 0;
  // The least number that is not smaller than the expression anywhere; none: there is no such.
  virtual std::optional<mpq_class> supremum(const Linear& expression) const = 0;
  virtual std::vector<LinearConstraint> constraints() const = 0;
};

namespace {

using Differences = ppl::BD_Shape<mpz_class>;

// Widening with thresholds: of each bound by itself, up to the next threshold. Of polyhedra only the bounds
// of differences can be widened so; they are added to the result of the standard widening.
template <ConvexSet Set>
void extrapolate(Set& set, const Set& older, const std::vector<Value>& thresholds) {
  if constexpr (std::same_as<Set, ppl::C_Polyhedron>) {
    Differences now(set);
    extrapolate(now, Differences(older), thresholds);
    set.widening_assign(older);
    set.refine_with_constraints(now.minimized_constraints());
  } else if constexpr (std::same_as<Set, ppl::Rational_Box>) {
    std::vector<mpq_class> bounds;
    for (const Value threshold : thresholds) bounds.emplace_back(mpz_class(threshold));
    set.CC76_widening_assign(older, bounds.begin(), bounds.end());
  } else {
    using Number = typename Set::coefficient_type;
    // Octagons keep bounds of 2 * x.
    std::set<Value> points(thresholds.begin(), thresholds.end());
    if constexpr (!std::same_as<Set, Differences>)
      for (const Value threshold : thresholds) points.insert(2 * threshold);
    std::vector<Number> bounds;
    for (const Value point : points) ppl::assign_r(bounds.emplace_back(), mpz_class(point), ppl::ROUND_UP);
    set.CC76_extrapolation_assign(older, bounds.begin(), bounds.end());
  }
}

// A join of polyhedra can have any number of sides, and every operation on it pays for them. One with very
// many is replaced by its bounds of differences.
constexpr size_t kManySides = 40;

template <ConvexSet Set>
void keep_simple(Set& set) {
  if constexpr (std::same_as<Set, ppl::C_Polyhedron>) {
    const ppl::Constraint_System& sides = set.minimized_constraints();
    if (static_cast<size_t>(std::distance(sides.begin(), sides.end())) > kManySides)
      set = ppl::C_Polyhedron(Differences(set));
  }
}

template <ConvexSet Set>
class PplRepresentation final : public AbstractElement::Representation {
 public:
  explicit PplRepresentation(Set set) : set_(std::move(set)) {}

  std::shared_ptr<Representation> copy() const override { return std::make_shared<PplRepresentation>(set_); }
  void add() override { set_.add_space_dimensions_and_embed(1); }
  void assume(const LinearConstraint& constraint) override {
    const ppl::Linear_Expression expression = expression_of(constraint.expression);
    set_.refine_with_constraint(constraint.equality ? ppl::Constraint(expression == 0)
                                                    : ppl::Constraint(expression >= 0));
  }
  void keep(const std::vector<Dimension>& order, Dimension dimensions) override {
    set_.map_space_dimensions(Renaming(order, dimensions));
  }
  bool empty() const override { return set_.is_empty(); }
  std::shared_ptr<Representation> suited(NumericDomain domain, Dimension dimensions) const override;
  bool subsumes(const Representation& other) const override { return set_.contains(of(other)); }
  void join(const Representation& other) override {
    set_.upper_bound_assign(of(other));
    keep_simple(set_);
  }
  void widen(const Representation& older) override { set_.widening_assign(of(older)); }
  void widen_with_thresholds(const Representation& older, const std::vector<Value>& thresholds) override {
    extrapolate(set_, of(older), thresholds);
  }
  std::optional<mpq_class> supremum(const Linear& expression) const override {
    ppl::Coefficient above, below;
    bool attained = false;
    if (!set_.maximize(expression_of(expression), above, below, attained)) return std::nullopt;
    return mpq_class(above, below);
  }
  std::vector<LinearConstraint> constraints() const override {
    std::vector<LinearConstraint> result;
    for (const ppl::Constraint& constraint : set_.minimized_constraints()) {
      std::optional<LinearConstraint> one = constraint_of(constraint);
      if (!one) continue;
      // Octagons and differences may say x == y == 0 by a cycle of inequalities; the caller gets equalities.
      // The minimal systems of the others have them already.
      constexpr bool has_equalities =
          std::is_same_v<Set, ppl::C_Polyhedron> || std::is_same_v<Set, ppl::Rational_Box>;
      if (!has_equalities && !one->equality) one->equality = supremum(one->expression) == mpq_class(0);
      result.push_back(std::move(*one));
    }
    return result;
  }

 private:
  static const Set& of(const Representation& other) {
    return static_cast<const PplRepresentation&>(other).set_;
  }

  Set set_;
};

// PPL keeps the vertices of polyhedra, too, and a cube of n dimensions has 2^n of them. Beyond a few
// dimensions a polyhedron is therefore replaced by its bounds of differences, and becomes one again below.
constexpr Dimension kPolyhedralDimensions = 12;

template <ConvexSet Set>
std::shared_ptr<AbstractElement::Representation> PplRepresentation<Set>::suited(NumericDomain domain,
                                                                                Dimension dimensions) const {
  if (domain != NumericDomain::kPolyhedra) return nullptr;
  if constexpr (std::same_as<Set, ppl::C_Polyhedron>)
    if (dimensions > kPolyhedralDimensions)
      return std::make_shared<PplRepresentation<Differences>>(Differences(set_));
  if constexpr (std::same_as<Set, Differences>)
    if (dimensions <= kPolyhedralDimensions)
      return std::make_shared<PplRepresentation<ppl::C_Polyhedron>>(ppl::C_Polyhedron(set_));
  return nullptr;
}

template <ConvexSet Set>
std::shared_ptr<AbstractElement::Representation> line() {
  return std::make_shared<PplRepresentation<Set>>(Set(1, ppl::UNIVERSE));
}

std::shared_ptr<AbstractElement::Representation> one_dimension(NumericDomain domain) {
  switch (domain) {
    case NumericDomain::kPolyhedra:
      return line<ppl::C_Polyhedron>();
    case NumericDomain::kOctagons:
      return line<ppl::Octagonal_Shape<mpz_class>>();
    case NumericDomain::kDifferences:
      return line<ppl::BD_Shape<mpz_class>>();
    case NumericDomain::kBoxes:
      return line<ppl::Rational_Box>();
  }
  throw Bug("a numerical domain that does not exist");
}

// The largest integer that is not larger.
std::optional<Value> rounded_down(const mpq_class& number) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), number.get_num_mpz_t(), number.get_den_mpz_t());
  return value_of(result);
}

}  // namespace

std::string_view to_string(NumericDomain domain) { return kNames[static_cast<size_t>(domain)]; }

namespace {

// PPL calls throw_me() from its inner loops; it need not throw.
class LimitCheck final : public ppl::Throwable {
 public:
  Limits* limits = nullptr;
  void throw_me() const override {
    constexpr unsigned kCallsPerLook = 256;
    if (++calls_ % kCallsPerLook == 0 && limits->poll() != LimitReached::kNone) throw OperationAbandoned();
  }

 private:
  mutable unsigned calls_ = 0;
};

LimitCheck& limit_check() {
  static LimitCheck check;
  return check;
}

}  // namespace

PplSession::~PplSession() { ppl::abandon_expensive_computations = nullptr; }

PplSession::PplSession(Limits* limits) {
  static std::mutex one_at_a_time;
  lock_ = std::unique_lock(one_at_a_time);
  limit_check().limits = limits;
  if (limits != nullptr) ppl::abandon_expensive_computations = &limit_check();
}

uint64_t PplSession::work() { return ppl::Weightwatch_Traits::get(); }

AbstractElement::Representation& AbstractElement::own() {
  if (representation_.use_count() > 1) representation_ = representation_->copy();
  return *representation_;
}

Dimension AbstractElement::add() {
  if (!empty_) {
    if (dimensions_ == 0) {
      representation_ = one_dimension(domain_);
    } else {
      own().add();
    }
  }
  return dimensions_++;
}

bool AbstractElement::assume(const LinearConstraint& constraint) {
  if (empty_) return false;
  const Linear& expression = constraint.expression;
  if (expression.is_constant()) {
    empty_ = constraint.equality ? expression.constant != 0 : expression.constant < 0;
  } else {
    own().assume(constraint);
    empty_ = representation_->empty();
  }
  if (empty_) representation_.reset();
  return !empty_;
}

void AbstractElement::keep(const std::vector<Dimension>& order) {
  if (!empty_) {
    bool same = order.size() == dimensions_;
    for (Dimension i = 0; same && i < order.size(); ++i) same = order[i] == i;
    if (order.empty()) {
      representation_.reset();
    } else if (!same) {
      own().keep(order, dimensions_);
    }
  }
  dimensions_ = static_cast<Dimension>(order.size());
  if (representation_)
    if (std::shared_ptr<Representation> other = representation_->suited(domain_, dimensions_))
      representation_ = std::move(other);
}

bool AbstractElement::subsumes(const AbstractElement& other) const {
  require(dimensions_ == other.dimensions_, "abstract elements of different dimensions are compared");
  if (other.empty_ || representation_ == other.representation_) return other.empty_ || !empty_;
  return !empty_ && representation_->subsumes(*other.representation_);
}

void AbstractElement::join(const AbstractElement& other) {
  require(dimensions_ == other.dimensions_, "abstract elements of different dimensions are joined");
  if (other.empty_) return;
  if (empty_) {
    *this = other;
  } else if (representation_ != other.representation_) {
    own().join(*other.representation_);
  }
}

void AbstractElement::widen(const AbstractElement& older) {
  require(dimensions_ == older.dimensions_, "abstract elements of different dimensions are widened");
  if (!empty_ && !older.empty_ && dimensions_ != 0) own().widen(*older.representation_);
}

void AbstractElement::widen_with_thresholds(const AbstractElement& older,
                                            const std::vector<Value>& thresholds) {
  require(dimensions_ == older.dimensions_, "abstract elements of different dimensions are widened");
  if (!empty_ && !older.empty_ && dimensions_ != 0)
    own().widen_with_thresholds(*older.representation_, thresholds);
}

Range AbstractElement::bounds(const Linear& expression) const {
  require(!empty_, "bounds of nothing");
  if (expression.is_constant()) return Range::single(expression.constant);
  Linear negated = expression;
  bool fits = !__builtin_sub_overflow(Value{0}, expression.constant, &negated.constant);
  for (auto& [dimension, coefficient] : negated.terms)
    fits = fits && !__builtin_sub_overflow(Value{0}, coefficient, &coefficient);
  Range range = Range::all();
  const auto bound = [this](const Linear& of) {
    const std::optional<mpq_class> supremum = representation_->supremum(of);
    return supremum ? rounded_down(*supremum) : std::nullopt;
  };
  if (const std::optional<Value> above = bound(expression)) range.hi = *above;
  if (!fits) return range;
  if (const std::optional<Value> below = bound(negated); below && *below != std::numeric_limits<Value>::min())
    range.lo = -*below;
  return range;
}

std::vector<LinearConstraint> AbstractElement::constraints() const {
  if (empty_) return {{Linear::of(-1), false}};
  return dimensions_ == 0 ? std::vector<LinearConstraint>() : representation_->constraints();
}

}  // namespace fenceline::numeric
