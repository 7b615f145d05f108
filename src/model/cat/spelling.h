// SPDX-License-Identifier: GPL-3.0-or-later
//
// The known name that is closest to one that does not exist.
#pragma once

#include <string>
#include <string_view>

namespace fenceline::cat {

// The nearest of the names it is shown, if one is near.
class NearestName {
 public:
  explicit NearestName(std::string_view wanted);
  void consider(std::string_view known);
  bool found() const { return !nearest_.empty(); }
  // "did you mean 'po'?", or empty.
  std::string hint() const;

 private:
  std::string_view wanted_;
  std::string nearest_;
  size_t best_;
};

}  // namespace fenceline::cat
