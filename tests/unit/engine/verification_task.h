// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program, fences and options, to be verified by one engine after the other: for the tests of engines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/portfolio/portfolio.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline::engine {

class VerificationTask {
 public:
  explicit VerificationTask(const std::string& text) : program_(frontend::parse_fl({"test.fl", text})) {}

  Options options;
  FenceSet fences;

  const Program& program() const { return program_; }

  // The first property there is, by the engine with this name. Precondition: it supports the task.
  Result verify_by(std::string_view engine, const std::string& model, Limits& limits) {
    const Property property = property::properties_to_check(program_, options).front();
    const Task task{program_, fences, memory_model(model), property};
    EXPECT_EQ(engine_called(engine).unsupported_reason(task), "");
    return fenceline::engine::verify_by(engine, task, options, limits);
  }
  Result verify_by_explicit(const std::string& model) {
    Limits limits;
    return verify_by("explicit", model, limits);
  }

 private:
  Program program_;
};

}  // namespace fenceline::engine
