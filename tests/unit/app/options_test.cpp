// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of all options: each does something, takes its own default back, and rejects the rest.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/command_line.h"
#include "app/command_options.h"
#include "app/option_groups.h"
#include "engine/numeric/options.h"
#include "env/errors.h"

namespace fenceline::app {
namespace {

std::string rejection(const OptionRow& row, const std::string& operand) {
  Options options;
  try {
    row.set(options, {operand});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionGroups, EveryRowIsSane) {
  const Options defaults;
  std::set<std::string> names;
  for (const OptionGroup& group : option_groups()) {
    EXPECT_FALSE(group.rows.empty()) << group.title;
    for (const OptionRow& row : group.rows) {
      const std::string name = row.text.name;
      SCOPED_TRACE(name);
      for (unsigned command = 0; command < 8; ++command) {  // a name may mean one thing to each command
        if ((row.text.commands >> command & 1U) == 0) continue;
        EXPECT_TRUE(names.insert(name + " of " + std::to_string(command)).second) << "twice";
      }
      EXPECT_TRUE(name.starts_with("--") || name == "-I" || name == "-D" || name == "-U");
      EXPECT_GT(std::string(row.text.help).size(), 5u);
      Options options;
      if (row.is_flag()) {
        row.set(options, {});
        EXPECT_NE(row.value(options), row.value(defaults)) << "changes nothing";
        continue;
      }
      EXPECT_NE(rejection(row, ""), "");
      if (const std::string value = row.value(defaults); !value.empty()) {
        row.set(options, {value});
        EXPECT_EQ(row.value(options), value);
      }
    }
  }
}

TEST(OptionGroups, ChoicesAreAllAndOnlyWhatIsTaken) {
  const Options defaults;
  for (const OptionGroup& group : option_groups())
    for (const OptionRow& row : group.rows) {
      if (row.choices.empty()) continue;
      SCOPED_TRACE(row.text.name);
      const std::string why = rejection(row, "no-such-word");
      for (const std::string& word : row.choices) {
        Options options;
        row.set(options, {"no-such-word", word});  // the last one counts
        EXPECT_EQ(row.value(options), word);
        EXPECT_NE(why.find(word), std::string::npos) << why;
        EXPECT_NE(std::string(row.text.help).find(word), std::string::npos) << row.text.help;
      }
      EXPECT_NE(row.value(defaults), "");
    }
}

Options parsed_options(std::vector<std::string> words) {
  return std::get<CommandLine>(parse_command_line(std::move(words))).options;
}

TEST(OptionGroups, WordsAreParsedOnce) {
  const Options options =
      parsed_options({"check", "x.fl", "--domain", "boxes", "--certify", "never", "--slots", "3"});
  EXPECT_EQ(options.of<numeric::NumericOptions>().domain, numeric::NumericDomain::kBoxes);
  EXPECT_EQ(options.certify, Certify::kNever);
  EXPECT_EQ(options.of<numeric::NumericOptions>().slots, 3U);
  EXPECT_EQ(options.of<ReduceOptions>().slots, 0U);
  const Options infer = parsed_options({"infer", "x.fl", "--positions", "all", "--method", "foil"});
  EXPECT_EQ(infer.of<InferOptions>().positions, synth::Positions::kAll);
  EXPECT_EQ(to_string(infer.of<InferOptions>().method), "foil");
  EXPECT_THROW(parsed_options({"infer", "x.fl", "--positions", "some"}), UsageError);
  EXPECT_THROW(parsed_options({"check", "x.fl", "--domain", "spheres"}), UsageError);
  EXPECT_THROW(parsed_options({"check", "x.fl", "--arrays", "crushed"}), UsageError);
  EXPECT_THROW(parsed_options({"check", "x.fl", "--abstraction", "fd9"}), UsageError);
}

}  // namespace
}  // namespace fenceline::app
