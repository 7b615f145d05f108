// SPDX-License-Identifier: GPL-3.0-or-later
//
// A set of small numbers as a row of bits. The search in propagation.h compares and intersects thousands of
// them, most of which have fewer than 64 elements to choose from.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace fenceline {

class PlaceSet {
 public:
  PlaceSet() = default;
  PlaceSet(std::initializer_list<size_t> elements) {
    for (const size_t element : elements) add(element);
  }
  // {0, ..., size - 1}
  static PlaceSet first(size_t size) {
    PlaceSet set;
    for (size_t element = 0; element < size; ++element) set.add(element);
    return set;
  }

  bool has(size_t element) const {
    return element / 64 < words_.size() && (words_[element / 64] >> element % 64 & 1) != 0;
  }
  void add(size_t element) {
    if (element / 64 >= words_.size()) words_.resize(element / 64 + 1);
    words_[element / 64] |= uint64_t{1} << element % 64;
  }
  void remove(size_t element) {
    if (element / 64 < words_.size()) words_[element / 64] &= ~(uint64_t{1} << element % 64);
    trim();
  }
  PlaceSet with(size_t element) const {
    PlaceSet set = *this;
    set.add(element);
    return set;
  }
  PlaceSet without(size_t element) const {
    PlaceSet set = *this;
    set.remove(element);
    return set;
  }

  bool empty() const { return words_.empty(); }
  size_t size() const {
    size_t sum = 0;
    for (const uint64_t word : words_) sum += static_cast<size_t>(std::popcount(word));
    return sum;
  }
  std::vector<size_t> elements() const {  // sorted
    std::vector<size_t> all;
    for (size_t w = 0; w < words_.size(); ++w)
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        all.push_back(w * 64 + static_cast<size_t>(std::countr_zero(rest)));
    return all;
  }

  bool subset_of(const PlaceSet& other) const {
    if (words_.size() > other.words_.size()) return false;
    for (size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & ~other.words_[w]) != 0) return false;
    return true;
  }
  friend PlaceSet operator&(PlaceSet a, const PlaceSet& b) {
    a.words_.resize(std::min(a.words_.size(), b.words_.size()));
    for (size_t w = 0; w < a.words_.size(); ++w) a.words_[w] &= b.words_[w];
    a.trim();
    return a;
  }
  friend PlaceSet operator|(PlaceSet a, const PlaceSet& b) {
    a.words_.resize(std::max(a.words_.size(), b.words_.size()));
    for (size_t w = 0; w < b.words_.size(); ++w) a.words_[w] |= b.words_[w];
    return a;
  }
  friend PlaceSet operator-(PlaceSet a, const PlaceSet& b) {
    for (size_t w = 0; w < std::min(a.words_.size(), b.words_.size()); ++w) a.words_[w] &= ~b.words_[w];
    a.trim();
    return a;
  }

  friend auto operator<=>(const PlaceSet&, const PlaceSet&) = default;
  friend bool operator==(const PlaceSet&, const PlaceSet&) = default;

 private:
  void trim() {
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

  std::vector<uint64_t> words_;  // the last one is not 0
};

}  // namespace fenceline
