// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps of a scripted trace as reports print them.
#pragma once

#include <string>
#include <vector>

#include "report/step_printer.h"
#include "unit/check/replay/script.h"

namespace fenceline::testing {

inline std::vector<std::string> texts_of(const Scene& scene, const Replay& replayed) {
  return report::step_texts(Overlay(scene.program, scene.fences), replayed);
}
inline std::vector<std::string> texts_of(const Scene& scene, const std::string& script) {
  return texts_of(scene, scene.run(script));
}

}  // namespace fenceline::testing
