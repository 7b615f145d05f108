// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parameters of a program that the user sets on the command line.
#pragma once

#include <cstdint>

namespace fenceline::frontend {

// Of a transactional memory; 0: as in the file.
struct FrontEndParameters {
  uint64_t threads = 0;
  uint64_t variables = 0;
};

}  // namespace fenceline::frontend
