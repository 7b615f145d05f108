// SPDX-License-Identifier: GPL-3.0-or-later
//
// A call of an operation of a data type in a test.
#pragma once

#include <cstdint>
#include <string>

#include "ir/ids.h"

namespace fenceline {

struct OperationCall {
  std::string name;  // "d2"
  std::string call;  // "dequeue"
  ThreadId thread;
  uint32_t number = 0;  // Instruction::operation
};

}  // namespace fenceline
