// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bit packing: values of known width laid end to end. States are packed and unpacked once per transition, so
// this is a hot path: one accumulator word, no allocation after the buffer has grown to its working size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fenceline {

static_assert(std::endian::native == std::endian::little,
              "packed states are read back as little-endian words");

class BitWriter {
 public:
  BitWriter() : words_(32) {}

  void reset() { full_words_ = 0, accumulator_ = 0, fill_ = 0; }

  // Precondition: bits <= 64 and value < 2^bits.
  void put(uint64_t value, unsigned bits) {
    accumulator_ |= fill_ < 64 ? value << fill_ : 0;
    fill_ += bits;
    if (fill_ >= 64) {
      push();
      fill_ -= 64;
      accumulator_ = fill_ == 0 ? 0 : value >> (bits - fill_);
    }
  }

  // The bytes written since reset(), the last one filled up with zeros. Valid until the next put() or
  // reset().
  std::span<const uint8_t> finish() {
    words_[full_words_] = accumulator_;
    const size_t bytes = full_words_ * 8 + (fill_ + 7) / 8;
    return {reinterpret_cast<const uint8_t*>(words_.data()), bytes};
  }

 private:
  void push() {
    words_[full_words_++] = accumulator_;
    if (full_words_ + 1 >= words_.size()) words_.resize(words_.size() * 2);
  }

  std::vector<uint64_t> words_;
  size_t full_words_ = 0;
  uint64_t accumulator_ = 0;
  unsigned fill_ = 0;  // bits in the accumulator, always < 64
};

class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Precondition: bits <= 64. Past the end zeros are read.
  uint64_t get(unsigned bits) {
    if (bits == 0) return 0;
    const size_t at = position_ / 8;
    const auto shift = static_cast<unsigned>(position_ % 8);
    position_ += bits;
    uint64_t low = word_at(at) >> shift;
    if (shift + bits > 64) low |= word_at(at + 8) << (64 - shift);
    return bits == 64 ? low : low & ((uint64_t{1} << bits) - 1);
  }

 private:
  uint64_t word_at(size_t at) const {
    uint64_t word = 0;
    if (at + 8 <= bytes_.size())
      std::memcpy(&word, bytes_.data() + at, 8);
    else if (at < bytes_.size())
      std::memcpy(&word, bytes_.data() + at, bytes_.size() - at);
    return word;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace fenceline
