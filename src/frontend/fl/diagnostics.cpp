// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/fl/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

namespace fenceline::frontend::fl {
namespace {

// How many letters must be changed, added, dropped or swapped with their neighbour; `limit` + 1 if more.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<size_t> two_above, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two_above = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

void Diagnostics::error(SourcePos pos, std::string message, std::string hint) {
  if (!complained_.insert(pos).second) return;
  diagnostics_.push_back({pos, std::move(message), std::move(hint)});
  if (diagnostics_.size() >= kMaxDiagnostics) throw StopReading{};
}

void Diagnostics::fatal(SourcePos pos, std::string message, std::string hint) {
  error(pos, std::move(message), std::move(hint));
  throw StopReading{};
}

void Diagnostics::raise() {
  require(any(), "nothing to complain about");
  std::ranges::stable_sort(diagnostics_, {}, &Diagnostic::pos);
  throw InputError(file_, std::move(diagnostics_));
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr size_t kLongest = 64, kMost = 5000;  // a hint is not worth more time than that
  if (name.size() > kLongest) return {};
  std::string_view best;
  size_t best_distance = name.size() <= 3 ? 1 : 2;
  for (const std::string_view candidate : std::span(candidates).first(std::min(kMost, candidates.size()))) {
    if (candidate == name || candidate.empty()) continue;
    const size_t distance =
        same_but_for_case(name, candidate) ? 0 : edit_distance(name, candidate, best_distance);
    // A one-letter name is one edit away from every other one-letter name.
    if (distance > 0 && std::min(name.size(), candidate.size()) == 1) continue;
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format("did you mean '{}'?", best);
}

}  // namespace fenceline::frontend::fl
