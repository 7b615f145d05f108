// SPDX-License-Identifier: GPL-3.0-or-later
#include "unit/frontend/c_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "env/errors.h"
#include "ir/sequential_interpreter.h"

namespace fenceline::testing {
namespace {

// A folder as users have one: files in folders of the front end's own are no text of a user.
class UserFolder {
 public:
  UserFolder() : path_(std::filesystem::temp_directory_path() / fmt::format("c_testing_{}", getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~UserFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  UserFolder(const UserFolder&) = delete;
  UserFolder& operator=(const UserFolder&) = delete;

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

frontend::CProgram lower(const std::string& text, const std::string& name, CompilationScheme mapping) {
  const UserFolder folder;
  frontend::CSource source(read_source_file(folder.file(name, text)), {});
  return source.lower(mapping);
}

}  // namespace

frontend::CProgram lower_c(const std::string& text, const std::string& name, CompilationScheme mapping) {
  try {
    return lower(text, name, mapping);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    throw;
  }
}

std::string complaint_about_c(const std::string& text, const std::string& name) {
  try {
    lower(text, name, CompilationScheme::kFences);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

Value CRun::at(const std::string& name) const {
  const auto found = memory.find(name);
  if (found != memory.end()) return found->second;
  ADD_FAILURE() << "there is no cell " << name;
  return 0;
}

CRun run_c(const Program& program) {
  constexpr unsigned kTurn = 1000, kMostTurns = 1000;
  const SequentialInterpreter interpreter(program);
  std::vector<SequentialState> states,
      looked;  // where they are; where they were when they last looked at memory
  for (size_t i = 0; i < program.threads.size(); ++i) states.push_back(interpreter.begin(ThreadId(i)));
  looked = states;
  std::vector<bool> inside(states.size());  // of an atomic section
  std::vector<Value> memory = program.initial_memory();
  CRun run;
  bool moved = true;  // memory may have changed
  for (unsigned turn = 0; (moved || turn < 20) && turn < kMostTurns && run.error.empty(); ++turn) {
    moved = false;
    run.all_ended = true;
    for (size_t i = 0; i < states.size() && run.error.empty(); ++i) {
      SequentialInterpreter::Step step = SequentialInterpreter::Step::kOn;
      for (unsigned steps = 0; steps < kTurn && step == SequentialInterpreter::Step::kOn; ++steps) {
        const InstrKind kind = program.threads[i].at(states[i].at).kind;
        if (kind == InstrKind::kAtomicBegin || (kind == InstrKind::kLoad && !inside[i]))
          looked[i] = states[i];
        step = interpreter.step(ThreadId(i), states[i], memory, 0, run.error);
        if (kind == InstrKind::kAtomicBegin) inside[i] = true;
        if (kind == InstrKind::kAtomicEnd) inside[i] = false;
        moved |= step == SequentialInterpreter::Step::kOn &&
                 (kind == InstrKind::kStore || kind == InstrKind::kRmw);
      }
      if (step == SequentialInterpreter::Step::kBlocked) {  // it looks again
        states[i] = looked[i];
        inside[i] = false;
      }
      run.all_ended &= step == SequentialInterpreter::Step::kEnded;
    }
  }
  const Object& object = program.objects.front();
  for (const auto& [offset, name] : object.cell_names)
    run.memory[name] = memory[object.first_cell.index() + offset];
  return run;
}

CRun run_c(const std::string& text, const std::string& name) { return run_c(lower_c(text, name).program); }

}  // namespace fenceline::testing
