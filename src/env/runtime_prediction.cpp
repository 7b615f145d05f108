// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/runtime_prediction.h"

#include <sys/mman.h>

#include <new>

namespace fenceline {

SharedPredictions::SharedPredictions(size_t count) {
  void* memory = mmap(nullptr, count * sizeof(std::atomic<RuntimePrediction>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* first = static_cast<std::atomic<RuntimePrediction>*>(memory);
  for (size_t i = 0; i < count; ++i)
    new (first + i) std::atomic<RuntimePrediction>(RuntimePrediction::kUnknown);
  all_ = {first, count};
}

SharedPredictions::~SharedPredictions() {
  if (!all_.empty()) munmap(all_.data(), all_.size_bytes());
}

}  // namespace fenceline
