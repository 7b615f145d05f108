// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is packed comes back, at every width and every alignment; what is overwritten changes nothing else.
#include "base/bits.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace fenceline {
namespace {

struct Field {
  uint64_t value;
  unsigned bits;
};

std::vector<Field> random_fields(Rng& rng) {
  std::vector<Field> fields;
  for (uint64_t n = rng.below(60); n > 0; --n) {
    const auto bits = static_cast<unsigned>(rng.below(65));
    fields.push_back({bits == 64 ? rng.next() : rng.next() & ((uint64_t{1} << bits) - 1), bits});
  }
  return fields;
}

void expect_fields(const uint8_t* bytes, const std::vector<Field>& fields) {
  BitReader reader(bytes);
  for (const Field& field : fields) ASSERT_EQ(reader.get(field.bits), field.value);
}

TEST(Bits, RoundTrip) {
  Rng rng(1);
  BitWriter writer;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Field> fields = random_fields(rng);
    size_t total = 0;
    writer.reset();
    for (const Field& field : fields) writer.put(field.value, field.bits), total += field.bits;
    const auto packed = writer.finish();
    ASSERT_EQ(packed.size(), (total + 7) / 8);
    expect_fields(packed.data(), fields);
  }
}

TEST(Bits, OverwriteChangesOneFieldOnly) {
  Rng rng(2);
  BitWriter writer;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Field> fields = random_fields(rng);
    if (fields.empty()) continue;
    writer.reset();
    for (const Field& field : fields) writer.put(field.value, field.bits);
    const auto packed = writer.finish();
    const size_t chosen = rng.below(fields.size());
    size_t position = 0;
    for (size_t i = 0; i < chosen; ++i) position += fields[i].bits;
    const unsigned bits = fields[chosen].bits;
    fields[chosen].value = bits == 64 ? rng.next() : rng.next() & ((uint64_t{1} << bits) - 1);
    writer.overwrite(position, fields[chosen].value, bits);
    expect_fields(packed.data(), fields);
  }
}

TEST(Bits, CopyMovesBitsToAnyAlignment) {
  Rng rng(3);
  BitWriter from, to;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Field> fields = random_fields(rng);
    size_t total = 0;
    from.reset();
    for (const Field& field : fields) from.put(field.value, field.bits), total += field.bits;
    const auto source = from.finish();
    const auto shift = static_cast<unsigned>(rng.below(64));
    to.reset();
    to.put(0, shift);
    to.copy(source.data(), 0, total);
    BitReader reader(to.finish().data(), shift);
    for (const Field& field : fields) ASSERT_EQ(reader.get(field.bits), field.value);
  }
}

}  // namespace
}  // namespace fenceline
