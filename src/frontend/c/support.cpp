// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/support.h"

#include <fmt/format.h>

#include <array>

#include "env/errors.h"

namespace fenceline::frontend::c {
namespace {

std::string_view embedded(std::string_view name) {
  for (const EmbeddedText& text : support_texts())
    if (text.name == name) return text.text;
  throw Bug(fmt::format("there is no support file '{}'", name));
}

}  // namespace

std::span<const SupportFile> support_files() {
  static const std::array kFiles = {
      SupportFile{
          "mutex.c",
          {"pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_mutexattr_gettype",
           "pthread_mutexattr_destroy"},
          false,
          {"pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock",
           "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_mutex_unlock"}},
      SupportFile{"timed_mutex.c", {"pthread_mutex_timedlock", "pthread_mutex_clocklock", "mtx_timedlock"}},
      SupportFile{"condition.c",
                  {"pthread_cond_init", "pthread_cond_destroy", "pthread_cond_wait", "pthread_cond_timedwait",
                   "pthread_cond_clockwait", "pthread_cond_signal", "pthread_cond_broadcast", "cnd_init",
                   "cnd_destroy", "cnd_wait", "cnd_timedwait", "cnd_signal", "cnd_broadcast"}},
      SupportFile{"rwlock.c",
                  {"pthread_rwlock_init", "pthread_rwlock_destroy", "pthread_rwlock_rdlock",
                   "pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
                   "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockrdlock",
                   "pthread_rwlock_clockwrlock", "pthread_rwlock_unlock"}},
      SupportFile{"semaphore.c",
                  {"sem_init", "sem_destroy", "sem_post", "sem_wait", "sem_trywait", "sem_timedwait",
                   "sem_clockwait", "sem_getvalue"}},
      SupportFile{"spin.c",
                  {"pthread_spin_init", "pthread_spin_destroy", "pthread_spin_lock", "pthread_spin_trylock",
                   "pthread_spin_unlock"}},
      SupportFile{"barrier.c", {"pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait"}},
      SupportFile{"once.c", {"pthread_once", "call_once", "fl_begin_once"}},
      SupportFile{"keys.c",
                  {"pthread_key_create", "pthread_key_delete", "pthread_getspecific", "pthread_setspecific",
                   "tss_create", "tss_delete", "tss_get", "tss_set"}},
      SupportFile{"exit.c", {"atexit", "fl_at_end"}, true},  // main() calls fl_run_exit_handlers
      SupportFile{"futex.c", {kSystemCall, kCountedSystemCall}},
      SupportFile{"strings.c",
                  {"memcmp", "bcmp", "memchr", "strlen", "strnlen", "strncmp", "strcmp", "strchr", "strrchr",
                   "strcpy", "strncpy", "strcat"}},
      SupportFile{"system.c",
                  {"__errno_location", "rand", "rand_r", "random", "lrand48", "clock_gettime", "timespec_get",
                   "gettimeofday", "time", "clock", "poll", "getpid", "gettid", "pthread_equal", "ffs",
                   "ffsl", "ffsll"}},
  };
  return kFiles;
}

// Positions are those of a system header: of no interest to users.
std::string support_text(std::string_view name) {
  return fmt::format("# 1 \"/usr/fenceline/prelude.h\"\n{}\n# 1 \"/usr/fenceline/{}\"\n{}",
                     embedded("prelude.h"), name, embedded(name));
}

}  // namespace fenceline::frontend::c
