// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an abstract buffer keeps of the values pending in it. The buffer (partial_buffer.h) is generic in
// this: it composes with any abstraction of values, as the paper notes at the end of its section 4.1.
//
// An Element represents one stored value, a Set the values of several. Memory and registers hold concrete
// values; when an element is flushed, every concrete value that it represents (within the range of the cell)
// is an alternative of its own.
//
//   ExactValues     elements are values, sets are sets
//   LabelledValues  the same, with the instruction that stored each (for avoid formulas, reference/avoid)
//   IntervalValues  sets are intervals: d² of them instead of 2^d
//   ParityValues    only even or odd is known, of every value
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <vector>

#include "base/bits.h"
#include "base/numbers.h"
#include "domain/buffer/store_buffer.h"

namespace fenceline::buffer {

// `field` is always the layout of the cell's values, `origin_bits` that of the origins.
template <class D>
concept BufferValues = requires(typename D::Element e, typename D::Set s, const typename D::Set cs,
                                Value value, const FieldLayout& field, BitWriter& writer, BitReader& reader,
                                const BufferLayout& layout) {
  {
    D::kExact
    } -> std::convertible_to<bool>;  // is a set of elements just that, so that one can be taken out?
  { D::element(value, uint32_t{}) } -> std::same_as<typename D::Element>;
  { D::none() } -> std::same_as<typename D::Set>;
  {D::for_each_value(e, field, [](Value) {})};
  {D::add(s, e, field)};
  { D::is_only(cs, e, field) } -> std::same_as<bool>;  // is the set {e}?
  { D::subset(cs, cs) } -> std::same_as<bool>;
  {D::pack(e, writer, field, layout)};
  {D::unpack(e, reader, field, layout)};
  {D::pack(cs, writer, field, layout)};
  {D::unpack(s, reader, field, layout)};
  // In ascending order; the number is what remove() wants.
  {D::for_each_element(cs, field, [](uint32_t, const typename D::Element&) {})};
};

// A set of values: a bit mask where the cell can have few values, a sorted list elsewhere.
class BufferedValueSet {
 public:
  static bool masked(const FieldLayout& field) { return field.bits <= 6; }

  void add(Value value, const FieldLayout& field) {
    if (masked(field)) {
      mask_ |= uint64_t{1} << field.encode(value);
      return;
    }
    const auto at = std::lower_bound(list_.begin(), list_.end(), value);
    if (at == list_.end() || *at != value) list_.insert(at, value);
  }
  void remove(uint32_t number, const FieldLayout& field) {
    if (masked(field))
      mask_ &= ~(uint64_t{1} << number);
    else
      list_.erase(list_.begin() + number);
  }
  bool is_only(Value value, const FieldLayout& field) const {
    return masked(field) ? mask_ == uint64_t{1} << field.encode(value)
                         : list_.size() == 1 && list_[0] == value;
  }
  template <class F>
  void for_each(const FieldLayout& field, const F& f) const {
    for (uint64_t left = mask_; left != 0; left &= left - 1) {
      const auto number = static_cast<uint32_t>(std::countr_zero(left));
      f(number, field.decode(number));
    }
    for (uint32_t i = 0; i < list_.size(); ++i) f(i, list_[i]);
  }
  static bool subset(const BufferedValueSet& small, const BufferedValueSet& large) {
    return (small.mask_ & ~large.mask_) == 0 &&
           std::includes(large.list_.begin(), large.list_.end(), small.list_.begin(), small.list_.end());
  }
  void pack(BitWriter& writer, const FieldLayout& field) const {
    if (masked(field)) return writer.put(mask_, 1U << field.bits);
    writer.put(list_.size(), 32);
    for (const Value value : list_) writer.put(field.encode(value), field.bits);
  }
  void unpack(BitReader& reader, const FieldLayout& field) {
    mask_ = 0;
    list_.clear();
    if (masked(field)) {
      mask_ = reader.get(1U << field.bits);
      return;
    }
    for (uint64_t left = reader.get(32); left > 0; --left)
      list_.push_back(field.decode(reader.get(field.bits)));
  }

 private:
  uint64_t mask_ = 0;        // bit n: the value field.lo + n
  std::vector<Value> list_;  // sorted
};

struct ExactValues {
  using Element = Value;
  using Set = BufferedValueSet;
  static constexpr bool kExact = true;

  static Element element(Value value, uint32_t /*origin*/) { return value; }
  static Value value_of(Element element) { return element; }
  template <class F>
  static void for_each_value(Element element, const FieldLayout& /*field*/, const F& f) {
    f(element);
  }
  static Set none() { return {}; }
  static void add(Set& set, Element element, const FieldLayout& field) { set.add(element, field); }
  static void remove(Set& set, uint32_t number, const FieldLayout& field) { set.remove(number, field); }
  static bool is_only(const Set& set, Element element, const FieldLayout& field) {
    return set.is_only(element, field);
  }
  static bool subset(const Set& small, const Set& large) { return BufferedValueSet::subset(small, large); }
  template <class F>
  static void for_each_element(const Set& set, const FieldLayout& field, const F& f) {
    set.for_each(field, f);
  }
  static void pack(Element e, BitWriter& writer, const FieldLayout& field, const BufferLayout& /*layout*/) {
    writer.put(field.encode(e), field.bits);
  }
  static void unpack(Element& e, BitReader& reader, const FieldLayout& field,
                     const BufferLayout& /*layout*/) {
    e = field.decode(reader.get(field.bits));
  }
  static void pack(const Set& s, BitWriter& writer, const FieldLayout& field,
                   const BufferLayout& /*layout*/) {
    s.pack(writer, field);
  }
  static void unpack(Set& s, BitReader& reader, const FieldLayout& field, const BufferLayout& /*layout*/) {
    s.unpack(reader, field);
  }
};

struct LabelledValues {
  struct Element {
    Value value = 0;
    uint32_t origin = 0;  // the point of the store
    friend auto operator<=>(const Element&, const Element&) = default;
  };
  using Set = std::vector<Element>;  // sorted
  static constexpr bool kExact = true;

  static Element element(Value value, uint32_t origin) { return {value, origin}; }
  static Value value_of(const Element& element) { return element.value; }
  template <class F>
  static void for_each_value(const Element& element, const FieldLayout& /*field*/, const F& f) {
    f(element.value);
  }
  static Set none() { return {}; }
  static void add(Set& set, const Element& element, const FieldLayout& /*field*/) {
    const auto at = std::lower_bound(set.begin(), set.end(), element);
    if (at == set.end() || *at != element) set.insert(at, element);
  }
  static void remove(Set& set, uint32_t number, const FieldLayout& /*field*/) {
    set.erase(set.begin() + number);
  }
  static bool is_only(const Set& set, const Element& element, const FieldLayout& /*field*/) {
    return set.size() == 1 && set[0] == element;
  }
  static bool subset(const Set& small, const Set& large) {
    return std::includes(large.begin(), large.end(), small.begin(), small.end());
  }
  template <class F>
  static void for_each_element(const Set& set, const FieldLayout& /*field*/, const F& f) {
    for (uint32_t i = 0; i < set.size(); ++i) f(i, set[i]);
  }
  static void pack(const Element& e, BitWriter& writer, const FieldLayout& field,
                   const BufferLayout& layout) {
    writer.put(field.encode(e.value), field.bits);
    writer.put(e.origin, layout.origin_bits);
  }
  static void unpack(Element& e, BitReader& reader, const FieldLayout& field, const BufferLayout& layout) {
    e.value = field.decode(reader.get(field.bits));
    e.origin = static_cast<uint32_t>(reader.get(layout.origin_bits));
  }
  static void pack(const Set& s, BitWriter& writer, const FieldLayout& field, const BufferLayout& layout) {
    writer.put(s.size(), 32);
    for (const Element& e : s) pack(e, writer, field, layout);
  }
  static void unpack(Set& s, BitReader& reader, const FieldLayout& field, const BufferLayout& layout) {
    s.resize(reader.get(32));
    for (Element& e : s) unpack(e, reader, field, layout);
  }
};

// An element of these two is a set already: adding joins.
struct IntervalValues {
  using Element = Range;
  using Set = Range;
  static constexpr bool kExact = false;

  static Element element(Value value, uint32_t /*origin*/) { return Range::single(value); }
  template <class F>
  static void for_each_value(const Range& range, const FieldLayout& /*field*/, const F& f) {
    for (Value value = range.lo;; ++value) {
      f(value);
      if (value == range.hi) return;
    }
  }
  static Set none() { return Range::empty(); }
  static void add(Set& set, const Element& element, const FieldLayout& /*field*/) { set = set.join(element); }
  static bool is_only(const Set& set, const Element& element, const FieldLayout& /*field*/) {
    return set == element && set.lo == set.hi;
  }
  static bool subset(const Set& small, const Set& large) {
    return large.lo <= small.lo && small.hi <= large.hi;
  }
  template <class F>
  static void for_each_element(const Set& set, const FieldLayout& /*field*/, const F& f) {
    f(0U, set);
  }
  static void pack(const Range& r, BitWriter& writer, const FieldLayout& field,
                   const BufferLayout& /*layout*/) {
    writer.put(field.encode(r.lo), field.bits);
    writer.put(field.encode(r.hi), field.bits);
  }
  static void unpack(Range& r, BitReader& reader, const FieldLayout& field, const BufferLayout& /*layout*/) {
    r.lo = field.decode(reader.get(field.bits));
    r.hi = field.decode(reader.get(field.bits));
  }
};

struct ParityValues {
  struct Parity {
    bool even = false;
    bool odd = false;
    friend bool operator==(const Parity&, const Parity&) = default;
  };
  using Element = Parity;
  using Set = Parity;
  static constexpr bool kExact = false;

  static Element element(Value value, uint32_t /*origin*/) { return {value % 2 == 0, value % 2 != 0}; }
  template <class F>
  static void for_each_value(const Parity& parity, const FieldLayout& field, const F& f) {
    for (Value value = field.lo;; ++value) {
      if (value % 2 == 0 ? parity.even : parity.odd) f(value);
      if (value == field.hi) return;
    }
  }
  static Set none() { return {}; }
  static void add(Set& set, const Element& element, const FieldLayout& /*field*/) {
    set.even |= element.even;
    set.odd |= element.odd;
  }
  static bool is_only(const Set& /*set*/, const Element& /*element*/, const FieldLayout& /*field*/) {
    return false;
  }
  static bool subset(const Set& small, const Set& large) {
    return (!small.even || large.even) && (!small.odd || large.odd);
  }
  template <class F>
  static void for_each_element(const Set& set, const FieldLayout& /*field*/, const F& f) {
    f(0U, set);
  }
  static void pack(const Parity& p, BitWriter& writer, const FieldLayout& /*field*/,
                   const BufferLayout& /*layout*/) {
    writer.put((p.even ? 1U : 0U) | (p.odd ? 2U : 0U), 2);
  }
  static void unpack(Parity& p, BitReader& reader, const FieldLayout& /*field*/,
                     const BufferLayout& /*layout*/) {
    const uint64_t bits = reader.get(2);
    p = {(bits & 1) != 0, (bits & 2) != 0};
  }
};

static_assert(BufferValues<ExactValues>);
static_assert(BufferValues<LabelledValues>);
static_assert(BufferValues<IntervalValues>);
static_assert(BufferValues<ParityValues>);

}  // namespace fenceline::buffer
