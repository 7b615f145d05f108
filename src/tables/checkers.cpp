// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/checkers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/installed_program.h"
#include "frontend/c/process.h"

namespace fenceline::tables {
namespace {

using Command = std::optional<std::vector<std::string>>;
using frontend::c::Finished;

constexpr double kGrace = 30;              // for a program that keeps its limit itself
constexpr uint64_t kAnyAddress = 0;        // Java and sanitizers reserve much more than they use
constexpr std::string_view kUnroll = "8";  // for programs that only unroll loops

struct ModelName {
  std::string_view ours, theirs;
};

template <size_t Count>
std::optional<std::string_view> translated(const std::array<ModelName, Count>& names,
                                           std::string_view model) {
  for (const ModelName& name : names)
    if (name.ours == model) return name.theirs;
  return std::nullopt;
}

// GenMC 0.11.
Command genmc(const CheckedFile& file, std::string_view model) {
  constexpr std::array kModels = {ModelName{"sc", "--sc"}, ModelName{"tso", "--tso"},
                                  ModelName{"rc11", "--rc11"}};
  const auto option = translated(kModels, model);
  if (!option) return std::nullopt;
  return {{"genmc", std::string(*option), "--disable-estimation", "--", "-D" + file.parameter, file.path}};
}

// Nidhugg 0.4; its model ARM is not ARMv8's.
Command nidhugg(const CheckedFile& file, std::string_view model) {
  constexpr std::array kModels = {ModelName{"sc", "-sc"}, ModelName{"tso", "-tso"}, ModelName{"pso", "-pso"}};
  const auto option = translated(kModels, model);
  if (!option) return std::nullopt;
  return {{"nidhuggc", "-std=gnu11", "-D" + file.parameter, "--", std::string(*option), file.path}};
}

// Dartagnan 4, with its models where its documentation has them. The flags of its compiler are in the environment.
Command dartagnan(const CheckedFile& file, std::string_view model) {
  constexpr std::array kModels = {ModelName{"sc", "sc"},         ModelName{"tso", "tso"},
                                  ModelName{"armv8", "aarch64"}, ModelName{"power", "power"},
                                  ModelName{"riscv", "riscv"},   ModelName{"rc11", "rc11"}};
  constexpr std::array kTargets = {ModelName{"sc", "c11"},      ModelName{"tso", "tso"},
                                   ModelName{"armv8", "arm8"},  ModelName{"power", "power"},
                                   ModelName{"riscv", "riscv"}, ModelName{"rc11", "c11"}};
  const auto name = translated(kModels, model), target = translated(kTargets, model);
  if (!name || !target) return std::nullopt;
  const char* home = std::getenv("DAT3M_HOME");
  const std::string folder = home == nullptr ? "." : home;
  return {{"env", fmt::format("CFLAGS=-I{}/include -D{}", folder, file.parameter), "dartagnan",
           fmt::format("{}/cat/{}.cat", folder, *name), fmt::format("--target={}", *target),
           "--property=program_spec,cat_spec", fmt::format("--bound={}", kUnroll), file.path}};
}

// CBMC 6. Its success is one within the bound, since spin loops can iterate more often.
Command cbmc(const CheckedFile& file, std::string_view model) {
  constexpr std::array kModels = {ModelName{"sc", "sc"}, ModelName{"tso", "tso"}, ModelName{"pso", "pso"}};
  const auto name = translated(kModels, model);
  if (!name) return std::nullopt;
  return {{"cbmc", "--mm", std::string(*name), "--unwind", std::string(kUnroll), "--no-unwinding-assertions",
           "-D", file.parameter, file.path}};
}

constexpr std::array kCheckers = {
    Checker{"genmc", "genmc", genmc, "No errors were detected",
            "Error: ", "Number of complete executions explored:"},
    Checker{"nidhugg", "nidhuggc", nidhugg, "No errors were detected", "Error detected", "Trace count:"},
    Checker{"dartagnan", "dartagnan", dartagnan, "result PASS", "result FAIL", ""},
    Checker{"cbmc", "cbmc", cbmc, "VERIFICATION SUCCESSFUL", "VERIFICATION FAILED", ""},
};

bool installed(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  return false;
}

void add_usage(const Finished& finished, CheckerCell& cell) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  cell.seconds = seconds(finished.used.ru_utime) + seconds(finished.used.ru_stime);
  cell.megabytes = static_cast<double>(finished.used.ru_maxrss) / 1024;
}

std::string without(std::string text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

std::string text_of(const nlohmann::json& result, const char* field) {
  const nlohmann::json& value = result.at(field);
  return value.is_string() ? value.get<std::string>() : "";
}

// The results of all properties as one: violated if one is, verified if all are.
void read_results(const nlohmann::json& results, CheckerCell& cell) {
  cell.verdict = results.empty() ? "- (no result)" : "verified";
  for (const nlohmann::json& result : results) {
    const std::string verdict = text_of(result, "verdict");
    cell.engine = text_of(result, "engine");
    const nlohmann::json& statistics = result.at("statistics");
    if (statistics.contains("executions"))
      cell.executions = cell.executions.value_or(0) + statistics.at("executions").get<uint64_t>();
    if (verdict == "verified") {
      cell.note = text_of(result, "not_covered");
      if (!result.at("vacuous").is_null()) cell.note = "the proof is vacuous";
      if (!cell.note.empty()) cell.verdict = "verified*";
      continue;
    }
    const bool violated = verdict == "violated";
    cell.verdict = violated ? verdict : fmt::format("- ({})", text_of(result, "unknown_reason"));
    cell.note = violated ? "" : text_of(result, "reason");
    if (!violated) {  // a number of executions so far would be mistaken for all of them
      cell.engine.clear();
      cell.executions.reset();
    }
    return;
  }
}

// From what it has printed; neither word, or both: no verdict.
CheckerCell read_output(const Checker& checker, std::string_view output) {
  CheckerCell cell;
  const bool correct = output.find(checker.correct) != std::string_view::npos;
  const bool incorrect = output.find(checker.incorrect) != std::string_view::npos;
  if (correct != incorrect) cell.verdict = correct ? "verified" : "violated";
  if (checker.executions.empty()) return cell;
  const size_t at = output.find(checker.executions);
  if (at == std::string_view::npos) return cell;
  const size_t digits = output.find_first_not_of(' ', at + checker.executions.size());
  uint64_t count = 0;
  if (digits != std::string_view::npos &&
      std::from_chars(output.data() + digits, output.data() + output.size(), count).ec == std::errc())
    cell.executions = count;
  return cell;
}

}  // namespace

CheckerCell check_by_fenceline(const CheckedFile& file, std::string_view model, const Options& options) {
  std::vector<std::string> command = {app::installed_program("fenceline", "the table"),
                                      "check",
                                      "--quiet",
                                      "--json",
                                      "-",
                                      "--model",
                                      std::string(model),
                                      "--engine",
                                      options.engine,
                                      "--timeout",
                                      fmt::format("{}", options.timeout),
                                      "--memory",
                                      std::to_string(options.memory_mb),
                                      "-D",
                                      file.parameter};
  if (file.frees) command.emplace_back("--frees");
  command.push_back(file.path);
  const Finished finished = frontend::c::run_program(command, "", options.timeout + kGrace, kAnyAddress);
  CheckerCell cell;
  const nlohmann::json answer = nlohmann::json::parse(finished.out, nullptr, false);
  if (finished.too_long || !answer.is_object()) {
    cell.verdict = finished.too_long ? "- (limit)" : fmt::format("- (exit status {})", finished.status);
    cell.note = finished.err.substr(0, finished.err.find('\n'));
    return cell;
  }
  add_usage(finished, cell);
  read_results(answer.at("results"), cell);
  cell.note = without(cell.note, file.path.substr(0, file.path.rfind('/') + 1));
  return cell;
}

std::vector<Checker> installed_checkers() {
  std::vector<Checker> found;
  for (const Checker& checker : kCheckers)
    if (installed(checker.program)) found.push_back(checker);
  return found;
}

CheckerCell check_by(const Checker& checker, const CheckedFile& file, std::string_view model,
                     double seconds) {
  CheckerCell cell;
  const Command command = checker.command(file, model);
  if (!command) {
    cell.verdict = "- (no such model)";
    return cell;
  }
  const Finished finished = frontend::c::run_program(*command, "", seconds, kAnyAddress);
  if (finished.too_long) {
    cell.verdict = "- (limit)";
    return cell;
  }
  cell = read_output(checker, finished.out + finished.err);
  if (cell.verdict == "-") cell.verdict = fmt::format("- (exit status {})", finished.status);
  add_usage(finished, cell);
  return cell;
}

}  // namespace fenceline::tables
