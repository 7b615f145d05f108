// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/stack.h"

#include <pthread.h>

#include <cstdint>

namespace fenceline {
namespace {

// The lowest address of the stack, which grows downwards; 0 if it is not known.
uintptr_t stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<uintptr_t>(lowest) : 0;
}

}  // namespace

size_t stack_left() {
  static thread_local const uintptr_t end = stack_end();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > end ? here - end : 0;
}

}  // namespace fenceline
