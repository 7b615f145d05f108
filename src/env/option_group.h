// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line's side of options: a row for each, with its name, operand, help and the field that it sets.
// A group is the rows of one part, declared beside the struct they fill (`numeric_options()` in
// engine/numeric/options.h). app/option_groups.cpp collects them; the command line, its validation and the help
// texts are made from that.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/options.h"

namespace fenceline {

// Commands that take options, as bits of a set.
enum OptionsOf : unsigned {
  kOfCheck = 1,
  kOfInfer = 2,
  kOfBoth = 3,
  kOfLitmus = 4,
  kOfAll = 7,
  kOfReduce = 8
};

enum class OptionLevel : uint8_t {
  kCommon,
  kExpert,  // shown by --help-all only
};

struct OptionText {
  const char* name;     // "--jobs"
  const char* operand;  // "N"; empty for flags
  const char* help;
  OptionsOf commands = kOfCheck;
  OptionLevel level = OptionLevel::kExpert;
};

struct OptionRow {
  OptionText text;
  std::vector<std::string> choices;  // the words that are understood; empty: there is no such list
  // `operands`: as given, in their order, at least one; none for flags. Throws UsageError.
  std::function<void(Options&, const std::vector<std::string>& operands)> set;
  // The present value, as it would be written; flags: "on" or "off" (of the field, which a flag may clear).
  std::function<std::string(const Options&)> value;

  bool is_flag() const { return *text.operand == '\0'; }
};

// An option may have several rows, for different commands.
struct OptionGroup {
  const char* title;  // "Numeric engine"
  std::vector<OptionRow> rows;
};

// The options that all parts share.
OptionGroup common_options();

// ---- Rows. The field is a member of Options or of the struct of a group.

template <typename Group>
Group& group_in(Options& options) {
  if constexpr (std::is_same_v<Group, Options>)
    return options;
  else
    return options.of<Group>();
}
template <typename Group>
const Group& group_in(const Options& options) {
  if constexpr (std::is_same_v<Group, Options>)
    return options;
  else
    return options.of<Group>();
}

template <typename T>
struct OptionField {
  std::function<T&(Options&)> to;
  std::function<const T&(const Options&)> from;

  template <typename Group>
  OptionField(T Group::*member)  // NOLINT(google-explicit-constructor): a member is how a field is named
      : to([member](Options& options) -> T& { return group_in<Group>(options).*member; }),
        from([member](const Options& options) -> const T& { return group_in<Group>(options).*member; }) {}
};

// Sets the field to `value`.
OptionRow flag(OptionText text, OptionField<bool> field, bool value = true);
OptionRow whole_number(OptionText text, OptionField<uint64_t> field, uint64_t min, uint64_t max);
OptionRow real_number(OptionText text, OptionField<double> field, double min, double max);
OptionRow word(OptionText text, OptionField<std::string> field);  // the name of a file, an engine, ...
OptionRow names(OptionText text, OptionField<std::vector<std::string>> field);  // "a,b": two of them
OptionRow texts(OptionText text, OptionField<std::vector<std::string>> field);  // each operand as it is

// What `parse` makes of the last operand, which is not empty; it throws UsageError. `print` is its inverse.
template <typename T>
OptionRow parsed(OptionText text, OptionField<T> field, T (*parse)(std::string_view),
                 std::string (*print)(const T&));

template <typename T>
struct Choice {
  const char* word;
  T value;
};

// One of a few words, each with its value; the default is one of them.
template <typename T, typename Group>
OptionRow choice(OptionText text, T Group::*member, std::vector<std::type_identity_t<Choice<T>>> choices);

// ---- Details

const std::string& last_operand(const OptionText& text,
                                const std::vector<std::string>& operands);  // not empty
// The index of the word. Throws UsageError, naming all, for others.
size_t index_of_choice(const OptionText& text, const std::vector<std::string>& words,
                       const std::string& word);

template <typename T>
OptionRow parsed(OptionText text, OptionField<T> field, T (*parse)(std::string_view),
                 std::string (*print)(const T&)) {
  return {
      text,
      {},
      [text, to = std::move(field.to), parse](Options& options, const std::vector<std::string>& operands) {
        to(options) = parse(last_operand(text, operands));
      },
      [from = std::move(field.from), print](const Options& options) { return print(from(options)); }};
}

template <typename T, typename Group>
OptionRow choice(OptionText text, T Group::*member, std::vector<std::type_identity_t<Choice<T>>> choices) {
  std::vector<std::string> words;
  for (const Choice<T>& one : choices) words.emplace_back(one.word);
  OptionRow row{text, words, {}, {}};
  row.set = [text, words, member, choices](Options& options, const std::vector<std::string>& operands) {
    group_in<Group>(options).*member =
        choices[index_of_choice(text, words, last_operand(text, operands))].value;
  };
  row.value = [member, choices](const Options& options) -> std::string {
    for (const Choice<T>& one : choices)
      if (one.value == group_in<Group>(options).*member) return one.word;
    return "";
  };
  return row;
}

}  // namespace fenceline
