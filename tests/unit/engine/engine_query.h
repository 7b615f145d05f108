// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program and the options of one query after the other, for the tests of engines.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/engine.h"
#include "engine/explicit/explicit_engine.h"
#include "env/env.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline {

class EngineQuery {
 public:
  explicit EngineQuery(const std::string& text) : program_(parse_fl({"test.fl", text})) {}

  Options options;
  FenceSet fences;

  const Program& program() const { return program_; }

  // About the first property there is.
  Result verify(const Engine& engine, const std::string& model, Limits& limits) {
    const Property property = properties_to_check(program_, options).front();
    const Task task{program_, fences, memory_model(model), property};
    Progress progress(false);
    Env env{options, limits, progress};
    EXPECT_EQ(engine.unsupported_reason(task), "");
    return engine.run(task, env);
  }
  Result verify_explicitly(const std::string& model) {
    Limits limits;
    return verify(*make_explicit_engine(), model, limits);
  }

 private:
  Program program_;
};

}  // namespace fenceline
