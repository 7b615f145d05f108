// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the user can say about a program from outside its file.
#pragma once

#include <cstdint>

namespace fenceline {

// Of a transactional memory; 0: as many as the file says.
struct FrontEndParameters {
  uint64_t threads = 0;
  uint64_t variables = 0;
};

}  // namespace fenceline
