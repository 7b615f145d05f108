// SPDX-License-Identifier: GPL-3.0-or-later
//
// Executions for tests, made by two methods: from an execution of the store-buffer machine, which knows
// nothing of axioms; and from the values that each thread's loads are to return.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/axiomatic/thread_execution.h"
#include "task/execution.h"
#include "unit/check/replay/script.h"

namespace fenceline::testing {

inline Execution initial_writes(const Program& program) {
  Execution execution;
  const std::vector<Value> memory = program.initial_memory();
  for (size_t c = 0; c < program.cell_count; ++c) {
    execution.events.push_back({EventKind::kWrite, ThreadId(), Point(), 0, CellId(c), memory[c]});
    execution.coherence.push_back({EventId(c)});
  }
  execution.reads_from.resize(execution.events.size());
  return execution;
}

// Precondition: no store is pending at the end of the execution, and its last step has not failed.
inline Execution execution_of(const Scene& scene, const Replay& run) {
  const Program& program = scene.program;
  Execution execution = initial_writes(program);
  std::map<size_t, EventId> write_of;  // by step
  for (size_t t = 0; t < program.threads.size(); ++t) {
    uint32_t position = 0;
    execution.choices.emplace_back();
    execution.locations.push_back(run.locations[t]);
    for (size_t s = 0; s < run.steps.size(); ++s) {
      const TraceStep& step = run.steps[s].step;
      if (step.thread != ThreadId(t) || step.kind != StepKind::kExecute) continue;
      const Instruction& i = program.threads[t].at(step.point);
      const auto add = [&](EventKind kind, Value value) {
        execution.events.push_back({kind, step.thread, step.point, position, step.cell, value});
        execution.reads_from.emplace_back();
      };
      if (step.chosen) execution.choices.back().push_back(*step.chosen);
      if (i.reads_memory()) {
        add(EventKind::kRead, *step.value);
        // A step for now: reads may come before the write that they read has a number.
        execution.reads_from.back() =
            EventId(run.steps[s].effect.reads_from ? *run.steps[s].effect.reads_from : Id<int>::kNone);
      }
      if (i.kind == InstrKind::kFence) add(EventKind::kFence, 0);
      if (i.kind == InstrKind::kStore || step.written) {
        write_of[s] = EventId(execution.events.size());
        add(EventKind::kWrite, step.written ? *step.written : *step.value);
      }
      ++position;
    }
  }
  for (size_t e = 0; e < execution.events.size(); ++e)
    if (execution.events[e].kind == EventKind::kRead) {
      EventId& from = execution.reads_from[e];
      from = from.valid() ? write_of.at(from.index()) : EventId(execution.events[e].cell.index());
    }
  // A write reaches memory by its flush, or at once if there is none.
  std::map<size_t, size_t> arrival;
  for (size_t s = 0; s < run.steps.size(); ++s)
    if (run.steps[s].effect.stored_by) arrival[*run.steps[s].effect.stored_by] = s;
  std::map<size_t, EventId> by_arrival;
  for (const auto& [step, write] : write_of) by_arrival[arrival.count(step) ? arrival[step] : step] = write;
  for (const auto& [when, write] : by_arrival)
    execution.coherence[execution.events[write.index()].cell.index()].push_back(write);
  return execution;
}

// Runs each thread with these inputs (values read and choices made, in order) until it can go no further. A
// read reads the last write with its value, in the order of events, which is coherence, too.
inline Execution execution_by_inputs(const Scene& scene, const std::vector<std::vector<Value>>& inputs) {
  Execution execution = initial_writes(scene.program);
  const Overlay overlay(scene.program, scene.fences);
  for (size_t t = 0; t < scene.program.threads.size(); ++t) {
    check::ThreadExecution run(overlay, ThreadId(t));
    execution.choices.emplace_back();
    for (size_t next = 0;;) {
      const InstrKind kind = run.next().kind;
      const bool chooses = kind == InstrKind::kHavoc || kind == InstrKind::kChoose;
      std::optional<Value> input;
      if ((chooses || run.next().reads_memory()) && next < inputs[t].size()) input = inputs[t][next++];
      if (chooses && input) execution.choices.back().push_back(*input);
      Effect effect;
      if (run.step(input, effect) != check::ThreadExecution::Outcome::kMoved) break;
    }
    execution.locations.push_back(run.location());
    for (const check::ThreadEvent& e : run.events()) {
      if (e.kind == EventKind::kWrite)
        execution.coherence[e.cell.index()].emplace_back(execution.events.size());
      execution.events.push_back({e.kind, ThreadId(t), e.point, e.position, e.cell, e.value});
    }
  }
  execution.reads_from.resize(execution.events.size());
  for (size_t read = 0; read < execution.events.size(); ++read)
    for (size_t write = 0; write < execution.events.size(); ++write) {
      const Event &r = execution.events[read], &w = execution.events[write];
      if (r.kind == EventKind::kRead && w.kind == EventKind::kWrite && r.cell == w.cell && r.value == w.value)
        execution.reads_from[read] = EventId(write);
    }
  return execution;
}

}  // namespace fenceline::testing
