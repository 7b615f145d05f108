// SPDX-License-Identifier: GPL-3.0-or-later
//
// For the tests of the certificate checker: small programs with a bit of everything.
#pragma once

#include "unit/check/statespace/certificate_case.h"

namespace fenceline::testing {

inline const char* const kStraight[] = {
    "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int r; y = 1; r = x; }",
    "shared int x, y; thread P { x = 1; sfence; y = 1; } thread Q { int r, s; r = y; s = x; }",
    "shared int x, y; thread P { x = 1; x = 2; sfence; y = 1; x = 3; sfence; y = 2; }"
    "thread Q { int r, s; r = y; s = x; }",
    "shared int x, y; thread P { int r; x = 1; fence(store-load); y = 1; r = y; x = 2; r = xchg(x, 3); }",
    "shared int x, y; thread P { int r; y = 1; r = fetch_add(x, 1); sfence; x = 5; r = cas(y, 1, 2); }"
    "thread Q { int r; r = xchg(y, 7); }",
    "shared int x, y; thread P { int r; x = 1; y = 1; r = y; sync; x = 2; }"
    "thread Q { int r; y = 2; sync; r = x; y = 3; }",
    "shared int x, y; thread P { int r; y = 1; atomic { r = x; x = r + 1; } atomic { r = y; } x = 4; fence; }"
    "thread Q { atomic { x = 3; assume(y == 0); } y = 2; }",
    "shared int a[3]; thread P { int r; havoc r in 0..3; a[r] = 1; choose { r = a[0]; } or { a[1] = 2; } }"
    "thread Q { int 0..1 s; s = a[1]; assert(s == 0); await(a[0] == 1); assume(a[1] == 2); s = a[1]; }",
};
inline const char* const kLooping[] = {
    "shared int x; thread P { while (true) { x = 1; x = 2; } } thread Q { int r; while (true) { r = x; } }",
    "shared int x, y; thread P { int r; while (true) { x = 1; r = y; x = 0; } }"
    "thread Q { while (true) { y = 1; y = 2; } }",
    "shared int x, y; thread P { while (true) { x = 1; x = 0; } }"
    "thread Q { int r; while (true) { y = 1; sync; r = x; y = 0; } }",
    "shared int x, y; thread P { while (true) { x = 1; sfence; y = 1; sfence; x = 0; y = 0; } }",
    "shared int x, y, z; thread P { while (true) { choose { x = 1; } or { y = 1; } or { sfence; } } }",
    "shared int x, y; thread P { int r; while (true) { choose { x = 1; } or { x = 2; } or { y = 1; } or"
    "{ fence(store-load); } or { sfence; } or { r = x; } or { r = xchg(x, 0); } or { fence; } } }",
    "shared int x, y; thread P { int r; while (true) { choose { x = 1; y = 1; } or { sfence; } or"
    "{ atomic { r = x; y = 2; } } or { r = cas(y, 1, 0); } } }",
    "shared int x; thread P { int 0..1 r; while (true) { choose { x = 1; } or { x = 2; } or { r = x; } } }",
};
inline const char* const kModels[] = {"sc", "tso", "pso"};

// With a property that holds everywhere, so that only closure is at stake.
inline Case make_case(const std::string& text, const char* model) {
  return parse(text + " property p: finally (1);", model);
}

}  // namespace fenceline::testing
