// SPDX-License-Identifier: GPL-3.0-or-later
//
// Jobs that explore one tree. One begins with all of it. A job that has nothing to do waits; a busy one notices that, and
// gives a part of its work away. So as long as all are busy nothing is copied. A job is started when there is work for it
// for the first time: small trees need one thread.
//
// Where the exploration is to end does not depend on which job is fast: if something ends it at a position (a violation, a
// graph that is too large), the jobs still explore what comes before that, and the first such position counts.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/executions/branch.h"

namespace fenceline::executions {

template <typename Part>
class SharedWork {
 public:
  struct End {
    Position position;
    std::exception_ptr exception;  // null: a visitor wanted no more
  };

  // `job` is what another thread executes; it must call take() until that returns nothing. The caller is a job, too, and
  // has all the work.
  SharedWork(size_t jobs, std::function<void()> job) : job_(std::move(job)), jobs_(jobs) { count_wanted(); }
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;
  ~SharedWork() { join(); }

  // Is a job without work? Cheap; the answer may be outdated.
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) > 0; }

  void give(Part part) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
    parts_.push_back(std::move(part));
    if (waiting_ == 0 && threads_.size() + 1 < jobs_) start_job();
    count_wanted();
    changed_.notify_one();
  }

  // The caller has done what it had, and waits for more. None: all is done.
  std::optional<Part> take() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    count_wanted();
    changed_.wait(lock, [&] { return !parts_.empty() || busy_ == 0; });
    --waiting_;
    if (parts_.empty()) return std::nullopt;
    Part part = std::move(parts_.front());
    parts_.pop_front();
    ++busy_;
    count_wanted();
    return part;
  }
  // What was taken, or all the work at the beginning, is explored or given away.
  void done() {
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) changed_.notify_all();
  }

  // The exploration ends at this position, unless it ends before.
  void end_at(Position position, std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!end_ || position < end_->position) end_ = End{std::move(position), std::move(exception)};
    drop_parts();
    ended_.store(true, std::memory_order_release);
  }
  // Is there an end, and the position behind it? Then all that the caller would explore next is, too.
  bool is_behind_end(const Position& position) const {
    const std::lock_guard lock(mutex_);
    return end_ && position > end_->position;
  }
  // Everything stops as soon as possible, with this exception if there is one.
  void cancel(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(exception);
    cancelled_ = true;
    parts_.clear();
    ended_.store(true, std::memory_order_release);
  }
  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }
  // Was end_at() or cancel() called? Cheap.
  bool has_ended() const { return ended_.load(std::memory_order_acquire); }

  // Waits for all other jobs. Precondition: take() has returned nothing to the caller.
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  // After join().
  const std::optional<End>& end() const { return end_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  void start_job() {
    try {
      threads_.emplace_back(job_);
    } catch (const std::system_error&) {  // the system has no thread left: those that are there do the work
      jobs_ = threads_.size() + 1;
    }
  }

  void drop_parts() {
    std::erase_if(parts_, [&](const Part& part) { return part.position > end_->position; });
    count_wanted();
  }

  void count_wanted() {
    const size_t idle = waiting_ + (jobs_ - 1 - threads_.size());
    wanted_.store(idle > parts_.size() ? idle - parts_.size() : 0, std::memory_order_relaxed);
  }

  const std::function<void()> job_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> parts_;  // given away, and not yet taken
  std::vector<std::thread> threads_;
  size_t jobs_;
  size_t busy_ = 1, waiting_ = 0;
  bool cancelled_ = false;
  std::optional<End> end_;
  std::exception_ptr failure_;
  std::atomic<size_t> wanted_{0};
  std::atomic<bool> ended_{false};
};

}  // namespace fenceline::executions
