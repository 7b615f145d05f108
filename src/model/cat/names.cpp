// SPDX-License-Identifier: GPL-3.0-or-later
//
// Complaints about names that are not known. A name that herd knows and we do not support is told apart from
// a misspelt one, for which the nearest known name is the hint.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "model/cat/elaborator.h"

namespace fenceline::cat {
namespace {

// Functions and relations that herd brings along, and that need to look into executions, or events of a kind
// that programs here do not have.
constexpr std::array<std::string_view, 21> kOnlyHerd = {"linearisations",
                                                        "classes",
                                                        "classes-loc",
                                                        "partition",
                                                        "tag2scope",
                                                        "tag2level",
                                                        "tag2events",
                                                        "tag2instrs",
                                                        "tag2fences",
                                                        "fold",
                                                        "map",
                                                        "intervals",
                                                        "delay",
                                                        "deps",
                                                        "different-values",
                                                        "at-least-one-writable",
                                                        "cross",
                                                        "iico_data",
                                                        "iico_ctrl",
                                                        "iico_order",
                                                        "rf-reg"};

// Most complaints are about definitions that nobody uses, and nobody sees the hint.
constexpr size_t kMostHints = 200;
constexpr size_t kLongestHinted = 40;

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

void Elaborator::complain_unknown(const std::string& name, const Place& place, Environment environment) {
  const bool only_herd = std::find(kOnlyHerd.begin(), kOnlyHerd.end(), name) != kOnlyHerd.end();
  std::string message =
      fmt::format("'{}' is not {}", name.substr(0, 60), only_herd ? "supported" : "defined");
  std::string nearest;
  size_t best = name.size() < 4 ? 2 : 3;
  const auto consider = [&](std::string_view known) {
    if (known.size() > name.size() + 2 || name.size() > known.size() + 2) return;
    const size_t d = distance(name, known);
    if (d < best || (d == best && !nearest.empty() && known < nearest)) {
      best = d;
      nearest = known;
    }
  };
  if (!only_herd && name.size() <= kLongestHinted && hints_++ < kMostHints) {
    for (const std::string_view known : base_names()) consider(known);
    for (Environment at = environment; at.scope != nullptr; at = at.scope->parent)
      for (const auto& [known, bound] : at.scope->names)
        if (bound.front().number < at.before) consider(known);
  }
  throw UnknownName(
      *place.file, {{place.pos, message, nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest)}});
}

}  // namespace fenceline::cat
