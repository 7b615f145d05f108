// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/probe_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/hash.h"
#include "base/rng.h"

namespace fenceline {
namespace {

struct Entry {
  uint64_t key = 0;
  int value = 0;

  bool free() const { return value == 0; }
  uint64_t hash() const { return key % 5; }  // entries often meet
};

Entry& slot_of(ProbeTable<Entry>& table, uint64_t key) {
  return table.find(Entry{key, 1}.hash(), [&](const Entry& entry) { return entry.key == key; });
}

TEST(ProbeTable, AgreesWithAMap) {
  Rng rng(1);
  ProbeTable<Entry> table(4);
  for (int round = 0; round < 3; ++round) {
    std::map<uint64_t, int> expected;
    for (int value = 1; value <= 400; ++value) {
      const uint64_t key = rng.below(200);
      Entry& slot = slot_of(table, key);
      const bool fresh = expected.try_emplace(key, value).second;
      ASSERT_EQ(slot.free(), fresh);
      if (fresh) {
        ASSERT_EQ(table.fill(slot, {key, value}).value, value);
      }
    }
    EXPECT_EQ(table.used(), expected.size());
    for (const auto& [key, value] : expected) ASSERT_EQ(slot_of(table, key).value, value);
    for (uint64_t key = 200; key < 300; ++key) ASSERT_TRUE(slot_of(table, key).free());
    EXPECT_GE(table.bytes(), 2 * expected.size() * sizeof(Entry));
    table.clear();
    EXPECT_EQ(table.used(), 0U);
    EXPECT_TRUE(slot_of(table, expected.begin()->first).free());
  }
}

TEST(ProbeTable, FindsThingsByNumbers) {
  std::vector<std::string> words;
  ProbeTable<NumberSlot> table;
  const auto number_of = [&](const std::string& word) {
    const uint64_t hash = hash_array<char>(word);
    NumberSlot& slot = table.find(
        hash, [&](const NumberSlot& known) { return known.may_match(hash) && words[known.number] == word; });
    if (!slot.free()) return slot.number;
    words.push_back(word);
    return table.fill(slot, {hash, static_cast<uint32_t>(words.size() - 1)}).number;
  };
  for (int round = 0; round < 2; ++round)
    for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(number_of(std::to_string(i)), i);
}

}  // namespace
}  // namespace fenceline
