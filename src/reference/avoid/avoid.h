// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole-graph inference, as in the paper: explore the whole state graph, compute for every state how it can
// be avoided, and place fences that avoid all bad states. See avoid.cpp. It is the reference against which
// the lazy method (synth/lazy.h) is tested, and slower by orders of magnitude.
#pragma once

#include <functional>

#include "env/limits.h"
#include "synth/inference.h"
#include "task/labelled_graph.h"

namespace fenceline::reference {

// `graph_of` explores the program of a query; the task's own `verify` is used to verify the result.
Synthesis infer_by_avoiding(const synth::SynthesisTask& task,
                            const std::function<LabelledGraph(const Task&)>& graph_of, Limits& limits);

}  // namespace fenceline::reference
