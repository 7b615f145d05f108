// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/check_worker.h"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

namespace fenceline::app {
namespace {

TEST(CheckTask, comes_back_as_it_was_sent) {
  CheckTask task;
  task.kind = CheckTask::Kind::kVerify;
  task.file = 3;
  task.number = 7;
  task.what_for = {CompilationScheme::kLoadFences, Processor::kArm};
  task.path = "a file.c";
  task.model = "rc11";
  task.property = "assertions";
  task.engine = "sat";
  task.why_engine = "it is a C program";
  task.test = "T0";
  task.test_text = "( e | d )";
  task.has_test = true;
  task.allowed = 11;
  task.spent = 0.25;
  task.last = true;
  const CheckTask back = CheckTask::from(task.bytes());
  EXPECT_EQ(back.kind, task.kind);
  EXPECT_EQ(back.file, task.file);
  EXPECT_EQ(back.number, task.number);
  EXPECT_EQ(back.what_for, task.what_for);
  EXPECT_EQ(back.path, task.path);
  EXPECT_EQ(back.model, task.model);
  EXPECT_EQ(back.property, task.property);
  EXPECT_EQ(back.engine, task.engine);
  EXPECT_EQ(back.why_engine, task.why_engine);
  EXPECT_EQ(back.test, task.test);
  EXPECT_EQ(back.test_text, task.test_text);
  EXPECT_EQ(back.has_test, task.has_test);
  EXPECT_EQ(back.allowed, task.allowed);
  EXPECT_EQ(back.spent, task.spent);
  EXPECT_EQ(back.last, task.last);
}

// A worker that is ended while it is still starting has begun no task. `check` has to report that the request
// was not read, and not that it has a bug.
TEST(CheckTask, of_a_worker_that_was_ended_before_it_began_anything_is_the_request) {
  std::vector<WorkerReport> reports;
  Supervision supervision;
  supervision.work = [](WorkerChannel&) -> int {
    raise(SIGKILL);
    return 0;
  };
  supervision.on_end = [&](const WorkerReport& report) {
    reports.push_back(report);
    return false;
  };
  supervise(supervision);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(CheckTask::from(reports[0].task).kind, CheckTask::Kind::kRequest);
}

}  // namespace
}  // namespace fenceline::app
