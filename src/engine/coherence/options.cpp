// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/coherence/options.h"

#include <string>

namespace fenceline {
namespace {

std::string print_chosen(const std::optional<Abstraction>& abstraction) {
  return abstraction ? to_string(*abstraction) : "auto";
}

}  // namespace

Abstraction CoherenceOptions::chosen(Abstraction otherwise) const {
  Abstraction result = abstraction.value_or(otherwise);
  result.values = buffer_values;
  return result;
}

std::optional<Abstraction> parse_chosen_abstraction(std::string_view name) {
  if (name == "auto") return std::nullopt;
  return parse_abstraction(name);
}

OptionGroup coherence_options() {
  using Values = Abstraction::Values;
  return {
      "Coherence engine",
      {
          parsed<std::optional<Abstraction>>({"--abstraction", "A",
                                              "set, fdK or pdK (K: how many stores are kept in order); auto: "
                                              "fd0, fd1, ... until one decides",
                                              kOfBoth},
                                             &CoherenceOptions::abstraction, parse_chosen_abstraction,
                                             print_chosen),
          choice(
              {"--buffer-values", "V", "exact, intervals or parity; abstraction of pending values", kOfBoth},
              &CoherenceOptions::buffer_values,
              {{"exact", Values::kExact}, {"intervals", Values::kIntervals}, {"parity", Values::kParity}}),
          whole_number({"--max-order", "K", "where auto stops raising K", kOfBoth},
                       &CoherenceOptions::max_order, 0, kMaxOrder),
      }};
}

}  // namespace fenceline
