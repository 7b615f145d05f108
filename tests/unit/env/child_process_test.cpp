// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

namespace fenceline {
namespace {

std::string all_of(ForkedChild& child) {
  while (!child.silent()) child.listen();
  return child.heard();
}

TEST(ForkedChild, IsHeardToTheEnd) {
  const std::string much(1'000'000, 'x');  // more than a pipe holds
  ForkedChild child([&](int file) { write_all(file, much); });
  EXPECT_EQ(all_of(child), much);
  const ProcessEnd end = child.wait();
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.signal, 0);
  EXPECT_GT(end.used.ru_maxrss, 0);
}

TEST(ForkedChild, ReportsHowItEnded) {
  ForkedChild exits([](int) { _exit(3); });
  ForkedChild killed([](int) { raise(SIGKILL); });
  ForkedChild throws([](int) { throw 1; });
  EXPECT_EQ(all_of(exits), "");
  EXPECT_EQ(exits.wait().status, 3);
  const ProcessEnd end = killed.wait();
  EXPECT_EQ(end.status, -1);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(throws.wait().signal, SIGABRT);
}

// Both go on from there.
TEST(ForkedChild, SplitsWhatIsUnderWay) {
  int file = -1, sum = 0;
  for (int i = 0; i < 5; ++i) sum += i;
  std::optional<ForkedChild> child = ForkedChild::split(file);
  for (int i = 5; i < 10 && !child; ++i) sum += i;
  if (!child) {
    write_all(file, std::to_string(sum));
    ForkedChild::end_child();
  }
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(file, -1);
  EXPECT_EQ(all_of(*child), "45");
  EXPECT_EQ(child->wait().status, 0);
}

TEST(ForkedChild, IsKilledByTheDestructor) {
  pid_t process = 0;
  {
    ForkedChild child([](int) { pause(); });
    process = child.process();
    EXPECT_EQ(kill(process, 0), 0);
    const ForkedChild moved(std::move(child));  // it is killed once
    EXPECT_EQ(moved.process(), process);
  }
  EXPECT_EQ(kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(Pipe, EndsWhenTheWriterIsClosed) {
  Pipe pipe;
  write_all(pipe.to_write(), "one");
  std::string text;
  EXPECT_TRUE(read_some(pipe.to_read(), text));
  EXPECT_EQ(text, "one");
  pipe.close_writer();
  EXPECT_EQ(pipe.to_write(), -1);
  EXPECT_FALSE(read_some(pipe.to_read(), text));
  EXPECT_EQ(text, "one");
}

}  // namespace
}  // namespace fenceline
