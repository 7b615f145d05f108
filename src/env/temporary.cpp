// SPDX-License-Identifier: GPL-3.0-or-later
//
// The notes lie in memory that all processes share. If there are more names than slots, or one is too long,
// the rest is not noted: it is then removed by its owner only.
#include "env/temporary.h"

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>
#include <utility>

namespace fenceline {
namespace {

struct Slot {
  std::atomic<bool> used{false};
  pid_t owner = 0;
  std::array<char, 4096> path{};
};
constexpr size_t kSlots = 64;
using Notes = std::array<Slot, kSlots>;
static_assert(std::atomic<bool>::is_always_lock_free);

Notes* notes = nullptr;  // of this process and of all that it has forked

}  // namespace

void share_temporary_names() {
  if (notes != nullptr) return;
  void* memory = mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) notes = new (memory) Notes();
}

void remove_temporaries() {
  if (notes == nullptr) return;
  for (Slot& slot : *notes) {
    if (!slot.used || kill(slot.owner, 0) == 0 || errno != ESRCH) continue;  // it is there to clean up
    std::error_code ignored;
    if (slot.path[0] != '\0') std::filesystem::remove_all(slot.path.data(), ignored);
    slot.path[0] = '\0';
    slot.used = false;
  }
}

TemporaryName::TemporaryName(std::string path) : path_(std::move(path)) {
  if (notes == nullptr) return;
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path_, error).string();
  if (error) return;
  for (size_t i = 0; i < kSlots; ++i) {
    Slot& slot = (*notes)[i];
    if (absolute.size() >= slot.path.size()) return;
    if (slot.used.exchange(true)) continue;
    slot.owner = getpid();
    std::memcpy(slot.path.data(), absolute.c_str(), absolute.size() + 1);
    slot_ = static_cast<int>(i);
    return;
  }
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept
    : path_(std::move(other.path_)), slot_(std::exchange(other.slot_, -1)) {}

TemporaryName::~TemporaryName() {
  if (slot_ < 0 || notes == nullptr) return;
  Slot& slot = (*notes)[static_cast<size_t>(slot_)];
  slot.path[0] = '\0';
  slot.used = false;
}

std::string unique_name(const std::string& prefix) {
  static std::atomic<uint64_t> calls{0};
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  const auto now = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::string name = prefix + std::to_string(getpid()) + "-";
  uint64_t number = now * kSlots + calls++ % kSlots;
  for (; number != 0; number /= kDigits.size()) name += kDigits[number % kDigits.size()];
  return name;
}

}  // namespace fenceline
