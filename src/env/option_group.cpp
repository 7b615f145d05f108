// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/option_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "env/errors.h"

namespace fenceline {
namespace {

template <typename Number>
Number parse_number(const OptionText& option, const std::string& text, std::string_view kind, Number min,
                    Number max) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty() || !std::isfinite(static_cast<double>(value)) ||
      value < min || value > max)
    throw UsageError(fmt::format("{}: '{}' is not {} from {:.0f} to {:.0f}", option.name, text, kind,
                                 static_cast<double>(min), static_cast<double>(max)));
  return value;
}

// Adds the names of "a,b,c" to the list, each once.
void add_names(const OptionText& option, const std::string& text, std::vector<std::string>& names) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty()) throw UsageError(fmt::format("{}: an empty name in '{}'", option.name, text));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    begin = end + 1;
  }
}

// "neither a nor b", "neither a, b nor c", "none of a, b, c and d".
std::string none_of(const std::vector<std::string>& words) {
  const std::vector<std::string> but_last(words.begin(), words.end() - 1);
  return words.size() <= 3 ? fmt::format("neither {} nor {}", fmt::join(but_last, ", "), words.back())
                           : fmt::format("none of {} and {}", fmt::join(but_last, ", "), words.back());
}

}  // namespace

const std::string& last_operand(const OptionText& text, const std::vector<std::string>& operands) {
  if (operands.back().empty()) throw UsageError(fmt::format("{}: the operand is empty", text.name));
  return operands.back();
}

size_t index_of_choice(const OptionText& text, const std::vector<std::string>& words,
                       const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw UsageError(fmt::format("{}: '{}' is {}", text.name, word, none_of(words)));
  return static_cast<size_t>(found - words.begin());
}

OptionRow flag(OptionText text, OptionField<bool> field, bool value) {
  return {text,
          {},
          [to = std::move(field.to), value](Options& options, const std::vector<std::string>&) {
            to(options) = value;
          },
          [from = std::move(field.from)](const Options& options) { return from(options) ? "on" : "off"; }};
}

OptionRow whole_number(OptionText text, OptionField<uint64_t> field, uint64_t min, uint64_t max) {
  return {
      text,
      {},
      [text, to = std::move(field.to), min, max](Options& options, const std::vector<std::string>& operands) {
        to(options) = parse_number(text, operands.back(), "a whole number", min, max);
      },
      [from = std::move(field.from)](const Options& options) { return fmt::format("{}", from(options)); }};
}

OptionRow real_number(OptionText text, OptionField<double> field, double min, double max) {
  return {
      text,
      {},
      [text, to = std::move(field.to), min, max](Options& options, const std::vector<std::string>& operands) {
        to(options) = parse_number(text, operands.back(), "a number", min, max);
      },
      [from = std::move(field.from)](const Options& options) { return fmt::format("{}", from(options)); }};
}

OptionRow word(OptionText text, OptionField<std::string> field) {
  return {text,
          {},
          [text, to = std::move(field.to)](Options& options, const std::vector<std::string>& operands) {
            to(options) = last_operand(text, operands);
          },
          [from = std::move(field.from)](const Options& options) { return from(options); }};
}

OptionRow names(OptionText text, OptionField<std::vector<std::string>> field) {
  return {text,
          {},
          [text, to = std::move(field.to)](Options& options, const std::vector<std::string>& operands) {
            std::vector<std::string> all;
            for (const std::string& operand : operands) add_names(text, operand, all);
            to(options) = std::move(all);
          },
          [from = std::move(field.from)](const Options& options) {
            return fmt::format("{}", fmt::join(from(options), ","));
          }};
}

OptionRow texts(OptionText text, OptionField<std::vector<std::string>> field) {
  return {text,
          {},
          [text, to = std::move(field.to)](Options& options, const std::vector<std::string>& operands) {
            for (const std::string& operand : operands)
              if (operand.empty()) throw UsageError(fmt::format("{}: the operand is empty", text.name));
            to(options) = operands;
          },
          [from = std::move(field.from)](const Options& options) {
            return fmt::format("{}", fmt::join(from(options), " "));
          }};
}

}  // namespace fenceline
