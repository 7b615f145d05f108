// SPDX-License-Identifier: GPL-3.0-or-later
#include "spin.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include "env/errors.h"
#include "process.h"

namespace fenceline::bench {
namespace {

constexpr uint64_t kMemoryMb = 4096;
constexpr double kCompileSeconds = 300;
// A frame of the search stack takes about 50 bytes.
constexpr uint64_t kSmallestDepth = 1'000'000;
constexpr uint64_t kLargestDepth = 30'000'000;

// The number in front of `what` in the verifier's report.
std::optional<uint64_t> number_before(const std::string& report, const std::string& what) {
  const size_t found = report.find(what);
  if (found == std::string::npos) return std::nullopt;
  size_t begin = found;
  while (begin > 0 && report[begin - 1] == ' ') --begin;
  const size_t end = begin;
  while (begin > 0 && std::string_view("0123456789.e+").find(report[begin - 1]) != std::string_view::npos)
    --begin;
  if (begin == end) return std::nullopt;
  return static_cast<uint64_t>(std::strtod(report.substr(begin, end - begin).c_str(), nullptr));
}

std::optional<uint64_t> number_after(const std::string& report, const std::string& what) {
  const size_t found = report.find(what);
  if (found == std::string::npos) return std::nullopt;
  return std::strtoull(report.c_str() + found + what.size(), nullptr, 10);
}

bool says(const ProcessResult& run, const char* what) { return run.output.find(what) != std::string::npos; }

void read_report(const ProcessResult& run, SpinResult& result) {
  result.wall_seconds = run.wall_seconds;
  result.cpu_seconds = run.cpu_seconds;
  result.peak_mb = run.peak_mb;
  result.states = number_before(run.output, "states, stored").value_or(0);
  result.transitions = number_before(run.output, "transitions (=").value_or(0);
  const std::optional<uint64_t> errors = number_after(run.output, "errors: ");
  if (run.timed_out)
    result.reason = "time limit";
  else if (errors.value_or(0) > 0)
    result.verdict = Verdict::kViolated;
  else if (says(run, "out of memory") || says(run, "reached -DMEMLIM"))
    result.reason = "memory limit";
  else if (says(run, "max search depth too small"))
    result.reason = "search depth";
  else if (run.status == 0 && errors.has_value())
    result.verdict = Verdict::kVerified;
  else
    result.reason = fmt::format("the verifier ended with status {}", run.status);
}

}  // namespace

std::vector<SpinVariant> spin_variants(bool all) {
  std::vector<SpinVariant> variants = {{"nocomp", {"-DNOCOMP"}}, {"default", {}}, {"bfs", {"-DBFS"}}};
  if (all) variants.push_back({"collapse", {"-DCOLLAPSE"}});
  return variants;
}

bool spin_installed() { return installed("spin") && installed("cc"); }

SpinModel::SpinModel(const std::string& promela) {
  std::string name = (std::filesystem::temp_directory_path() / "fenceline_bench_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  folder_ = name;
  std::ofstream(folder_ + "/model.pml") << promela;
  const ProcessResult run = run_command({"spin", "-a", "model.pml"}, folder_, 60);
  if (run.status != 0 || !std::filesystem::exists(folder_ + "/pan.c")) {
    std::filesystem::remove_all(folder_);
    throw Bug("SPIN does not take the model:\n" + run.output + promela);
  }
}

SpinModel::~SpinModel() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string SpinModel::name_of(const SpinVariant& variant, bool reduce) {
  return fmt::format("pan_{}{}", variant.name, reduce ? "" : "_full");
}

void SpinModel::compile(const std::vector<SpinVariant>& variants, bool reduce) {
  std::vector<std::future<ProcessResult>> running;
  for (const SpinVariant& variant : variants) {
    // VECTORSZ is the room for a state; SPIN's default is enough for all but models with long buffers.
    std::vector<std::string> command = {"cc",
                                        "-O2",
                                        "-w",
                                        "-DSAFETY",
                                        "-DNOFAIR",
                                        "-DNOBOUNDCHECK",
                                        "-DVECTORSZ=2048",
                                        fmt::format("-DMEMLIM={}", kMemoryMb)};
    if (!reduce) command.emplace_back("-DNOREDUCE");
    command.insert(command.end(), variant.flags.begin(), variant.flags.end());
    command.insert(command.end(), {"-o", name_of(variant, reduce), "pan.c"});
    running.push_back(std::async(std::launch::async, run_command, command, folder_, kCompileSeconds));
  }
  for (std::future<ProcessResult>& each : running) {
    const ProcessResult run = each.get();
    if (run.status != 0) throw Bug("the C compiler does not take SPIN's verifier:\n" + run.output);
  }
}

SpinResult SpinModel::run(const SpinVariant& variant, bool reduce, bool deadlocks, const SpinLimits& limits) {
  const std::string program = name_of(variant, reduce);
  if (!std::filesystem::exists(folder_ + "/" + program)) compile({variant}, reduce);
  // A hash table with about as many slots as there will be states.
  const unsigned table = std::clamp(static_cast<unsigned>(std::bit_width(limits.expected_states)), 16U, 27U);
  SpinResult result;
  for (uint64_t depth = std::clamp(limits.expected_states, kSmallestDepth, kLargestDepth);; depth *= 4) {
    std::vector<std::string> command = {"./" + program, fmt::format("-w{}", table),
                                        fmt::format("-m{}", depth), "-n"};
    if (!deadlocks) command.emplace_back("-E");
    result = SpinResult();
    read_report(run_command(command, folder_, limits.seconds), result);
    if (result.reason != "search depth" || depth >= kLargestDepth) return result;
  }
}

}  // namespace fenceline::bench
