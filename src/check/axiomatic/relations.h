// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of events and relations between events, as bits. The events of an execution are numbered 0 .. n-1; a
// set is one row of n bits, a relation is n rows: row a holds the b with (a, b) in it. All operators of
// relational algebra are then a few machine instructions per row, and with up to 64 events (every litmus
// test, and most counterexamples) a row is one word: each operator has one implementation, which the compiler
// gets to see once with "one word" and once with "any number of words".
//
// Nothing here allocates once a value has been given its size: operators write into the value that they are
// called on, which must be of the same size as the operands and, except where it says so, none of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bit_set.h"

namespace fenceline::check {

class EventSet {
 public:
  EventSet() = default;
  explicit EventSet(size_t events) { resize(events); }

  // Empties it. Allocates only if it has never been that large.
  void resize(size_t events) {
    events_ = events;
    bits_.assign(words_for_bits(events), 0);
  }
  size_t events() const { return events_; }
  size_t words() const { return bits_.size(); }

  bool has(size_t a) const { return has_bit(data(), a); }
  void add(size_t a) { add_bit(data(), a); }
  void remove(size_t a) { remove_bit(data(), a); }
  bool empty() const;

  uint64_t* data() { return bits_.data(); }
  const uint64_t* data() const { return bits_.data(); }

  // An operand may be the result itself in the first five.
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  void set_union(const EventSet& a, const EventSet& b);
  void set_intersection(const EventSet& a, const EventSet& b);
  void set_difference(const EventSet& a, const EventSet& b);
  void set_complement(const EventSet& a);
  void set_domain(const class Relation& r);
  void set_range(const class Relation& r);

  friend bool operator==(const EventSet&, const EventSet&) = default;

 private:
  size_t events_ = 0;
  std::vector<uint64_t> bits_;
};

class Relation {
 public:
  Relation() = default;
  explicit Relation(size_t events) { resize(events); }

  // Empties it. Allocates only if it has never been that large.
  void resize(size_t events) {
    events_ = events;
    words_ = words_for_bits(events);
    bits_.assign(events_ * words_, 0);
  }
  size_t events() const { return events_; }
  size_t words() const { return words_; }

  bool has(size_t a, size_t b) const { return has_bit(row(a), b); }
  void add(size_t a, size_t b) { add_bit(row(a), b); }
  void remove(size_t a, size_t b) { remove_bit(row(a), b); }
  bool empty() const;
  bool acyclic() const;
  bool irreflexive() const;

  uint64_t* row(size_t a) { return bits_.data() + a * words_; }
  const uint64_t* row(size_t a) const { return bits_.data() + a * words_; }

  // An operand may be the result itself in the first six and in set_transitive.
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  void set_union(const Relation& a, const Relation& b);
  void set_intersection(const Relation& a, const Relation& b);
  void set_difference(const Relation& a, const Relation& b);
  void set_complement(const Relation& a);
  void set_reflexive(const Relation& a);                    // a?
  void set_sequence(const Relation& a, const Relation& b);  // a ; b
  void set_inverse(const Relation& a);
  void set_transitive(const Relation& a);                  // a+
  void set_product(const EventSet& a, const EventSet& b);  // a * b
  void set_identity(const EventSet& a);                    // [a]

  friend bool operator==(const Relation&, const Relation&) = default;

 private:
  size_t events_ = 0, words_ = 0;
  std::vector<uint64_t> bits_;  // row by row
};

}  // namespace fenceline::check
