// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace fenceline {

// What users include (`fenceline.h`), and the headers that replace the C++ library's own where these depend
// on how threads are implemented. The texts lie in include/ and are part of the program.
struct OwnHeader {
  std::string_view name;
  std::string_view text;
};

std::span<const OwnHeader> own_headers();

}  // namespace fenceline
