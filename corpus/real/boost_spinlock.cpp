// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost: the spin lock under its smart pointers.
//
// expect sc tso armv8 rc11: verified
#include "cpp_client.h"
//
#include <boost/smart_ptr/detail/spinlock.hpp>

static boost::detail::spinlock spinlock = BOOST_DETAIL_SPINLOCK_INIT;

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  spinlock.lock();
}

static void unlock(int thread) {
  (void)thread;
  spinlock.unlock();
}

#include "mutual_exclusion.h"
