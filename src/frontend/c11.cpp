// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c11.h"

#include "env/errors.h"

namespace fenceline::frontend {

std::string c11_tag(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::kPlain:
      return "NA";
    case MemoryOrder::kRelaxed:
      return "RLX";
    case MemoryOrder::kConsume:
      return "CON";
    case MemoryOrder::kAcquire:
      return "ACQ";
    case MemoryOrder::kRelease:
      return "REL";
    case MemoryOrder::kAcqRel:
      return "ACQ_REL";
    case MemoryOrder::kSeqCst:
      return "SC";
  }
  throw Bug("an order without a tag");
}

FenceKinds c11_fence_kinds(MemoryOrder order) {
  const FenceKinds acquire = FenceKinds::load_load() | FenceKinds::load_store();
  const FenceKinds release = FenceKinds::load_store() | FenceKinds::store_store();
  switch (order) {
    case MemoryOrder::kSeqCst:
      return FenceKinds::full();
    case MemoryOrder::kAcqRel:
      return acquire | release;
    case MemoryOrder::kAcquire:
    case MemoryOrder::kConsume:
      return acquire;
    case MemoryOrder::kRelease:
      return release;
    default:
      return {};
  }
}

}  // namespace fenceline::frontend
