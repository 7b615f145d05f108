// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/registry.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "engine/coherence/coherence_engine.h"
#include "engine/explicit/explicit_engine.h"
#include "env/errors.h"
#include "frontend/fl/fl.h"

namespace fenceline {
namespace {

constexpr std::array kFrontEnds = {
    FrontEnd{".fl", parse_fl},
};

}  // namespace

const FrontEnd& front_end_for(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  std::string known;
  for (const FrontEnd& front_end : kFrontEnds) {
    if (front_end.extension == extension) return front_end;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", front_end.extension);
  }
  throw UsageError(fmt::format("{}: what language is this? Supported: {}", path, known));
}

Registry::Registry() {
  engines_.push_back(make_explicit_engine());
  engines_.push_back(make_coherence_engine());
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

Registry::Choice Registry::choose(const std::string& name, const Problem& problem) const {
  Choice choice;
  size_t takers = 0;
  std::string refusals;
  for (const auto& engine : engines_) {
    if (name != "auto" && engine->name() != name) continue;
    if (const std::string cannot = engine->cannot(problem); !cannot.empty()) {
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", engine->name(), cannot);
    } else {
      ++takers;
      if (choice.engine == nullptr) choice.engine = engine.get();
    }
  }
  if (choice.engine == nullptr)
    choice.why = fmt::format("no engine can decide this ({})", refusals);
  else if (name != "auto")
    choice.why = "asked for with --engine";
  else
    choice.why = takers == 1 ? "the only engine that takes this problem" : "the first that can decide it";
  return choice;
}

}  // namespace fenceline
