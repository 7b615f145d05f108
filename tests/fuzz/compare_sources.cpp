// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exploration of execution graphs against other readings of the axioms (executions_comparison.h), on programs in C
// and litmus tests of a folder, as the front ends read them: compare_sources --folder F. random_sources.py makes such
// folders.
//
// A C program is compiled for each model; a litmus test is run under the model of its architecture and under those that
// need no tags of their own. Without --every, a few of these are chosen by the number of the file.
//
// On a difference the file is shrunk line by line and printed; three are enough. The exit status is 1 then. (With a planted
// bug, C is printed as it is: to compile it again and again takes a minute.)
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "command_line.h"
#include "env/errors.h"
#include "executions_comparison.h"
#include "frontend/c/c_program.h"
#include "frontend/litmus/litmus.h"
#include "model/memory_model.h"
#include "random_property.h"

namespace fenceline::fuzz {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kModels = {"sc",     "tso",   "pso",   "rmo",   "rmo-ctrl", "relaxed",
                                          "x86tso", "armv8", "riscv", "power", "rc11"};
constexpr size_t kForC = 2, kForLitmus = 3;  // models for each file

struct Settings {
  std::string folder;
  std::vector<std::string> models = kModels;
  bool every = false;
  uint64_t seed = 1;
  ComparisonSettings comparison = {.seconds = 0.1};
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Models that the file has a meaning on.
std::vector<std::string> models_for(const fs::path& path, const std::string& text, const Settings& settings) {
  std::vector<std::string> models = settings.models;
  if (path.extension() == ".c") return models;
  const std::string own(frontend::default_model(frontend::litmus_architecture({path, text})));
  std::erase_if(models, [&](const std::string& name) {
    return name != own && (name == "armv8" || name == "riscv" || name == "power" || name == "rc11");
  });
  return models;
}

// Of those, the ones to compare on: with a file of an architecture, its own is among them.
std::vector<std::string> chosen_models(const fs::path& path, const std::string& text,
                                       const Settings& settings, Rng& rng) {
  std::vector<std::string> models = models_for(path, text, settings);
  const size_t chosen = path.extension() == ".c" ? kForC : kForLitmus;
  if (settings.every || models.size() <= chosen) return models;
  for (size_t i = models.size() - 1; i > 0; --i) std::swap(models[i], models[rng.below(i + 1)]);
  if (path.extension() == ".litmus") {
    const std::string own(frontend::default_model(frontend::litmus_architecture({path, text})));
    std::stable_partition(models.begin(), models.end(), [&](const std::string& name) { return name == own; });
  }
  models.resize(chosen);
  return models;
}

std::string difference(const fs::path& path, const std::string& text, const std::vector<std::string>& models,
                       const ComparisonSettings& settings, Tally* tally) {
  const SourceFile source{path, text};
  std::optional<frontend::CSource> compiled;
  std::optional<Program> test;
  if (path.extension() == ".c")
    compiled.emplace(source, frontend::COptions());
  else
    test = frontend::parse_litmus_program(source);
  KnownLimits known;
  for (const std::string& name : models) {
    const Program program = test ? *test : compiled->lower(memory_model(name).scheme).program;
    if (std::string found = compare_executions(program, name, settings, known, tally); !found.empty())
      return found;
  }
  return "";
}

// A file with the text, beside the original: C is compiled from files.
fs::path shorter_file(const fs::path& path, const std::string& text) {
  fs::path shorter = path.parent_path() / ("shorter" + path.extension().string());
  std::ofstream(shorter) << text;
  return shorter;
}

// How the difference begins: a shrunken program must have the same one.
std::string kind_of(const std::string& what) {
  return what.substr(0, what.find_first_of(" [", what.find(' ') + 1));
}

std::string shortest(const fs::path& path, const std::string& text, const std::vector<std::string>& models,
                     const std::string& what, const ComparisonSettings& settings) {
  return "in short:\n" + shrink_lines(text, [&](const std::string& less) {
           try {
             const fs::path shorter = shorter_file(path, less);
             return kind_of(difference(shorter, less, models, settings, nullptr)) == kind_of(what);
           } catch (const InputError&) {
             return false;
           }
         });
}

int run(const Settings& settings) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(settings.folder))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".litmus")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Tally tally;
  uint64_t differences = 0, rejected = 0;
  const uint64_t enough = settings.comparison.plant.empty() ? 3 : 1;
  for (size_t i = 0; i < files.size() && differences < enough; ++i) {
    Rng rng(settings.seed * 1'000'003 + i);
    const std::string text = text_of(files[i]);
    try {
      const std::vector<std::string> models = chosen_models(files[i], text, settings, rng);
      const std::string what = difference(files[i], text, models, settings.comparison, &tally);
      if (what.empty()) continue;
      ++differences;
      std::cout << files[i].filename().string() << ": " << what << "\n" << std::flush;
      const bool shrinks = settings.comparison.plant.empty() || files[i].extension() != ".c";
      std::cout << (shrinks ? shortest(files[i], text, models, what, settings.comparison) : text);
    } catch (const InputError& error) {
      if (++rejected <= 3) std::cout << error.what() << "\n";
    }
  }
  print(tally);
  std::cout << files.size() << " sources, " << rejected << " rejected, " << differences << " differences\n";
  return differences + rejected > 0 ? 1 : 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  Settings settings;
  CommandLine line;
  line.option("--folder", "FOLDER", [&](const std::string& name) {
    settings.folder = name;
    return std::filesystem::is_directory(name);
  });
  line.names("--model", settings.models, settings.models);
  line.number("--seed", settings.seed);
  line.flag("--every", settings.every);
  line.option("--plant", "", [&](const std::string& name) {
    settings.comparison.plant = name;
    return true;
  });
  return line.read(argc, argv) && !settings.folder.empty() ? run(settings) : kWrongUsage;
}
