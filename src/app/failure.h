// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every kind of failure (env/errors.h) has one exit status and one form of message. This is where they meet.
#pragma once

#include <string>

#include "app/exit_status.h"

namespace fenceline {

struct Failure {
  ExitStatus status = kExitBug;
  std::string message;  // ends in a newline
};

// Call it in a catch block: what the exception has to say, and the exit status that goes with it.
Failure failure_at_hand();

// The same, and the message is printed.
int explain_failure();

}  // namespace fenceline
