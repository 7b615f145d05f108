// SPDX-License-Identifier: GPL-3.0-or-later
//
// Maps every kind of failure (env/errors.h) to its exit status and message.
#pragma once

#include <string>

#include "app/exit_status.h"

namespace fenceline::app {

struct Failure {
  ExitStatus status = kExitBug;
  std::string message;  // ends in a newline
};

// To be called in a catch block: the message of the exception, and its exit status.
Failure failure_at_hand();

// The same, and the message is printed.
int explain_failure();

}  // namespace fenceline::app
