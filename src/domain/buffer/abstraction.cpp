// SPDX-License-Identifier: GPL-3.0-or-later
#include "domain/buffer/abstraction.h"

#include <fmt/format.h>

#include "env/errors.h"

namespace fenceline::buffer {

Abstraction parse_abstraction(std::string_view name) {
  Abstraction abstraction;
  if (name == "set") {
    abstraction.kind = Abstraction::Kind::kSet;
    abstraction.order = 0;
    return abstraction;
  }
  const bool full = name.starts_with("fd"), partial = name.starts_with("pd");
  const bool digit = name.size() == 3 && name[2] >= '0' && name[2] < static_cast<char>('1' + kMaxOrder);
  if ((!full && !partial) || !digit)
    throw UsageError(fmt::format(
        "unknown abstraction '{}'; known: auto, set, fdK and pdK with K from 0 to {}", name, kMaxOrder));
  abstraction.kind = full ? Abstraction::Kind::kFullyDisjunctive : Abstraction::Kind::kPartiallyDisjunctive;
  abstraction.order = static_cast<unsigned>(name[2] - '0');
  return abstraction;
}

std::string to_string(const Abstraction& abstraction) {
  std::string text =
      abstraction.kind == Abstraction::Kind::kSet
          ? "set"
          : fmt::format("{}{}", abstraction.kind == Abstraction::Kind::kFullyDisjunctive ? "fd" : "pd",
                        abstraction.order);
  if (abstraction.values == Abstraction::Values::kIntervals) text += " with intervals";
  if (abstraction.values == Abstraction::Values::kParity) text += " with parity";
  return text;
}

}  // namespace fenceline::buffer
