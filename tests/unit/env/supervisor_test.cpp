// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/supervisor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "env/output_file.h"
#include "env/temporary.h"

namespace fenceline {
namespace {

namespace fs = std::filesystem;

struct Heard {
  std::vector<std::string> messages;
  std::vector<WorkerReport> ends;
};

Heard supervised(Supervision supervision, size_t restarts = 0) {
  Heard heard;
  supervision.on_message = [&](std::string_view message) { heard.messages.emplace_back(message); };
  supervision.on_end = [&](const WorkerReport& report) {
    heard.ends.push_back(report);
    return heard.ends.size() <= restarts;
  };
  supervise(supervision);
  return heard;
}

TEST(Supervisor, ReceivesMessagesOfWorkers) {
  Supervision supervision;
  const std::string large(3'000'000, 'x');
  supervision.work = [&](WorkerChannel& channel) {
    channel.begin("first", 0);
    channel.send("one");
    channel.send(large);
    channel.begin("second", 0);
    return 7;
  };
  const Heard heard = supervised(supervision);
  EXPECT_EQ(heard.messages, (std::vector<std::string>{"one", large}));
  ASSERT_EQ(heard.ends.size(), 1u);
  EXPECT_EQ(heard.ends[0].end, WorkerEnd::kFinished);
  EXPECT_EQ(heard.ends[0].status, 7);
  EXPECT_EQ(heard.ends[0].task, "second");
}

TEST(Supervisor, EndsWhatTakesTooLong) {
  Supervision supervision;
  supervision.work = [](WorkerChannel& channel) {
    channel.begin("quick", 100);
    channel.send("said in time");
    channel.begin("slow", 0.05);
    for (;;) pause();
    return 0;
  };
  const Heard heard = supervised(supervision, 1);
  EXPECT_EQ(heard.messages.size(), 2u);  // two workers
  ASSERT_EQ(heard.ends.size(), 2u);
  EXPECT_EQ(heard.ends[1].end, WorkerEnd::kTime);
  EXPECT_EQ(heard.ends[1].task, "slow");
}

TEST(Supervisor, EndsWhatTakesTooMuchMemory) {
  Supervision supervision;
  supervision.memory_bytes = uint64_t{200} << 20;
  supervision.work = [](WorkerChannel& channel) {
    channel.begin("large", 120);
    // Below what one process may have, and beyond it with the child of the child.
    std::vector<char> some(uint64_t{70} << 20, 'x');
    if (fork() == 0) {
      std::vector<char> more(uint64_t{100} << 20, 'y');
      for (;;) pause();
    }
    for (;;) pause();
    return static_cast<int>(some[0]);
  };
  const Heard heard = supervised(supervision);
  ASSERT_EQ(heard.ends.size(), 1u);
  EXPECT_EQ(heard.ends[0].end, WorkerEnd::kMemory);
}

TEST(Supervisor, DistinguishesACrashFromALimit) {
  Supervision supervision;
  supervision.work = [](WorkerChannel&) {
    std::signal(SIGABRT, SIG_DFL);
    kill(getpid(), SIGABRT);
    return 0;
  };
  Heard heard = supervised(supervision);
  ASSERT_EQ(heard.ends.size(), 1u);
  EXPECT_EQ(heard.ends[0].end, WorkerEnd::kCrash);
  EXPECT_EQ(heard.ends[0].signal, SIGABRT);
  supervision.work = [](WorkerChannel&) -> int { _exit(3); };
  heard = supervised(supervision);
  EXPECT_EQ(heard.ends[0].end, WorkerEnd::kCrash);
  EXPECT_EQ(heard.ends[0].signal, 0);
}

TEST(Supervisor, StopsWhenInterrupted) {
  Supervision supervision;
  supervision.workers = 3;
  supervision.work = [](WorkerChannel& channel) {
    std::signal(SIGINT, SIG_IGN);
    channel.send("here");
    for (;;) pause();
    return 0;
  };
  size_t here = 0;
  supervision.stops_wanted = [&here] { return here == 3 ? 2u : 0u; };
  supervision.on_message = [&](std::string_view) { ++here; };
  std::vector<WorkerEnd> ends;
  supervision.on_end = [&](const WorkerReport& report) {
    ends.push_back(report.end);
    return true;  // not any more
  };
  supervise(supervision);
  EXPECT_EQ(ends, (std::vector<WorkerEnd>(3, WorkerEnd::kInterrupt)));
}

TEST(Supervisor, RemovesWhatAKilledWorkerLeaves) {
  share_temporary_names();
  const fs::path folder = unique_name((fs::temp_directory_path() / "fenceline-test-").string());
  fs::create_directory(folder);
  const std::string target = folder / "result";
  std::ofstream(target) << "earlier";
  OutputFile ours(folder / "ours");
  Supervision supervision;
  supervision.work = [&](WorkerChannel& channel) {
    OutputFile file(target);
    file.write("half of");
    channel.begin("", 0.01);
    for (;;) pause();
    return 0;
  };
  supervised(supervision);
  std::ifstream in(target);
  std::string text;
  in >> text;
  EXPECT_EQ(text, "earlier");
  ours.write("x");
  ours.publish();
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 2u);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace fenceline
