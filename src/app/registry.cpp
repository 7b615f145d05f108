// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "engine/automata/automata_engine.h"
#include "engine/coherence/coherence_engine.h"
#include "engine/explicit/explicit_engine.h"
#include "engine/numeric/numeric_engine.h"
#include "engine/queue/queue_engine.h"
#include "engine/sat/sat_engine.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "frontend/litmus/litmus.h"
#include "property/properties.h"

namespace fenceline {
namespace {

constexpr std::array kFrontEnds = {
    FrontEnd{".fl", parse_fl},
    FrontEnd{".litmus", [](SourceFile source,
                           const FrontEndParameters&) { return parse_litmus_program(std::move(source)); }},
};

}  // namespace

bool is_c_file(const std::string& path) {
  static constexpr std::array<std::string_view, 5> kExtensions = {".c", ".cc", ".cpp", ".cxx", ".C"};
  const std::string extension = std::filesystem::path(path).extension();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

const FrontEnd& front_end_for(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  std::string known;
  for (const FrontEnd& front_end : kFrontEnds) {
    if (front_end.extension == extension) return front_end;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", front_end.extension);
  }
  throw UsageError(fmt::format("{}: what language is this? Supported: {}, .c, .cpp, .tests", path, known));
}

Registry::Registry() {
  engines_.push_back(make_explicit_engine());
  engines_.push_back(make_coherence_engine());
  engines_.push_back(make_automata_engine());
  engines_.push_back(make_numeric_engine());
  engines_.push_back(make_sat_engine());
  engines_.push_back(make_queue_engine());
}

void Registry::require_known(const std::string& name) const {
  if (name == "auto") return;
  std::string known = "auto";
  for (const auto& engine : engines_) {
    if (engine->name() == name) return;
    known += fmt::format(", {}", engine->name());
  }
  throw UsageError(fmt::format("unknown engine '{}'; known engines: {}", name, known));
}

std::vector<Registry::Choice> Registry::choices(const std::string& name, const Task& task) const {
  if (task.property.kind == PropertyKind::kNoDeadlock && task.model.buffering != Buffering::kNotBuffered)
    if (const std::string why = deadlocks_undecided(task.program); !why.empty()) return {{nullptr, why}};
  std::vector<Choice> sure, hesitant;
  std::string refusals;
  for (const auto& engine : engines_) {
    if (name != "auto" && engine->name() != name) continue;
    if (const std::string cannot = engine->cannot(task); !cannot.empty()) {
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", engine->name(), cannot);
    } else if (name != "auto") {
      sure.push_back({engine.get(), "asked for with --engine"});
    } else if (const std::string why = engine->hesitates(task); !why.empty()) {
      hesitant.push_back({engine.get(), why});
    } else {
      sure.push_back({engine.get(), "the first that can decide it"});
    }
  }
  if (sure.empty() && hesitant.empty())
    return {{nullptr, fmt::format("no engine can decide this ({})", refusals)}};
  if (sure.size() + hesitant.size() == 1 && name == "auto")
    return {{sure.empty() ? hesitant.front().engine : sure.front().engine,
             "the only engine that takes this problem"}};
  // Whoever comes before the one asked first must have hesitated: that is why.
  if (!sure.empty() && !hesitant.empty())
    sure.front().why =
        fmt::format("{}, which {} can deal with", hesitant.front().why, sure.front().engine->name());
  for (Choice& choice : hesitant)
    choice.why = sure.empty() ? "the first that can decide it" : "the engines asked before it do not know";
  for (size_t i = 1; i < sure.size(); ++i) sure[i].why = "the engines asked before it do not know";
  sure.insert(sure.end(), hesitant.begin(), hesitant.end());
  return sure;
}

}  // namespace fenceline
