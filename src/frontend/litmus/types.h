// SPDX-License-Identifier: GPL-3.0-or-later
//
// Types as litmus tests write them, in initial states and in C: "volatile int", "atomic_uint", "uint64_t **".
// What matters is how many bytes a value has and whether it has a sign.
#pragma once

#include <cstdint>
#include <string_view>

namespace fenceline::frontend::litmus {

struct ValueType {
  uint8_t bytes = 0;  // 0: not known
  bool is_unsigned = false;
  uint8_t pointers = 0;  // how many '*' there are; then `bytes` and `is_unsigned` are of what they lead to

  bool is_pointer() const { return pointers > 0; }
  // What the pointer leads to; of a number nothing is known.
  ValueType pointee() const {
    if (pointers == 0) return {};
    return {bytes, is_unsigned, static_cast<uint8_t>(pointers - 1)};
  }
  // The bytes of a value of this type, where addresses have so many (0: not known).
  uint8_t size(uint8_t address_bytes) const { return is_pointer() ? address_bytes : bytes; }
  // The width of ir/expr.h's kWrap that keeps its values; 0 if there is nothing to wrap.
  int width() const {
    if (is_pointer() || bytes == 0 || bytes >= 8) return 0;
    return is_unsigned ? -8 * bytes : 8 * bytes;
  }

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

constexpr ValueType kInt{4, false, 0};

// Is it a word of a type?
bool is_type_word(std::string_view word);

// Puts a type together from its words, in any order ("long unsigned").
class TypeWords {
 public:
  void word(std::string_view word);  // words that are none are passed over
  void star() { ++pointers_; }
  bool none() const { return !seen_; }
  ValueType type() const;

 private:
  bool seen_ = false;
  bool unsigned_ = false;
  bool void_ = false;
  uint8_t bytes_ = 0;
  uint8_t pointers_ = 0;
};

}  // namespace fenceline::frontend::litmus
