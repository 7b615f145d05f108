// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/coherence/options.h"

#include <string>

namespace fenceline::coherence {
namespace {

std::string print_chosen(const std::optional<buffer::Abstraction>& abstraction) {
  return abstraction ? buffer::to_string(*abstraction) : "auto";
}

}  // namespace

buffer::Abstraction CoherenceOptions::chosen(buffer::Abstraction otherwise) const {
  buffer::Abstraction result = abstraction.value_or(otherwise);
  result.values = buffer_values;
  return result;
}

std::optional<buffer::Abstraction> parse_chosen_abstraction(std::string_view name) {
  if (name == "auto") return std::nullopt;
  return buffer::parse_abstraction(name);
}

OptionGroup coherence_options() {
  using Values = buffer::Abstraction::Values;
  return {
      "Coherence engine",
      {
          parsed<std::optional<buffer::Abstraction>>(
              {"--abstraction", "A",
               "set, fdK or pdK (K: how many stores are kept in order); auto: "
               "fd0, fd1, ... until one decides",
               kOfBoth},
              &CoherenceOptions::abstraction, parse_chosen_abstraction, print_chosen),
          choice(
              {"--buffer-values", "V", "exact, intervals or parity; abstraction of pending values", kOfBoth},
              &CoherenceOptions::buffer_values,
              {{"exact", Values::kExact}, {"intervals", Values::kIntervals}, {"parity", Values::kParity}}),
          whole_number({"--max-order", "K", "where auto stops raising K", kOfBoth},
                       &CoherenceOptions::max_order, 0, buffer::kMaxOrder),
      }};
}

}  // namespace fenceline::coherence
