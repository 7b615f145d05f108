// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every kind of failure (env/errors.h) has one exit status and one form of message. This is where they meet.
#pragma once

namespace fenceline {

// Call it in a catch block: says on stderr what the exception has to say, and returns the exit status that
// goes with it.
int explain_failure();

}  // namespace fenceline
