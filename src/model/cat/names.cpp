// SPDX-License-Identifier: GPL-3.0-or-later
//
// Messages about unknown names. A name that herd knows and we do not support is distinguished from
// a misspelt one, for which the nearest known name is the hint.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/cat/elaborator.h"
#include "model/cat/spelling.h"

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

// Most complaints are about definitions that are never used, so the hint is never seen.
constexpr size_t kMostHints = 200;

}  // namespace

void Elaborator::complain_unknown(const std::string& name, const Position& position,
                                  Environment environment) {
  const bool only_herd = std::find(kOnlyHerd.begin(), kOnlyHerd.end(), name) != kOnlyHerd.end();
  std::string message =
      fmt::format("'{}' is not {}", name.substr(0, 60), only_herd ? "supported" : "defined");
  NearestName nearest(name);
  if (!only_herd && hints_++ < kMostHints) {
    for (const std::string_view known : base_names()) nearest.consider(known);
    for (const std::string_view known : {"acyclic", "irreflexive", "empty", "domain", "range"})
      nearest.consider(known);
    for (Environment at = environment; at.scope != nullptr; at = at.scope->parent)
      for (const auto& [known, bound] : at.scope->names)
        if (bound.front().number < at.before) nearest.consider(known);
  }
  if (only_herd) throw NotSupported(*position.file, {{position.pos, message, ""}});
  throw UnknownName(*position.file, {{position.pos, message, nearest.hint()}});
}

}  // namespace fenceline::cat
