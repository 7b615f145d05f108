// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mutations of C++ headers: after <atomic> has been read, a memory order means relaxed in what is included next.
// RELAXED_ACQUIRE, RELAXED_RELEASE, RELAXED_ACQ_REL, RELAXED_SEQ_CST; WITHOUT_FENCES: std::atomic_thread_fence has
// no effect; RELAXED_EXCHANGE, RELAXED_FETCH_ADD: the operation is relaxed, whatever order it has, also by default.
//
// STRONG_EXCHANGE is no mutation: weak compare-and-exchange does not fail spuriously, as on x86 and with the atomic
// instructions of ARMv8.1. A loop that stores something and tries again is finite then.
#ifndef FENCELINE_REAL_CPP_CLIENT_H
#define FENCELINE_REAL_CPP_CLIENT_H
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#ifdef RELAXED_ACQUIRE
#define memory_order_acquire memory_order_relaxed
#undef __ATOMIC_ACQUIRE
#define __ATOMIC_ACQUIRE __ATOMIC_RELAXED
#endif
#ifdef RELAXED_RELEASE
#define memory_order_release memory_order_relaxed
#undef __ATOMIC_RELEASE
#define __ATOMIC_RELEASE __ATOMIC_RELAXED
#endif
#ifdef RELAXED_ACQ_REL
#define memory_order_acq_rel memory_order_relaxed
#endif
#ifdef RELAXED_SEQ_CST
#define memory_order_seq_cst memory_order_relaxed
#endif
#ifdef STRONG_EXCHANGE
#define compare_exchange_weak compare_exchange_strong
#endif
#ifdef RELAXED_EXCHANGE
#define compare_exchange_strong(expected, value, ...) \
  compare_exchange_strong(expected, value, std::memory_order_relaxed)
#define compare_exchange_weak(expected, value, ...) compare_exchange_weak(expected, value, std::memory_order_relaxed)
#endif
#ifdef RELAXED_FETCH_ADD
#define fetch_add(number, ...) fetch_add(number, std::memory_order_relaxed)
#endif
#ifdef WITHOUT_FENCES
#define atomic_thread_fence(order) atomic_signal_fence(order)
#endif

#endif
