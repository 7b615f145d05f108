// SPDX-License-Identifier: GPL-3.0-or-later
//
// Large blocks of zeroed memory, in huge pages where the system gives them. Tables that are read at random
// spend much of their time on address translation otherwise, above all in virtual machines.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fenceline {

class HugeMemory {
 public:
  HugeMemory() = default;
  explicit HugeMemory(size_t bytes);  // throws std::bad_alloc
  ~HugeMemory();
  HugeMemory(HugeMemory&& other) noexcept { swap(other); }
  HugeMemory& operator=(HugeMemory&& other) noexcept {
    HugeMemory(static_cast<HugeMemory&&>(other)).swap(*this);
    return *this;
  }
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;

  uint8_t* data() const { return data_; }

 private:
  void swap(HugeMemory& other) noexcept;

  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace fenceline
