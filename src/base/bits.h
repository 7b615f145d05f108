// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bit packing: values of known width laid end to end. States are packed and unpacked once per transition, so
// this is a hot path: one accumulator word, no allocation after the buffer has grown to its working size, and
// reads that may touch a few bytes behind the end instead of testing for the end.
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

// The owner of packed bytes keeps this many readable bytes behind them.
inline constexpr size_t kBitSlack = 16;

class BitReader {
 public:
  // Precondition: kBitSlack bytes behind `bytes` can be read.
  explicit BitReader(const uint8_t* bytes, size_t position = 0) : bytes_(bytes), position_(position) {}

  size_t position() const { return position_; }  // in bits

  // Precondition: bits <= 64.
  uint64_t get(unsigned bits) {
    if (bits > available_) {
      refill();
      if (bits > available_) [[unlikely]]
        return get_wide(bits);
    }
    // available_ is at most 63, so bits is less than 64 here: get_wide() has the rest.
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    const uint64_t value = window_ & ~(~uint64_t{0} << bits);
    window_ >>= bits;
    available_ -= bits;
    position_ += bits;
    return value;
  }

 private:
  uint64_t word_at(size_t byte) const {
    uint64_t word;
    std::memcpy(&word, bytes_ + byte, sizeof word);
    return word;
  }
  // At most 63 bits are ever offered, so that no shift is by 64.
  void refill() {
    window_ = word_at(position_ / 8) >> (position_ % 8);
    available_ = 63 - static_cast<unsigned>(position_ % 8);
  }
  uint64_t get_wide(unsigned bits) {
    const auto shift = static_cast<unsigned>(position_ % 8);
    uint64_t value = word_at(position_ / 8) >> shift;
    if (shift > 0) value |= word_at(position_ / 8 + 8) << (64 - shift);
    position_ += bits;
    available_ = 0;
    return bits == 64 ? value : value & ~(~uint64_t{0} << bits);
  }

  const uint8_t* bytes_;
  size_t position_;
  uint64_t window_ = 0;     // the next bits
  unsigned available_ = 0;  // how many of them
};

class BitWriter {
 public:
  BitWriter() : words_(32) {}

  void reset() { full_words_ = 0, accumulator_ = 0, fill_ = 0; }

  // Precondition: bits <= 64 and value < 2^bits.
  void put(uint64_t value, unsigned bits) {
    accumulator_ |= value << fill_;
    fill_ += bits;
    if (fill_ >= 64) {
      push();
      fill_ -= 64;
      accumulator_ = fill_ == 0 ? 0 : value >> (bits - fill_);
    }
  }

  // Appends the bits [begin, end) of `bytes`. Precondition: as for BitReader.
  void copy(const uint8_t* bytes, size_t begin, size_t end) {
    BitReader reader(bytes, begin);
    for (; end - begin > 64; begin += 64) put(reader.get(64), 64);
    put(reader.get(static_cast<unsigned>(end - begin)), static_cast<unsigned>(end - begin));
  }

  // The bytes written since reset(), the last one filled up with zeros. Valid until the next put() or
  // reset().
  std::span<const uint8_t> finish() {
    words_[full_words_] = accumulator_;
    const size_t bytes = full_words_ * 8 + (fill_ + 7) / 8;
    return {reinterpret_cast<const uint8_t*>(words_.data()), bytes};
  }

  // After finish(): replaces `bits` bits from `position` on. Precondition: they were written; value < 2^bits.
  void overwrite(size_t position, uint64_t value, unsigned bits) {
    const size_t word = position / 64;
    const auto shift = static_cast<unsigned>(position % 64);
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    words_[word] = (words_[word] & ~(mask << shift)) | (value << shift);
    if (shift + bits > 64)
      words_[word + 1] = (words_[word + 1] & ~(mask >> (64 - shift))) | (value >> (64 - shift));
  }

 private:
  void push() {
    words_[full_words_++] = accumulator_;
    if (full_words_ + 1 + kBitSlack / 8 >= words_.size()) words_.resize(words_.size() * 2);
  }

  std::vector<uint64_t> words_;
  size_t full_words_ = 0;
  uint64_t accumulator_ = 0;
  unsigned fill_ = 0;  // bits in the accumulator, always < 64
};

}  // namespace fenceline
