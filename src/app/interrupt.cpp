// SPDX-License-Identifier: GPL-3.0-or-later
//
// A signal handler may touch lock-free atomics and nothing else, so these two are the project's only globals.
#include "app/interrupt.h"

#include <atomic>
#include <csignal>

namespace fenceline {
namespace {

std::atomic<Limits*> running{nullptr};
std::atomic<bool> seen{false};
static_assert(std::atomic<Limits*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  seen = true;
  if (Limits* limits = running) limits->interrupt();
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return seen; }

Interruptible::Interruptible(Limits& limits) {
  running = &limits;
  if (seen) limits.interrupt();  // it came just before
}

Interruptible::~Interruptible() { running = nullptr; }

}  // namespace fenceline
