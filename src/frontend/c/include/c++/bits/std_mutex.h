// SPDX-License-Identifier: GPL-3.0-or-later
//
// std::mutex for Fenceline, and what holds it. Other headers of the library include it by this name.
#ifndef FENCELINE_STD_MUTEX
#define FENCELINE_STD_MUTEX

extern "C" {
int fl_mutex_lock(int*);
int fl_mutex_try_lock(int*);
int fl_mutex_unlock(int*);
}

namespace std {

class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  void lock() { fl_mutex_lock(&held_); }
  bool try_lock() { return fl_mutex_try_lock(&held_) == 0; }
  void unlock() { fl_mutex_unlock(&held_); }

 private:
  int held_ = 0;
};

struct defer_lock_t {
  explicit defer_lock_t() = default;
};
struct adopt_lock_t {
  explicit adopt_lock_t() = default;
};
inline constexpr defer_lock_t defer_lock{};
inline constexpr adopt_lock_t adopt_lock{};

template <class Mutex>
class lock_guard {
 public:
  using mutex_type = Mutex;
  explicit lock_guard(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  lock_guard(Mutex& mutex, adopt_lock_t) : mutex_(mutex) {}
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;
  ~lock_guard() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

template <class Mutex>
class scoped_lock : public lock_guard<Mutex> {
 public:
  using lock_guard<Mutex>::lock_guard;
};
template <class Mutex>
scoped_lock(Mutex&) -> scoped_lock<Mutex>;

template <class Mutex>
class unique_lock {
 public:
  explicit unique_lock(Mutex& mutex) : mutex_(&mutex) { lock(); }
  unique_lock(Mutex& mutex, defer_lock_t) : mutex_(&mutex) {}
  unique_lock(const unique_lock&) = delete;
  unique_lock& operator=(const unique_lock&) = delete;
  ~unique_lock() {
    if (owns_) mutex_->unlock();
  }
  void lock() {
    mutex_->lock();
    owns_ = true;
  }
  bool try_lock() { return owns_ = mutex_->try_lock(); }
  void unlock() {
    mutex_->unlock();
    owns_ = false;
  }
  bool owns_lock() const { return owns_; }

 private:
  Mutex* mutex_;
  bool owns_ = false;
};

}  // namespace std

#endif
