// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything is computed in 128 bits, where no corner of two 64-bit intervals overflows, and cut back to 64
// bits at the end: results beyond do not exist (see ir/eval.h), so cutting loses nothing. Products, quotients
// and shifts are monotone in each operand once the sign of the other is fixed, so their extremes lie at
// corners.
#include "ir/analysis/interval.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

#include "env/errors.h"
#include "ir/eval.h"

namespace fenceline {
namespace {

__extension__ using Wide = __int128;

constexpr Value kMin = std::numeric_limits<Value>::min();
constexpr Value kMax = std::numeric_limits<Value>::max();
constexpr Value kLastShift = 62;  // shifting any value but 0 further to the left overflows

Range cut(Wide lo, Wide hi) {
  if (lo > kMax || hi < kMin || lo > hi) return Range::empty();
  return {static_cast<Value>(std::max<Wide>(lo, kMin)), static_cast<Value>(std::min<Wide>(hi, kMax))};
}

template <class Op>
Range corners(Range a, Range b, Op op) {
  if (a.is_empty() || b.is_empty()) return Range::empty();
  const auto [lo, hi] = std::minmax({op(Wide{a.lo}, Wide{b.lo}), op(Wide{a.lo}, Wide{b.hi}),
                                     op(Wide{a.hi}, Wide{b.lo}), op(Wide{a.hi}, Wide{b.hi})});
  return cut(lo, hi);
}

Range divide(Range a, Range b) {
  const auto quotient = [](Wide x, Wide y) { return x / y; };
  return corners(a, b.meet({kMin, -1}), quotient).join(corners(a, b.meet({1, kMax}), quotient));
}

// The remainder has the sign of `a`, is no larger than `a`, and smaller than `b`.
Range remainder(Range a, Range b) {
  const auto magnitude = [](Value v) { return v < 0 ? -Wide{v} : Wide{v}; };
  const Range negative = b.meet({kMin, -1}), positive = b.meet({1, kMax});
  if (negative.is_empty() && positive.is_empty()) return Range::empty();
  const Wide largest = std::max(magnitude(b.lo), magnitude(b.hi)) - 1;
  const Wide smallest = std::min(negative.is_empty() ? Wide{kMax} : magnitude(negative.hi),
                                 positive.is_empty() ? Wide{kMax} : Wide{positive.lo});
  if (magnitude(a.lo) < smallest && magnitude(a.hi) < smallest) return a;
  return cut(a.lo < 0 ? std::max<Wide>(a.lo, -largest) : 0, a.hi > 0 ? std::min<Wide>(a.hi, largest) : 0);
}

Range shift_left(Range a, Range b) {
  const auto shift = [](Wide x, Wide y) { return x * (Wide{1} << y); };
  const Range shifted = corners(a, b.meet({0, kLastShift}), shift);
  return a.contains(0) && b.hi >= 0 ? shifted.join(Range::single(0)) : shifted;
}

Range shift_right(Range a, Range b) {
  b = b.meet({0, kMax});
  if (b.is_empty()) return b;
  const Range by{std::min<Value>(b.lo, 63), std::min<Value>(b.hi, 63)};
  return corners(a, by, [](Wide x, Wide y) { return x >> y; });
}

// The smallest interval -2^k .. 2^k - 1 around both; bitwise operations never leave it.
Range same_width(Range a, Range b) {
  const auto width = [](Value v) { return std::bit_width(static_cast<uint64_t>(v < 0 ? ~v : v)); };
  const auto k = std::max({width(a.lo), width(a.hi), width(b.lo), width(b.hi)});
  return cut(-(Wide{1} << k), (Wide{1} << k) - 1);
}

Range bitwise(ExprOp op, Range a, Range b) {
  Range result = same_width(a, b);
  if (op == ExprOp::kBitAnd) {  // each operand that is not negative bounds the result
    if (a.lo >= 0) result = result.meet({0, a.hi});
    if (b.lo >= 0) result = result.meet({0, b.hi});
    if (a.hi < 0 && b.hi < 0) result.hi = -1;
    return result;
  }
  if (a.lo >= 0 && b.lo >= 0) result.lo = op == ExprOp::kBitOr ? std::max(a.lo, b.lo) : 0;
  if (op == ExprOp::kBitOr && (a.hi < 0 || b.hi < 0)) result.hi = -1;
  return result;
}

Range compare(ExprOp op, Range a, Range b) {
  const auto known = [](bool always, bool never) {
    return always ? Range::single(1) : never ? Range::single(0) : Range{0, 1};
  };
  const bool equal = a.lo == a.hi && a == b, disjoint = a.meet(b).is_empty();
  if (op == ExprOp::kEq) return known(equal, disjoint);
  if (op == ExprOp::kNe) return known(disjoint, equal);
  if (op == ExprOp::kLt) return known(a.hi < b.lo, a.lo >= b.hi);
  if (op == ExprOp::kLe) return known(a.hi <= b.lo, a.lo > b.hi);
  if (op == ExprOp::kGt) return known(a.lo > b.hi, a.hi <= b.lo);
  if (op == ExprOp::kGe) return known(a.lo >= b.hi, a.hi < b.lo);
  throw Bug("compare() called on what is no signed comparison");
}

// As unsigned numbers the negative ones come last. Only intervals that do not cross that border are compared.
Range compare_unsigned(ExprOp op, Range a, Range b) {
  if ((a.lo < 0) != (a.hi < 0) || (b.lo < 0) != (b.hi < 0)) return {0, 1};
  if ((a.lo < 0) != (b.lo < 0)) return Range::single(b.lo < 0);
  return compare(op == ExprOp::kUlt ? ExprOp::kLt : ExprOp::kLe, a, b);
}

// An interval that nowhere passes from the type's last value to its first one is moved; any other becomes all
// of the type.
Range wrap(Range a, Value bits) {
  const Wide size = Wide{1} << (bits < 0 ? -bits : bits);
  const Value lo = apply(ExprOp::kWrap, a.lo, bits).value, hi = apply(ExprOp::kWrap, a.hi, bits).value;
  if (Wide{a.hi} - a.lo < size && lo <= hi) return {lo, hi};
  return bits < 0 ? cut(0, size - 1) : cut(-size / 2, size / 2 - 1);
}

// The same as without a limit, if nothing can leave 64 bits. (Ends without a bound are ordinary numbers here.)
Range modular(ExprOp op, Range a, Range b) {
  const Range all = Range::all();
  const auto fitting = [&](Wide lo, Wide hi) {
    return lo < all.lo || hi > all.hi ? all : Range{static_cast<Value>(lo), static_cast<Value>(hi)};
  };
  if (op == ExprOp::kAdd64) return fitting(Wide{a.lo} + b.lo, Wide{a.hi} + b.hi);
  if (op == ExprOp::kSub64) return fitting(Wide{a.lo} - b.hi, Wide{a.hi} - b.lo);
  if (op == ExprOp::kMul64) {
    const Wide products[] = {Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo, Wide{a.hi} * b.hi};
    return fitting(*std::min_element(std::begin(products), std::end(products)),
                   *std::max_element(std::begin(products), std::end(products)));
  }
  if (b.hi < 0) return Range::empty();
  if (b.hi > 62) return all;
  const Wide most = Wide{1} << b.hi;
  return fitting(std::min<Wide>(a.lo, a.lo * most), std::max<Wide>(a.hi, a.hi * most));
}

Range lazy(ExprOp op, Range a, Range b) {
  const Value decisive = op == ExprOp::kOr ? 1 : 0;  // this truth value of `a` settles it
  const Range first = truth_of(a);
  Range result = Range::empty();
  if (first.contains(decisive)) result = Range::single(decisive);
  if (first.contains(1 - decisive)) result = result.join(truth_of(b));
  return result;
}

}  // namespace

Range truth_of(Range a) {
  if (a.is_empty()) return a;
  if (!a.contains(0)) return Range::single(1);
  return a.lo == a.hi ? Range::single(0) : Range{0, 1};
}

Range apply_range(ExprOp op, Range a, Range b) {
  if (a.is_empty()) return Range::empty();
  if (shape_of(op) == ExprShape::kBinary) {
    if (b.is_empty()) return Range::empty();
    if (a.lo == a.hi && b.lo == b.hi) {
      const Evaluated exact = apply(op, a.lo, b.lo);
      return exact.ok() ? Range::single(exact.value) : Range::empty();
    }
  }
  switch (class_of(op)) {
    case OperatorClass::kNeg:
      return cut(-Wide{a.hi}, -Wide{a.lo});
    case OperatorClass::kNot:
      return compare(ExprOp::kEq, truth_of(a), Range::single(0));
    case OperatorClass::kBitNot:
      return {~a.hi, ~a.lo};
    case OperatorClass::kWrap:
      return wrap(a, b.lo);
    case OperatorClass::kAdd:
      return cut(Wide{a.lo} + b.lo, Wide{a.hi} + b.hi);
    case OperatorClass::kSub:
      return cut(Wide{a.lo} - b.hi, Wide{a.hi} - b.lo);
    case OperatorClass::kMul:
      return corners(a, b, [](Wide x, Wide y) { return x * y; });
    case OperatorClass::kDivide:
      return op == ExprOp::kDiv ? divide(a, b) : remainder(a, b);
    case OperatorClass::kEqual:
    case OperatorClass::kLess:
    case OperatorClass::kGreater:
      return compare(op, a, b);
    case OperatorClass::kUnsignedLess:
      return compare_unsigned(op, a, b);
    case OperatorClass::kLazy:
      return lazy(op, a, b);
    case OperatorClass::kBitwise:
      return bitwise(op, a, b);
    case OperatorClass::kShift:
      return op == ExprOp::kShl ? shift_left(a, b) : shift_right(a, b);
    case OperatorClass::kModular:
      return modular(op, a, b);
    case OperatorClass::kLeaf:
    case OperatorClass::kSelect:
      break;
  }
  throw Bug("apply_range() called on a leaf");
}

Range fetch_range(RmwOp op, Range old, Range a, int bits) {
  if (bits == 0 || old.is_empty() || a.is_empty()) return apply_range(operator_of(op), old, a);
  const Range whole = wrap(Range::all(), bits);
  // Sums outside of 64 bits count too. Ends without a bound are ordinary numbers here.
  if (op == RmwOp::kFetchAdd) {
    const Wide lo = Wide{old.lo} + a.lo, hi = Wide{old.hi} + a.hi;
    const Range all = Range::all();
    if (lo < all.lo || hi > all.hi)
      return old.lo == old.hi && a.lo == a.hi ? Range::single(fetch(op, old.lo, a.lo, bits).value) : whole;
  }
  return apply_range(ExprOp::kWrap, apply_range(operator_of(op), old, a), Range::single(bits));
}

}  // namespace fenceline
