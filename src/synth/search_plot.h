// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plots a search for fences.
#pragma once

#include <string>
#include <vector>

#include "synth/propagation.h"

namespace fenceline::synth {

struct PlottedSearch {
  std::string name;  // "prop"
  std::vector<SearchEvent> trace;
};

// An SVG file that refers to nothing outside of itself: time to the right, fences upwards.
std::string search_plot(const std::string& title, const std::vector<PlottedSearch>& searches);

}  // namespace fenceline::synth
