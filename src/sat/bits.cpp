// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/bits.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "env/errors.h"

namespace fenceline::sat {

unsigned width_for(Range range) {
  if (range.is_empty()) return 1;
  const auto bits = [](Value value) {
    return static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(value < 0 ? ~value : value))) + 1;
  };
  return std::max(bits(range.lo), bits(range.hi));
}

Bits Arithmetic::constant(Value value) {
  Bits bits{{}};
  for (unsigned bit = 0, width = width_for(Range::single(value)); bit < width; ++bit)
    bits.lits.push_back(fenceline::sat::constant((value >> bit) & 1));
  return bits;
}

BitPattern pattern_of(const ValueSet& values) {
  BitPattern pattern;
  pattern.bits.resize(width_for(values.range()));
  const auto [mask, value] = values.fixed_bits();
  std::map<std::vector<bool>, uint8_t> columns;  // of the bits that differ, first member 0
  const std::vector<Value> members = values.is_small() ? values.members() : std::vector<Value>();
  for (size_t bit = 0; bit < pattern.bits.size(); ++bit) {
    BitPattern::Bit& here = pattern.bits[bit];
    if ((mask >> bit) & 1) {
      here = {BitPattern::Bit::kConstant, ((value >> bit) & 1) != 0, 0};
      continue;
    }
    if (members.empty()) continue;
    const auto in = [&](Value member) { return ((member >> bit) & 1) != 0; };
    const bool flip = in(members.front());
    std::vector<bool> column;
    for (const Value member : members) column.push_back(in(member) != flip);
    const auto [entry, is_new] = columns.emplace(std::move(column), static_cast<uint8_t>(bit));
    if (is_new) continue;
    const bool opposite = in(members.front()) != (((members.front() >> entry->second) & 1) != 0);
    here = {BitPattern::Bit::kCopy, opposite, entry->second};
  }
  return pattern;
}

namespace {

// The number with the pattern's constants and copies; `free` gives the other bits.
template <class F>
Bits with_pattern(const BitPattern& pattern, const F& free) {
  Bits bits{{}};
  for (size_t bit = 0; bit < pattern.bits.size(); ++bit) {
    const BitPattern::Bit& here = pattern.bits[bit];
    if (here.kind == BitPattern::Bit::kFree)
      bits.lits.push_back(free(bit));
    else if (here.kind == BitPattern::Bit::kConstant)
      bits.lits.push_back(constant(here.value));
    else
      bits.lits.push_back(here.value ? !bits.lits[here.source] : bits.lits[here.source]);
  }
  return bits;
}

}  // namespace

Bits Arithmetic::fresh(const ValueSet& values) {
  return with_pattern(pattern_of(values), [&](size_t) { return circuit_.fresh(); });
}

Bits Arithmetic::fit(Bits number, const ValueSet& values) {
  if (values.is_empty()) return number;
  return with_pattern(pattern_of(values), [&](size_t bit) { return number.at(bit); });
}

void Arithmetic::require_member(const Bits& number, const ValueSet& values) {
  if (values.is_empty()) return circuit_.require({kFalse});
  if (!values.is_small()) {
    const auto [lo, hi] = values.range();
    const uint64_t free = ~values.fixed_bits().mask;
    const auto all_zero = static_cast<Value>(static_cast<uint64_t>(lo) & ~free);
    const auto all_one = static_cast<Value>(static_cast<uint64_t>(lo) | free);
    if (lo < 0 || lo != all_zero) circuit_.require({!less(number, constant(lo))});
    if (lo < 0 || hi != all_one) circuit_.require({!less(constant(hi), number)});
    return;
  }
  // From the first bit on, exclude every prefix that no member has. Bits that are determined by others need
  // no clauses.
  std::vector<size_t> free;
  const BitPattern pattern = pattern_of(values);
  for (size_t bit = pattern.bits.size(); bit-- > 0;)
    if (pattern.bits[bit].kind == BitPattern::Bit::kFree) free.push_back(bit);
  std::vector<Lit> differs;  // from the current prefix
  const std::function<void(const std::vector<Value>&)> exclude_prefixes =
      [&](const std::vector<Value>& members) {
        if (members.empty()) return circuit_.require(differs);
        if (differs.size() == free.size()) return;
        const size_t bit = free[differs.size()];
        for (const bool value : {false, true}) {
          std::vector<Value> matching;
          for (const Value member : members)
            if ((((member >> bit) & 1) != 0) == value) matching.push_back(member);
          differs.push_back(value ? !number.at(bit) : number.at(bit));
          exclude_prefixes(matching);
          differs.pop_back();
        }
      };
  exclude_prefixes(values.members());
}

Bits Arithmetic::complement(Bits a) {
  for (Lit& lit : a.lits) lit = !lit;
  return a;
}

Bits Arithmetic::wrap(const Bits& a, Value bits) {
  Bits result{{}};
  for (size_t bit = 0; bit < static_cast<size_t>(bits < 0 ? -bits : bits); ++bit)
    if (bits < 0 || bit < a.width()) result.lits.push_back(a.at(bit));
  if (bits < 0) result.lits.push_back(kFalse);
  return result;
}

// Where the signs differ, the negative number is the larger one.
Lit Arithmetic::less_unsigned(const Bits& a, const Bits& b) {
  return circuit_.choose(circuit_.same(a.sign(), b.sign()), less(a, b), b.sign());
}

Bits Arithmetic::add(const Bits& a, const Bits& b, Lit carry) {
  Bits sum{{}};
  for (size_t bit = 0, width = std::max(a.width(), b.width()) + 1; bit < width; ++bit) {
    const Lit x = a.at(bit), y = b.at(bit), half = circuit_.differ(x, y);
    sum.lits.push_back(circuit_.differ(half, carry));
    carry = circuit_.either(circuit_.both(x, y), circuit_.both(half, carry));
  }
  return sum;
}

Bits Arithmetic::multiply(const Bits& a, const Bits& b) {
  // Schoolbook: the sign bit of b counts negatively.
  const size_t width = a.width() + b.width();
  const auto shifted = [&](size_t bit) {
    Bits row{std::vector<Lit>(bit, kFalse)};
    for (size_t k = 0; k + bit < width; ++k) row.lits.push_back(circuit_.both(a.at(k), b.lits[bit]));
    return row;
  };
  Bits product = constant(0);
  for (size_t bit = 0; bit + 1 < b.width(); ++bit) product = add(product, shifted(bit));
  product = subtract(product, shifted(b.width() - 1));
  if (product.width() > width) product.lits.resize(width);
  return product;
}

void Arithmetic::divide(const Bits& a, const Bits& b, Bits& quotient, Bits& remainder) {
  // By what it means: a = quotient * b + remainder, |remainder| < |b|, and the remainder has the sign of a or
  // is 0.
  const auto magnitude = [&](const Bits& x) { return choose(x.sign(), negate(x), x); };
  const Lit divisible = truth(b);
  for (Bits* part : {&quotient, &remainder}) {
    part->lits.clear();
    for (size_t bit = 0; bit <= std::max(a.width(), b.width()); ++bit) part->lits.push_back(circuit_.fresh());
  }
  require_equal(divisible, add(multiply(quotient, b), remainder), a);
  circuit_.implies(divisible, less(magnitude(remainder), magnitude(b)));
  circuit_.implies(divisible, truth(remainder), circuit_.same(remainder.sign(), a.sign()));
}

Bits Arithmetic::bit_and(const Bits& a, const Bits& b) {
  Bits result{{}};
  for (size_t bit = 0; bit < std::max(a.width(), b.width()); ++bit)
    result.lits.push_back(circuit_.both(a.at(bit), b.at(bit)));
  return result;
}

Bits Arithmetic::bit_xor(const Bits& a, const Bits& b) {
  Bits result{{}};
  for (size_t bit = 0; bit < std::max(a.width(), b.width()); ++bit)
    result.lits.push_back(circuit_.differ(a.at(bit), b.at(bit)));
  return result;
}

Bits Arithmetic::shift_left(const Bits& a, const Bits& b, unsigned max) {
  Bits result = a;
  for (unsigned stage = 0; stage < 6 && (1U << stage) <= max; ++stage) {
    Bits moved{std::vector<Lit>(size_t{1} << stage, kFalse)};
    moved.lits.insert(moved.lits.end(), result.lits.begin(), result.lits.end());
    result = choose(b.at(stage), moved, result);
  }
  return result;
}

Bits Arithmetic::shift_right(const Bits& a, const Bits& b, unsigned max) {
  Bits result = a;
  for (unsigned stage = 0; stage < 6 && (1U << stage) <= max; ++stage) {
    Bits moved{{}};
    for (size_t bit = 0; bit < result.width(); ++bit)
      moved.lits.push_back(result.at(bit + (size_t{1} << stage)));
    result = choose(b.at(stage), moved, result);
  }
  return result;
}

Bits Arithmetic::choose(Lit condition, const Bits& then, const Bits& otherwise) {
  Bits result{{}};
  for (size_t bit = 0; bit < std::max(then.width(), otherwise.width()); ++bit)
    result.lits.push_back(circuit_.choose(condition, then.at(bit), otherwise.at(bit)));
  return result;
}

Lit Arithmetic::equal(const Bits& a, const Bits& b) {
  std::vector<Lit> same;
  for (size_t bit = 0; bit < std::max(a.width(), b.width()); ++bit)
    same.push_back(circuit_.same(a.at(bit), b.at(bit)));
  return circuit_.all(std::move(same));
}

Lit Arithmetic::truth(const Bits& a) { return circuit_.any(a.lits); }

void Arithmetic::require_equal(Lit condition, const Bits& a, const Bits& b) {
  for (size_t bit = 0; bit < std::max(a.width(), b.width()); ++bit) {
    circuit_.implies(condition, a.at(bit), b.at(bit));
    circuit_.implies(condition, b.at(bit), a.at(bit));
  }
}

Value number(const Solver& solver, const Bits& bits) {
  require(bits.width() <= 64, "a number of more than 64 bits");
  uint64_t value = solver.value(bits.sign()) ? ~uint64_t{0} : 0;
  for (size_t bit = 0; bit < bits.width(); ++bit) {
    value &= ~(uint64_t{1} << bit);
    value |= static_cast<uint64_t>(solver.value(bits.lits[bit])) << bit;
  }
  return static_cast<Value>(value);
}

}  // namespace fenceline::sat
