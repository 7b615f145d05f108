// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/targets.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace fenceline::frontend::c {
namespace {

// A counter above all addresses is added to them and masked away later: what is left of the sum is what counts.
int64_t without_counter(uint64_t distance) { return llvm::SignExtend64<kAddressBits>(distance); }

int64_t remainder(int64_t number, int64_t modulus) { return ((number % modulus) + modulus) % modulus; }

Target both_ways(const Target& target, int64_t offset, int64_t stride) {
  return {target.object, remainder(offset, stride), stride, false, target.vague};
}

Overlap at_distance(int64_t distance, int64_t size, int64_t bytes) {
  // The highest bytes of a pointer are no part of the address.
  if (distance >= bytes || distance <= -std::min<int64_t>(size, kAddressBits / 8)) return Overlap::kNone;
  return distance >= 0 && distance + size <= bytes ? Overlap::kWhole : Overlap::kPart;
}

// Where a multiple of more than the alignment of objects lies depends on where the object will lie.
void mask(const AddressStep& step, const Target& t, std::vector<Target>& result) {
  constexpr int64_t kMostCandidates = 32;
  if (step.number > kObjectAlignment) {
    if (t.stride % step.number != 0 || step.number / kObjectAlignment > kMostCandidates)
      return result.push_back(both_ways(t, 0, kObjectAlignment));
    for (int64_t base = 0; base < step.number; base += kObjectAlignment)
      result.push_back(moved(t, ((base + t.offset) & -step.number) - base - t.offset));
    return;
  }
  if (t.stride % step.number == 0)
    result.push_back(moved(t, (t.offset & -step.number) - t.offset));
  else
    result.push_back(both_ways(t, 0, step.number));
}

void mark(const AddressStep& step, const Target& t, std::vector<Target>& result) {
  result.push_back(t);
  if (t.stride % kObjectAlignment == 0) {
    result.push_back({t.object, t.offset | step.number, t.stride, t.forward, t.vague});
    result.push_back({t.object, t.offset & ~step.number, t.stride, t.forward, t.vague});
    result.push_back({t.object, t.offset ^ step.number, t.stride, t.forward, t.vague});
  } else {
    result.push_back(everywhere(t.object));
  }
}

void index(const AddressStep& step, const Target& t, std::vector<Target>& result) {
  const int64_t by = without_counter(static_cast<uint64_t>(step.number));
  if (by == 0) return result.push_back(t);
  if (step.count == 0) return result.push_back(spread(t, by, step.upwards));
  for (uint64_t k = 0; k < step.count; ++k) result.push_back(moved(t, static_cast<int64_t>(k) * by));
}

}  // namespace

Target moved(const Target& target, int64_t by) {
  const int64_t offset = without_counter(static_cast<uint64_t>(target.offset) + static_cast<uint64_t>(by));
  // What begins before the object has no beginning: so there is an end to how far one moves back.
  if (target.stride != 0 && (!target.forward || offset < 0)) return both_ways(target, offset, target.stride);
  return {target.object, offset, target.stride, target.forward, target.vague};
}

Target spread(const Target& target, int64_t step, bool upwards) {
  const int64_t stride = std::gcd(target.stride, step);
  if (upwards && step > 0 && target.offset >= 0 && (target.stride == 0 || target.forward))
    return {target.object, target.offset, stride, true, target.vague};
  return both_ways(target, target.offset, stride);
}

bool covers(const Target& all, const Target& one) {
  if (all.object != one.object || all.vague != one.vague) return false;
  if (all.stride == 0) return all == one;
  if (one.stride % all.stride != 0 || (one.offset - all.offset) % all.stride != 0) return false;
  if (!all.forward) return true;
  return one.offset >= all.offset && (one.stride == 0 || one.forward);
}

std::optional<Target> accessible(const Target& target, uint64_t bytes, uint64_t alignment, uint64_t size) {
  Target result = target;
  const auto step = static_cast<int64_t>(std::min<uint64_t>(alignment, kObjectAlignment));
  const int64_t common = std::gcd(target.stride, step);  // of an exact one: that step
  if (target.offset % common != 0) return std::nullopt;
  if (target.stride != 0 && common != step) {
    while (result.offset % step != 0) result.offset += target.stride;
    result.stride = target.stride / common * step;
    if (!result.forward) result.offset = remainder(result.offset, result.stride);
  }
  if (size == 0) return result;
  const auto end = static_cast<int64_t>(size) - static_cast<int64_t>(bytes);
  if (result.offset > end || (result.stride == 0 && result.offset < 0)) return std::nullopt;
  return result;
}

Overlap overlap(const Target& held, uint64_t size, const Target& accessed, uint64_t bytes) {
  const auto held_end = static_cast<int64_t>(size), end = static_cast<int64_t>(bytes);
  const int64_t distance = held.offset - accessed.offset;
  if (held.stride == 0 && accessed.stride == 0) return at_distance(distance, held_end, end);
  // Distances that are possible differ by multiples of `step`; from one that is exact, only in one direction.
  const int64_t step = std::gcd(held.stride, accessed.stride);
  const bool only_less = held.stride == 0 && accessed.forward,
             only_more = accessed.stride == 0 && held.forward;
  Overlap result = Overlap::kNone;
  for (int64_t d = 1 - held_end + remainder(distance + held_end - 1, step); d < end; d += step)
    if (!(only_less && d > distance) && !(only_more && d < distance))
      result = std::max(result, at_distance(d, held_end, end));
  return result;
}

std::vector<Target> after(const std::vector<AddressStep>& steps, const Target& target) {
  std::vector<Target> now{target};
  for (const AddressStep& step : steps) {
    std::vector<Target> next;
    for (const Target& t : now) switch (step.kind) {
        case AddressStep::Kind::kMove:
          next.push_back(moved(t, step.number));
          break;
        case AddressStep::Kind::kIndex:
          index(step, t, next);
          break;
        case AddressStep::Kind::kMask:
          mask(step, t, next);
          break;
        case AddressStep::Kind::kMark:
          mark(step, t, next);
          break;
        case AddressStep::Kind::kMix:
          next.push_back(t);
          next.push_back(everywhere(t.object));
          break;
      }
    now = std::move(next);
  }
  return now;
}

}  // namespace fenceline::frontend::c
