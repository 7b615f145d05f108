// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exit statuses. The numbers from 64 on are those of sysexits.h; all of them are part of the interface and
// are listed by `--help`.
#pragma once

namespace fenceline::app {

enum ExitStatus : int {
  kExitVerified = 0,
  kExitViolated = 1,
  kExitUnknown = 2,
  kExitUsage = 64,
  kExitInput = 65,
  kExitNoSuchFile = 66,
  kExitUnavailable = 69,  // a program that is needed (a compiler, fenceline-bench) is missing or crashed
  kExitBug = 70,
  kExitInterrupted = 130,  // by SIGINT; 128 and the number of the signal by others: 143 by SIGTERM
};

}  // namespace fenceline::app
