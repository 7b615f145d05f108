// SPDX-License-Identifier: GPL-3.0-or-later
//
// A literal: a variable of the formula or its opposite. Variable 1 is always true, so that constants are
// literals too and everything built from them folds away.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdlib>

namespace fenceline::sat {

struct Lit {
  int32_t code = -1;  // as SAT solvers number them: v or -v

  constexpr Lit operator!() const { return {-code}; }
  constexpr int32_t variable() const { return code < 0 ? -code : code; }
  constexpr bool constant() const { return code == 1 || code == -1; }
  friend constexpr auto operator<=>(Lit, Lit) = default;
};

inline constexpr Lit kTrue{1}, kFalse{-1};

constexpr Lit constant(bool value) { return value ? kTrue : kFalse; }

}  // namespace fenceline::sat
