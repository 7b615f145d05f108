// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace fenceline {

// `verified` is a proof, `violated` comes with a replayed trace, `unknown` comes with a reason.
enum class Verdict { kVerified, kViolated, kUnknown };

constexpr std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kVerified:
      return "verified";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace fenceline
