// SPDX-License-Identifier: GPL-3.0-or-later
//
// A signal handler may touch lock-free atomics and nothing else, so these are globals.
#include "app/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

namespace fenceline::app {
namespace {

std::atomic<Limits*> running{nullptr};
std::atomic<int> first{0};  // signal; 0: none came
std::atomic<unsigned> count{0};
static_assert(std::atomic<Limits*>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<unsigned>::is_always_lock_free);

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void on_interrupt(int signal) {
  int none = 0;
  first.compare_exchange_strong(none, signal);
  ++count;
  if (Limits* limits = running) limits->interrupt();
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction before {};
    // What the caller ignores stays ignored (nohup).
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

void ignore_interrupts() {
  for (const int signal : kSignals) std::signal(signal, SIG_IGN);
}

bool interrupted() { return first != 0; }

unsigned interrupts() { return count; }

int status_of_interruption() { return 128 + first; }

Interruptible::Interruptible(Limits& limits) : before_(running.exchange(&limits)) {
  if (first != 0) limits.interrupt();  // it came just before
}

Interruptible::~Interruptible() { running = before_; }

}  // namespace fenceline::app
