// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cat/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace fenceline::cat {
namespace {

constexpr size_t kLongest = 40;

// How many letters must be inserted, removed or changed; names are short.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

NearestName::NearestName(std::string_view wanted) : wanted_(wanted), best_(wanted.size() < 4 ? 2 : 3) {}

void NearestName::consider(std::string_view known) {
  if (wanted_.size() > kLongest || known.size() > wanted_.size() + 2 || wanted_.size() > known.size() + 2)
    return;
  const size_t d = distance(wanted_, known);
  if (d > best_ || (d == best_ && (nearest_.empty() || nearest_ <= known))) return;
  best_ = d;
  nearest_ = known;
}

std::string NearestName::hint() const {
  return nearest_.empty() ? "" : fmt::format("did you mean '{}'?", nearest_);
}

}  // namespace fenceline::cat
