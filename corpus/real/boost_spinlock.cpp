// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost: the spin lock under its smart pointers. The client waits itself: lock() sleeps from the second try on, and
// which try it is has no bound.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
// expect rc11, define RELAXED_ACQUIRE: violated
#include "cpp_client.h"
//
#include <boost/smart_ptr/detail/spinlock.hpp>

static boost::detail::spinlock spinlock = BOOST_DETAIL_SPINLOCK_INIT;

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  while (!spinlock.try_lock()) {
  }
}

static void unlock(int thread) {
  (void)thread;
  spinlock.unlock();
}

#include "mutual_exclusion.h"
