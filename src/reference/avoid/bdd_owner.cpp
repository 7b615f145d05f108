// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/avoid/bdd_owner.h"

#include <bdd.h>

#include <mutex>
#include <new>

#include "env/errors.h"

namespace fenceline::reference {
namespace {

constexpr int kFirstNodes = 200'000;
constexpr int kCacheSize = 50'000;

std::mutex& the_one() {
  static std::mutex mutex;
  return mutex;
}

// BuDDy ends the process by default. Running out of nodes is a limit, everything else is our own fault.
void on_error(int code) {
  if (code == BDD_MEMORY || code == BDD_NODENUM) throw std::bad_alloc();
  throw Bug(std::string("BuDDy: ") + bdd_errstring(code));
}

}  // namespace

BddOwner::BddOwner(int variables) {
  the_one().lock();
  bdd_init(kFirstNodes, kCacheSize);
  bdd_error_hook(on_error);
  bdd_gbc_hook(nullptr);  // it prints otherwise
  bdd_setcacheratio(8);
  bdd_setmaxincrease(2'000'000);
  bdd_setvarnum(variables);
}

BddOwner::~BddOwner() {
  bdd_done();
  the_one().unlock();
}

}  // namespace fenceline::reference
