// SPDX-License-Identifier: GPL-3.0-or-later
//
// CLI11 splits the words; everything it would decide about values is decided by the rows of the option groups
// instead, so that a number, its range and its help cannot diverge. An option given twice counts the last
// time; lists add up.
#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "app/help.h"
#include "app/option_groups.h"
#include "env/errors.h"
#include "frontend/c/flags.h"

namespace fenceline::app {
namespace {

// Planned commands that this version does not have; the message names them instead of saying "unknown command".
constexpr std::array<std::string_view, 1> kNotBuiltYet = {"certify"};
constexpr std::array<std::string_view, 7> kBuilt = {"check", "infer",  "litmus", "reduce",
                                                    "bench", "models", "engines"};
constexpr std::string_view kCommands = "check, infer, litmus, reduce, bench, models, engines";

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Declares the option to CLI11. What it writes to is `options`, which must outlive the parsing, as the row must.
void declare(CLI::App& app, const OptionRow& row, Options& options) {
  if (row.is_flag()) {
    app.add_flag_callback(row.text.name, [&options, &row] { row.set(options, {}); });
    return;
  }
  const auto take = [&options, &row](const std::vector<std::string>& given) { row.set(options, given); };
  app.add_option_function<std::vector<std::string>>(row.text.name, take)
      ->type_name(row.text.operand)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// All of the command's.
void declare_options(CLI::App& app, OptionsOf command, Options& options) {
  for (const OptionGroup& group : option_groups())
    for (const OptionRow& row : group.rows)
      if ((row.text.commands & command) != 0) declare(app, row, options);
}

// `bench` takes the limits, the models and the engine of `check`, and two words of its own.
CLI::App* add_bench(CLI::App& app, CommandLine& line) {
  CLI::App* bench = app.add_subcommand("bench");
  bench->add_option("TABLE", line.files);
  bench->add_flag("--markdown", line.bench_markdown);
  bench->add_option("--only", line.bench_only)->delimiter(',')->allow_extra_args(false);
  constexpr std::array<std::string_view, 4> kShared = {"--timeout", "--memory", "--model", "--engine"};
  for (const OptionGroup& group : option_groups())
    for (const OptionRow& row : group.rows)
      if (contains(kShared, row.text.name) && (row.text.commands & kOfCheck) != 0)
        declare(*bench, row, line.options);
  return bench;
}

// The compiler's own way to write its flags, as options: `-include FILE`, `-std=c11`, `-fsigned-char`, `-O2`.
std::vector<std::string> without_compiler_flags(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  bool names = false;  // behind "--" there are files, whatever they are called
  for (const std::string& word : words) {
    names |= word == "--";
    if (names)
      result.push_back(word);
    else if (!result.empty() && (result.back() == "--flag" || result.back() == "--include"))
      result.push_back(word);  // an operand
    else if (word == "-include")
      result.emplace_back("--include");
    else if (word.starts_with("-std="))
      result.push_back("-" + word);
    else if (frontend::c::is_flag(word))
      result.push_back("--flag=" + word);
    else
      result.push_back(word);
  }
  return result;
}

// The first word must be a command, --help, --help-all or --version.
void require_command(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError(fmt::format("a command is missing: {}", kCommands));
  const std::string& first = words.front();
  constexpr std::array<std::string_view, 4> about_itself = {"--help", "-h", "--help-all", "--version"};
  if (contains(kBuilt, first) || contains(about_itself, first)) return;
  if (first.starts_with("-"))
    throw UsageError(fmt::format("expected a command before '{}': {}", first, kCommands));
  if (contains(kNotBuiltYet, first))
    throw UsageError(fmt::format("'{}' is not built yet; this version has {}", first, kCommands));
  throw UsageError(fmt::format("unknown command '{}'; there are {}", first, kCommands));
}

}  // namespace

std::variant<CommandLine, Notice> parse_command_line(std::vector<std::string> words) {
  require_command(words);

  CommandLine line;
  CLI::App app;
  app.set_version_flag("--version", version());
  app.set_help_all_flag("--help-all");  // of the commands that follow, too
  app.require_subcommand(1);
  CLI::App* check = app.add_subcommand("check");
  CLI::App* infer = app.add_subcommand("infer");
  CLI::App* litmus = app.add_subcommand("litmus");
  CLI::App* reduce = app.add_subcommand("reduce");
  declare_options(*check, kOfCheck, line.options);
  declare_options(*infer, kOfInfer, line.options);
  declare_options(*litmus, kOfLitmus, line.options);
  declare_options(*reduce, kOfReduce, line.options);
  check->add_option("FILE", line.files)->required();
  infer->add_option("FILE", line.files)->required();
  litmus->add_option("FILE", line.files)->required();
  reduce->add_option("FILE", line.files)->required();
  CLI::App* bench = add_bench(app, line);
  CLI::App* models = app.add_subcommand("models");
  CLI::App* engines = app.add_subcommand("engines");

  const auto command = [&]() -> std::optional<Command> {
    if (check->parsed()) return Command::kCheck;
    if (infer->parsed()) return Command::kInfer;
    if (litmus->parsed()) return Command::kLitmus;
    if (reduce->parsed()) return Command::kReduce;
    if (bench->parsed()) return Command::kBench;
    if (models->parsed()) return Command::kModels;
    if (engines->parsed()) return Command::kEngines;
    return std::nullopt;
  };
  line.words.assign(words.begin() + 1, words.end());
  if (words.front() == "check") words = without_compiler_flags(words);
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Notice{command() ? help(*command(), HelpLevel::kCommon) : help()};
  } catch (const CLI::CallForAllHelp&) {
    return Notice{command() ? help(*command(), HelpLevel::kAll) : help()};
  } catch (const CLI::CallForVersion&) {
    return Notice{version()};
  } catch (const CLI::RequiredError&) {
    throw UsageError("a FILE is missing");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  line.command = command().value();
  line.model_given = (line.command == Command::kCheck && check->count("--model") > 0) ||
                     (line.command == Command::kBench && bench->count("--model") > 0);
  if (line.options.quiet && line.options.verbose)
    throw UsageError("--quiet and --verbose contradict each other");
  return line;
}

}  // namespace fenceline::app
