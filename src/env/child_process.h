// SPDX-License-Identifier: GPL-3.0-or-later
//
// Child processes, as far as all code that starts them shares it: pipes, calls that a signal may interrupt, how
// a process has ended, and forked copies of this process. The users are: pieces of work at once (processes.h),
// workers with limits (supervisor.h), programs (frontend/c/process.h).
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fenceline {

// Both ends are closed with it, and in programs that are executed.
class Pipe {
 public:
  Pipe();  // throws Unsupported
  ~Pipe();
  Pipe(Pipe&& other) noexcept;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  Pipe& operator=(Pipe&&) = delete;

  // -1: closed
  int to_read() const { return ends_[0]; }
  int to_write() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

 private:
  void close_end(size_t end);

  std::array<int, 2> ends_ = {-1, -1};
};

// Appends what is there to the text; waits if there is nothing yet. False: there will be no more.
bool read_some(int file, std::string& text);
// Returns early if nothing can be written any more.
void write_all(int file, std::string_view text);

struct ProcessEnd {
  int status = -1;  // what it returned; -1: a signal has ended it
  int signal = 0;   // which one
  rusage used{};
};
// Waits for the end of a child of this process.
ProcessEnd wait_for(pid_t process);

// Processor time: of this process, with CLOCK_PROCESS_CPUTIME_ID, or of another one. 0 if that is not known.
clockid_t clock_of(pid_t process);
double processor_seconds(clockid_t clock);

// A forked copy of this process that executes one function. It does not outlive its parent, and it exits
// without running exit handlers: what is in buffers of files belongs to the parent.
class ForkedChild {
 public:
  // In the child: work(file), where `file` leads here. What is thrown there ends the child by SIGABRT. Throws
  // Unsupported. If other threads run in this process, the work must not allocate memory.
  explicit ForkedChild(const std::function<void(int file)>& work);
  // The child does not begin anew, but goes on with what this process was about to do: both return from here, the
  // parent with the child, the child with none, and with the file that leads to the parent. The child must end by
  // end_child(), whatever happens. Throws Unsupported. Precondition: no other thread runs in this process.
  static std::optional<ForkedChild> split(int& file);
  [[noreturn]] static void end_child();

  ~ForkedChild();  // kills it, unless it was waited for
  ForkedChild(ForkedChild&& other) noexcept;
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;
  ForkedChild& operator=(ForkedChild&&) = delete;

  pid_t process() const { return process_; }
  int file() const { return pipe_.to_read(); }  // to be polled; -1: it is at its end
  bool silent() const { return file() < 0; }    // it sends nothing more
  void listen();                                // appends to heard(); waits if there is nothing yet
  std::string& heard() { return heard_; }       // the caller may take away what it has understood
  ProcessEnd wait();                            // Precondition: not yet waited for.

 private:
  ForkedChild() = default;

  Pipe pipe_;
  pid_t process_ = -1;
  std::string heard_;
};

}  // namespace fenceline
