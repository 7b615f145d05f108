// SPDX-License-Identifier: GPL-3.0-or-later
//
// How long does a suite of litmus tests take? A thousand random X86 tests are written to a folder, and the
// program is started on it as a user would start it, on one core: start-up, reading, all outcomes, counting,
// printing.
//
// The figure to compare with is herd's: 18 to 21 ms a test, one process per test, over the 89 X86 tests that
// come with it; some 500 ms for random tests of three and four threads with several writes per location. It
// was measured at another time on a machine under load, so only the order of magnitude counts.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/installed_program.h"
#include "base/rng.h"
#include "env/child_process.h"
#include "env/errors.h"
#include "env/temporary.h"
#include "report/table.h"
#include "tables/tables.h"

namespace fenceline::tables {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTests = 1000;
constexpr uint64_t kSeed = 20261115;

// Stores, loads, fences and exchanges, two or three a thread, over two or three locations.
std::string random_test(size_t number, size_t threads, Rng& rng) {
  constexpr std::array kLocations = {"x", "y", "z"};
  const size_t locations = 2 + rng.below(2), rows = 2 + rng.below(2);
  std::vector<std::vector<std::string>> code(threads);
  std::string condition;
  int next_value = 1;
  for (size_t thread = 0; thread < threads; ++thread) {
    constexpr std::array kRegisters = {"EAX", "EBX", "ECX", "EDX"};
    for (size_t row = 0; row < rows; ++row) {
      const char* location = kLocations[rng.below(locations)];
      const char* reg = kRegisters[row];
      const uint64_t kind = rng.below(20);
      if (kind < 9) {
        code[thread].push_back(fmt::format("MOV [{}],${}", location, next_value++));
        continue;
      }
      if (kind < 17) {
        code[thread].push_back(fmt::format("MOV {},[{}]", reg, location));
      } else if (kind < 19) {
        code[thread].emplace_back("MFENCE");
        continue;
      } else {
        code[thread].push_back(fmt::format("XCHG [{}],{}", location, reg));
      }
      condition += fmt::format("{}{}:{}=0", condition.empty() ? "" : " /\\ ", thread, reg);
    }
  }
  std::string text = fmt::format("X86 random{}\n{{ x=0; y=0; z=0; }}\n", number);
  for (size_t thread = 0; thread < threads; ++thread)
    text += fmt::format("{} P{} ", thread > 0 ? "|" : "", thread);
  text += ";\n";
  for (size_t row = 0; row < rows; ++row) {
    for (size_t thread = 0; thread < threads; ++thread)
      text += fmt::format("{} {} ", thread > 0 ? "|" : "", code[thread][row]);
    text += ";\n";
  }
  return text + fmt::format("exists ({})\n", condition.empty() ? "x=0" : condition);
}

// A folder that is removed with this object.
class Suite {
 public:
  explicit Suite(size_t threads)
      : name_(unique_name((fs::temp_directory_path() / "fenceline-bench-").string())), folder_(name_.path()) {
    fs::create_directory(folder_);
    Rng rng(kSeed + threads);
    for (size_t i = 0; i < kTests; ++i)
      std::ofstream(folder_ / fmt::format("{:04}.litmus", i))
          << random_test(i, threads > 0 ? threads : 2 + rng.below(3), rng);
  }
  ~Suite() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  std::string path() const { return folder_; }

 private:
  TemporaryName name_;
  fs::path folder_;
};

struct Time {
  double wall = 0, cpu = 0;
};

// Runs `fenceline litmus` on the folder, on one core, and throws away what it prints.
Time run_on(const std::string& folder, const std::string& model) {
  const std::string program = app::installed_program("fenceline", "litmus-suite");
  std::vector<std::string> words = {"fenceline", "litmus", "--jobs", "1", "--model", model, folder};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  const ProcessEnd end = failed == 0 ? wait_for(child) : ProcessEnd();
  if (end.status != 0) throw Unsupported("the program could not be run on the generated tests");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          seconds(end.used.ru_utime) + seconds(end.used.ru_stime)};
}

std::string make(const BenchContext& context) {
  report::Table table({"threads", "model", "tests", "CPU s", "wall s", "CPU ms a test"}, 2);
  for (const size_t threads : {0, 2, 3, 4}) {
    const std::string name = threads > 0 ? std::to_string(threads) : "2-4";
    if (!context.wants(name)) continue;
    const Suite suite(threads);
    for (const char* model : {"sc", "x86tso", "pso"}) {
      const Time time = run_on(suite.path(), model);
      table.add({name, model, std::to_string(kTests), fmt::format("{:.2f}", time.cpu),
                 fmt::format("{:.2f}", time.wall),
                 fmt::format("{:.2f}", time.cpu * 1000 / static_cast<double>(kTests))});
    }
  }
  return table.text(context.markdown) +
         "\nEach row is one run of `fenceline litmus --jobs 1` on a folder of generated X86 tests.\n";
}

}  // namespace

BenchTable litmus_suite_table() {
  return {"litmus-suite",
          "a thousand generated litmus tests in one run, on one core",
          {"2-4", "2", "3", "4"},
          make};
}

}  // namespace fenceline::tables
