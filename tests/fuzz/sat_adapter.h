// SPDX-License-Identifier: GPL-3.0-or-later
//
// The second interface to the program under test: from `.fl` text to the results of its SAT engine and its
// axioms.
#pragma once

#include <string>
#include <vector>

#include "engine_adapter.h"
#include "ir/program.h"
#include "model/memory_model.h"

namespace fenceline::fuzz {

// All cells, then the registers of each thread that are not temporary, as expressions of the program.
std::vector<ExprId> observe_all(Program& program);

struct SatSettings {
  double seconds = 1;  // for each program and model
  uint64_t bound = 4;  // iterations of a loop; what is beyond makes the answer incomplete
  bool enumerate =
      true;  // also enumerate all executions with check/: final states and how often each is reached
  // Breaks the models on purpose, to test the test. See kSatPlants.
  std::string plant;
};

// What can be planted: a text of the models, and by what it is replaced.
struct SatPlant {
  const char* name;
  const char* text;
  const char* instead;
};
extern const SatPlant kSatPlants[];
extern const size_t kSatPlantCount;

// The model as it is shipped, or changed a little.
struct TestedModel {
  MemoryModel model;
  CatModel changed;

  // `plant` is the name of one of kSatPlants, or empty.
  TestedModel(const std::string& name, const std::string& plant);
  TestedModel(const TestedModel&) = delete;
  TestedModel& operator=(const TestedModel&) = delete;
};

// The answers for the models whose bit is set in `models`. One that is not complete has only final states,
// errors and deadlocks that exist. A complaint also if an execution that the engine
// shows does not replay, or if the number of executions is not what check/ counts.
EngineAnswers sat_answers(const std::string& fl_text, unsigned models, const SatSettings& settings = {});

// Compares both methods on the other models, most of which have no machine. Empty if they agree.
std::string axioms_complaint(const std::string& fl_text, const SatSettings& settings);

}  // namespace fenceline::fuzz
