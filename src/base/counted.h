// SPDX-License-Identifier: GPL-3.0-or-later
//
// Counted nouns in messages: "1 state", "2 states", "1 query", "3 queries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fenceline {

// The noun in the number that goes with the count: "state", "states"; "query", "queries".
inline std::string noun(uint64_t count, std::string_view singular) {
  if (count == 1) return std::string(singular);
  const bool to_ies = singular.size() > 1 && singular.back() == 'y' &&
                      std::string_view("aeiou").find(singular[singular.size() - 2]) == std::string_view::npos;
  if (to_ies) return std::string(singular.substr(0, singular.size() - 1)) + "ies";
  return std::string(singular) + "s";
}

inline std::string counted(uint64_t count, std::string_view singular) {
  return std::to_string(count) + " " + noun(count, singular);
}

}  // namespace fenceline
