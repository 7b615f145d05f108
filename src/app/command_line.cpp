// SPDX-License-Identifier: GPL-3.0-or-later
//
// CLI11 splits the words; everything it would decide about values is decided here from the option table
// instead, so that a number, its range and its help cannot drift apart. An option given twice counts the last
// time; lists add up.
#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "app/help.h"
#include "domain/buffer/abstraction.h"
#include "env/errors.h"

namespace fenceline {
namespace {

// Commands of the design that this version does not have. Saying so is kinder than "unknown command".
constexpr std::array<std::string_view, 1> kNotBuiltYet = {"certify"};
constexpr std::array<std::string_view, 7> kBuilt = {"check", "infer",  "litmus", "reduce",
                                                    "bench", "models", "engines"};
constexpr std::string_view kCommands = "check, infer, litmus, reduce, bench, models, engines";

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <typename Number>
Number parse_number(const OptionSpec& spec, const std::string& text, std::string_view kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const auto as_double = static_cast<double>(value);
  if (error != std::errc() || rest != end || text.empty() || !std::isfinite(as_double) ||
      as_double < spec.min || as_double > spec.max)
    throw UsageError(
        fmt::format("{}: '{}' is not {} from {:.0f} to {:.0f}", spec.name, text, kind, spec.min, spec.max));
  return value;
}

// Adds the names of "a,b,c" to the list, each once.
void add_names(const OptionSpec& spec, const std::string& text, std::vector<std::string>& names) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty()) throw UsageError(fmt::format("{}: an empty name in '{}'", spec.name, text));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    begin = end + 1;
  }
}

// Declares the option to CLI11. What it writes to is `options`, which must outlive the parsing.
void declare(CLI::App& app, const OptionSpec& spec, Options& options) {
  if (const auto* flag = std::get_if<bool Options::*>(&spec.field)) {
    app.add_flag_callback(spec.name, [&options, &spec, field = *flag] { options.*field = !spec.negated; });
    return;
  }
  const auto take = [&options, &spec](const std::vector<std::string>& given) {
    const std::string& last = given.back();
    if (const auto* whole = std::get_if<uint64_t Options::*>(&spec.field))
      options.*(*whole) = parse_number<uint64_t>(spec, last, "a whole number");
    else if (const auto* real = std::get_if<double Options::*>(&spec.field))
      options.*(*real) = parse_number<double>(spec, last, "a number");
    else if (const auto* text = std::get_if<std::string Options::*>(&spec.field))
      options.*(*text) = last;
    else if (const auto* list = std::get_if<std::vector<std::string> Options::*>(&spec.field)) {
      (options.*(*list)).clear();
      for (const std::string& names : given) add_names(spec, names, options.*(*list));
    }
    if (last.empty()) throw UsageError(fmt::format("{}: the operand is empty", spec.name));
  };
  app.add_option_function<std::vector<std::string>>(spec.name, take)
      ->type_name(spec.operand)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// `bench` takes the limits of the option table, and two words of its own.
CLI::App* add_bench(CLI::App& app, CommandLine& line) {
  CLI::App* bench = app.add_subcommand("bench");
  bench->add_option("TABLE", line.files);
  bench->add_flag("--markdown", line.bench_markdown);
  bench->add_option("--only", line.bench_only)->delimiter(',')->allow_extra_args(false);
  constexpr std::array<std::string_view, 2> kLimits = {"--timeout", "--memory"};
  for (const OptionSpec& spec : option_table())
    if (contains(kLimits, spec.name) && (spec.commands & kOfCheck) != 0) declare(*bench, spec, line.options);
  return bench;
}

// The first word must be a command, unless it asks for help or the version.
void require_command(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError(fmt::format("a command is missing: {}", kCommands));
  const std::string& first = words.front();
  if (contains(kBuilt, first) || first == "--help" || first == "-h" || first == "--version") return;
  if (first.starts_with("-"))
    throw UsageError(fmt::format("expected a command before '{}': {}", first, kCommands));
  if (contains(kNotBuiltYet, first))
    throw UsageError(fmt::format("'{}' is not built yet; this version has {}", first, kCommands));
  throw UsageError(fmt::format("unknown command '{}'; there are {}", first, kCommands));
}

// Options whose operand is one of a few words. Only some engines look at them; a slip of the hand should not
// go unnoticed because another one answered.
void check_words(const Options& options) {
  parse_abstraction(options.abstraction == "auto" ? "set" : options.abstraction, options.buffer_values);
  if (options.certify != "always" && options.certify != "auto" && options.certify != "never")
    throw UsageError(fmt::format("--certify: '{}' is neither always, auto nor never", options.certify));
  if (options.search != "bfs" && options.search != "dfs")
    throw UsageError(fmt::format("--search: '{}' is neither bfs nor dfs", options.search));
  if (options.layout != "explicit" && options.layout != "paper")
    throw UsageError(fmt::format("--layout: '{}' is neither explicit nor paper", options.layout));
  if (options.refine != "all" && options.refine != "none")
    throw UsageError(fmt::format("--refine: '{}' is neither all nor none", options.refine));
}

}  // namespace

std::variant<CommandLine, Notice> parse_command_line(std::vector<std::string> words) {
  require_command(words);

  CommandLine line;
  CLI::App app;
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  CLI::App* check = app.add_subcommand("check");
  CLI::App* infer = app.add_subcommand("infer");
  CLI::App* litmus = app.add_subcommand("litmus");
  CLI::App* reduce = app.add_subcommand("reduce");
  for (const OptionSpec& spec : option_table()) {
    if ((spec.commands & kOfCheck) != 0) declare(*check, spec, line.options);
    if ((spec.commands & kOfInfer) != 0) declare(*infer, spec, line.options);
    if ((spec.commands & kOfLitmus) != 0) declare(*litmus, spec, line.options);
    if ((spec.commands & kOfReduce) != 0) declare(*reduce, spec, line.options);
  }
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
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Notice{command() ? help(*command()) : help()};
  } catch (const CLI::CallForVersion&) {
    return Notice{version()};
  } catch (const CLI::RequiredError&) {
    throw UsageError("a FILE is missing");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  line.command = command().value();
  line.model_given = line.command == Command::kCheck && check->count("--model") > 0;
  check_words(line.options);
  if (line.options.quiet && line.options.verbose)
    throw UsageError("--quiet and --verbose contradict each other");
  return line;
}

}  // namespace fenceline
