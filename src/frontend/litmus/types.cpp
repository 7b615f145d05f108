// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/litmus/types.h"

#include <algorithm>
#include <array>
#include <optional>

namespace fenceline::frontend::litmus {
namespace {

struct Word {
  std::string_view name;
  uint8_t bytes;  // 0: the word does not determine it
  bool is_unsigned;
};

constexpr std::array kWords = {
    Word{"int", 4, false},      Word{"long", 8, false},     Word{"short", 2, false},
    Word{"char", 1, false},     Word{"unsigned", 0, true},  Word{"signed", 0, false},
    Word{"void", 0, false},     Word{"volatile", 0, false}, Word{"const", 0, false},
    Word{"_Atomic", 0, false},  Word{"register", 0, false}, Word{"auto", 0, false},
    Word{"bool", 1, true},      Word{"_Bool", 1, true},     Word{"intptr_t", 8, false},
    Word{"uintptr_t", 8, true}, Word{"size_t", 8, true},    Word{"int8_t", 1, false},
    Word{"int16_t", 2, false},  Word{"int32_t", 4, false},  Word{"int64_t", 8, false},
    Word{"uint8_t", 1, true},   Word{"uint16_t", 2, true},  Word{"uint32_t", 4, true},
    Word{"uint64_t", 8, true},  Word{"atomic_t", 4, false}, Word{"atomic64_t", 8, false},
    Word{"uint", 4, true},      Word{"ulong", 8, true},     Word{"ushort", 2, true},
    Word{"uchar", 1, true},     Word{"schar", 1, false},    Word{"llong", 8, false},
    Word{"ullong", 8, true},
};

std::optional<Word> find(std::string_view name) {
  const auto* known =
      std::find_if(kWords.begin(), kWords.end(), [name](const Word& word) { return word.name == name; });
  if (known != kWords.end()) return *known;
  constexpr std::string_view kAtomic = "atomic_";
  if (name.starts_with(kAtomic)) return find(name.substr(kAtomic.size()));
  return std::nullopt;
}

}  // namespace

bool is_type_word(std::string_view word) {
  // Of C, these are types only behind `atomic_`.
  static constexpr std::array<std::string_view, 7> kSuffixes = {"uint",  "ulong", "ushort", "uchar",
                                                                "schar", "llong", "ullong"};
  return find(word).has_value() && std::find(kSuffixes.begin(), kSuffixes.end(), word) == kSuffixes.end();
}

void TypeWords::word(std::string_view word) {
  const std::optional<Word> known = find(word);
  if (!known) return;
  seen_ = true;
  unsigned_ = unsigned_ || known->is_unsigned;
  void_ = void_ || word == "void";
  // "long int" is a long, "short int" a short.
  if (known->bytes != 0 && (bytes_ == 0 || known->name != "int")) bytes_ = known->bytes;
}

ValueType TypeWords::type() const {
  const bool an_int = seen_ && bytes_ == 0 && !void_;  // "unsigned", "volatile", "_Atomic"
  return {an_int ? uint8_t{4} : bytes_, unsigned_, pointers_};
}

}  // namespace fenceline::frontend::litmus
