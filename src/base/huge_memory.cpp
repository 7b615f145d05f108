// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/huge_memory.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace fenceline {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

// Huge pages need an aligned range: map one page more than needed and unmap the excess.
HugeMemory::HugeMemory(size_t bytes) : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage) {
  void* mapped = mmap(nullptr, bytes_ + kHugePage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > begin) munmap(mapped, aligned - begin);
  data_ = reinterpret_cast<uint8_t*>(aligned);
  munmap(data_ + bytes_, begin + kHugePage - aligned);
  madvise(data_, bytes_, MADV_HUGEPAGE);  // advisory; ordinary pages work as well
}

HugeMemory::~HugeMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void HugeMemory::swap(HugeMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

}  // namespace fenceline
