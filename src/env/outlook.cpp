// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/outlook.h"

#include <sys/mman.h>

#include <new>

namespace fenceline {

SharedOutlooks::SharedOutlooks(size_t count) {
  void* memory = mmap(nullptr, count * sizeof(std::atomic<Outlook>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* first = static_cast<std::atomic<Outlook>*>(memory);
  for (size_t i = 0; i < count; ++i) new (first + i) std::atomic<Outlook>(Outlook::kOpen);
  all_ = {first, count};
}

SharedOutlooks::~SharedOutlooks() {
  if (!all_.empty()) munmap(all_.data(), all_.size_bytes());
}

}  // namespace fenceline
