// SPDX-License-Identifier: GPL-3.0-or-later
//
// The example of many tests: correct on SC, violated on TSO and PSO, correct again with one fence and with
// two.
#pragma once

namespace fenceline {

inline constexpr const char* kPeterson = R"(shared int flag[2] = {0, 0}, turn = 0;
thread P[i in 0..1] {
  while (true) {
    flag[i] = 1;
    turn = 1 - i;
    while (flag[1-i] == 1 && turn == 1-i) { }
  cs: skip;
    flag[i] = 0;
  }
}
property mutex: never (P[0]@cs && P[1]@cs);
)";

}  // namespace fenceline
