// SPDX-License-Identifier: GPL-3.0-or-later
//
// A hash for short byte strings: a word at a time, multiply and fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fenceline {

inline uint64_t hash_bytes(const uint8_t* bytes, size_t size) {
  uint64_t hash = size;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    mix(word);
  }
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  mix(word);
  return hash;
}

}  // namespace fenceline
