// SPDX-License-Identifier: GPL-3.0-or-later
//
// Programs with a trace each, and the answer that an engine would give.
#pragma once

#include <string>
#include <utility>

#include "frontend/fl/fl.h"
#include "report/report.h"
#include "unit/check/replay/script.h"
#include "unit/peterson.h"

namespace fenceline::testing {

// A program in `.fl`, a property of it by number, and a trace that violates it. Does not move: answers point
// into it.
class ReportCase {
 public:
  ReportCase(std::string text, std::string model, const std::string& script, size_t property = 0)
      : scene_{frontend::parse_fl(SourceFile{"test.fl", std::move(text)}), {}, std::move(model), property} {
    if (scene_.program.properties.empty())
      scene_.program.properties.push_back({"errors", PropertyKind::kNoErrors, ExprId(), {}});
    trace_ = scene_.trace(script);
  }
  ReportCase(const ReportCase&) = delete;

  // The script as it is, so that a bad one fails loudly.
  report::Answer answer() const {
    report::Answer answer;
    answer.file = "test.fl";
    answer.model = scene_.model;
    answer.program = &scene_.program;
    answer.property = &scene_.program.properties[scene_.property];
    answer.fences = &scene_.fences;
    answer.engine = "explicit";
    answer.why_engine = "the only one";
    answer.result.conclusion = TraceCounterexample{
        .trace = trace_, .replay = check::replay(scene_.task(), trace_), .shortest = true};
    answer.result.reason = "a run violates the property";
    answer.result.statistics.states = 1234567;
    answer.result.statistics.transitions = 7654321;
    answer.result.statistics.seconds = 1.5;
    answer.result.statistics.figures = {{"levels", 12}, {"bytes_per_state", 24.5}};
    answer.peak_rss_kb = 20480;
    if (!answer.result.replay()->ok) throw Bug(answer.result.replay()->why_not);
    return answer;
  }
  const Scene& scene() const { return scene_; }

 private:
  Scene scene_;
  Trace trace_;
};

inline const std::string kPeterson =
    std::string("// Peterson's mutual exclusion algorithm.\n\n") + fenceline::kPeterson;

}  // namespace fenceline::testing
