// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operators, each written once over "rows of `words` words". with_words() calls them with a constant 1
// where that is the number, so that the loops over the words of a row are gone in the case that matters.
//
// Cycles are found by taking away events without successors until there is none left, or none that could be
// taken away: no stack, no marks, and the relations of an execution are mostly shallow. Closures are
// Warshall's algorithm on whole rows.
#include "check/axiomatic/relations.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace fenceline::check {
namespace {

using OneWord = std::integral_constant<size_t, 1>;

template <class Body>
auto with_words(size_t words, const Body& body) {
  return words == 1 ? body(OneWord{}) : body(words);
}

// No bits behind the last event: complements must not make any.
void cut_behind(uint64_t* row, size_t words, size_t events) {
  if (events % 64 != 0) row[words - 1] &= (uint64_t{1} << (events % 64)) - 1;
}

template <class Word>
void word_by_word(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t count, const Word& word) {
  for (size_t i = 0; i < count; ++i) out[i] = word(a[i], b[i]);
}

constexpr auto kOr = [](uint64_t a, uint64_t b) { return a | b; };
constexpr auto kAnd = [](uint64_t a, uint64_t b) { return a & b; };
constexpr auto kAndNot = [](uint64_t a, uint64_t b) { return a & ~b; };

}  // namespace

// ---- Sets

bool EventSet::empty() const {
  return std::all_of(bits_.begin(), bits_.end(), [](uint64_t word) { return word == 0; });
}

void EventSet::set_union(const EventSet& a, const EventSet& b) {
  word_by_word(data(), a.data(), b.data(), words(), kOr);
}

void EventSet::set_intersection(const EventSet& a, const EventSet& b) {
  word_by_word(data(), a.data(), b.data(), words(), kAnd);
}

void EventSet::set_difference(const EventSet& a, const EventSet& b) {
  word_by_word(data(), a.data(), b.data(), words(), kAndNot);
}

void EventSet::set_complement(const EventSet& a) {
  for (size_t w = 0; w < words(); ++w) bits_[w] = ~a.bits_[w];
  cut_behind(data(), words(), events_);
}

void EventSet::set_domain(const Relation& r) {
  clear();
  for (size_t a = 0; a < events_; ++a)
    if (std::any_of(r.row(a), r.row(a) + words(), [](uint64_t word) { return word != 0; })) add(a);
}

void EventSet::set_range(const Relation& r) {
  clear();
  for (size_t a = 0; a < events_; ++a) word_by_word(data(), data(), r.row(a), words(), kOr);
}

// ---- Relations

bool Relation::empty() const {
  return std::all_of(bits_.begin(), bits_.end(), [](uint64_t word) { return word == 0; });
}

bool Relation::irreflexive() const {
  for (size_t a = 0; a < events_; ++a)
    if (has(a, a)) return false;
  return true;
}

bool Relation::acyclic() const {
  if (words_ == 1) {
    uint64_t left = events_ == 64 ? ~uint64_t{0} : (uint64_t{1} << events_) - 1;
    for (uint64_t before = 0; left != before;) {
      before = left;
      // From the last event on: most edges lead to later ones, so one sweep often does.
      for (uint64_t rest = left; rest != 0;) {
        const auto a = static_cast<unsigned>(63 - std::countl_zero(rest));
        rest &= ~(uint64_t{1} << a);
        if ((bits_[a] & left) == 0) left &= ~(uint64_t{1} << a);
      }
    }
    return left == 0;
  }
  EventSet left(events_);
  for (size_t a = 0; a < events_; ++a) left.add(a);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = events_; a-- > 0;) {
      if (!left.has(a)) continue;
      bool has_successor = false;
      for (size_t w = 0; w < words_ && !has_successor; ++w) has_successor = (row(a)[w] & left.data()[w]) != 0;
      if (has_successor) continue;
      left.remove(a);
      changed = true;
    }
  }
  return left.empty();
}

void Relation::set_union(const Relation& a, const Relation& b) {
  word_by_word(bits_.data(), a.bits_.data(), b.bits_.data(), bits_.size(), kOr);
}

void Relation::set_intersection(const Relation& a, const Relation& b) {
  word_by_word(bits_.data(), a.bits_.data(), b.bits_.data(), bits_.size(), kAnd);
}

void Relation::set_difference(const Relation& a, const Relation& b) {
  word_by_word(bits_.data(), a.bits_.data(), b.bits_.data(), bits_.size(), kAndNot);
}

void Relation::set_complement(const Relation& a) {
  for (size_t i = 0; i < bits_.size(); ++i) bits_[i] = ~a.bits_[i];
  for (size_t event = 0; event < events_; ++event) cut_behind(row(event), words_, events_);
}

void Relation::set_reflexive(const Relation& a) {
  if (this != &a) std::copy(a.bits_.begin(), a.bits_.end(), bits_.begin());
  for (size_t event = 0; event < events_; ++event) add(event, event);
}

void Relation::set_sequence(const Relation& a, const Relation& b) {
  with_words(words_, [&](auto words) {
    for (size_t event = 0; event < events_; ++event) {
      uint64_t* out = bits_.data() + event * words;
      std::fill(out, out + words, 0);
      for_each_bit(a.bits_.data() + event * words, words, [&](size_t middle) {
        const uint64_t* next = b.bits_.data() + middle * words;
        for (size_t w = 0; w < words; ++w) out[w] |= next[w];
      });
    }
  });
}

void Relation::set_inverse(const Relation& a) {
  clear();
  for (size_t event = 0; event < events_; ++event)
    for_each_bit(a.row(event), words_, [&](size_t to) { add(to, event); });
}

void Relation::set_transitive(const Relation& a) {
  if (this != &a) std::copy(a.bits_.begin(), a.bits_.end(), bits_.begin());
  with_words(words_, [&](auto words) {
    for (size_t middle = 0; middle < events_; ++middle) {
      const uint64_t* next = bits_.data() + middle * words;
      for (size_t event = 0; event < events_; ++event) {
        uint64_t* out = bits_.data() + event * words;
        if (!has_bit(out, middle)) continue;
        for (size_t w = 0; w < words; ++w) out[w] |= next[w];
      }
    }
  });
}

void Relation::set_product(const EventSet& a, const EventSet& b) {
  for (size_t event = 0; event < events_; ++event) {
    if (a.has(event))
      std::copy(b.data(), b.data() + words_, row(event));
    else
      std::fill(row(event), row(event) + words_, 0);
  }
}

void Relation::set_identity(const EventSet& a) {
  clear();
  for (size_t event = 0; event < events_; ++event)
    if (a.has(event)) add(event, event);
}

}  // namespace fenceline::check
