// SPDX-License-Identifier: GPL-3.0-or-later
//
// For small alphabets (two threads and two variables, or three and one) the minimal automaton is made
// beforehand, in less than a tenth of a second: a few thousand states, so a step is a look into a small
// table, and the product with a machine is as small as it can be. With more there are too many states to make
// them all, and those that come up are numbered as they do.
//
// The table is made from the graph of conflicts, too. The specifications of the paper describe the same
// language (tests check it) with more states, and only opacity.
#include "property/opacity/languages.h"

#include <bit>

#include "property/opacity/automaton.h"
#include "property/opacity/conflict_monitor.h"

namespace fenceline::property {
namespace {

constexpr uint32_t kLettersOfTables = 18;

class TableLanguage : public machine::HistoryLanguage {
 public:
  TableLanguage(const HistoryAlphabet& alphabet, TableAutomaton automaton)
      : alphabet_(alphabet), automaton_(std::move(automaton)) {}

  const HistoryAlphabet& alphabet() const override { return alphabet_; }
  uint32_t initial() const override { return 0; }
  uint32_t next(uint32_t state, uint32_t letter) const override { return automaton_.after(state, letter); }
  unsigned bits() const override { return static_cast<unsigned>(std::bit_width(automaton_.size() - 1)); }

 private:
  HistoryAlphabet alphabet_;
  TableAutomaton automaton_;
};

}  // namespace

std::unique_ptr<machine::HistoryLanguage> history_language(PropertyKind property,
                                                           const HistoryAlphabet& alphabet) {
  auto monitor = std::make_unique<ConflictMonitor>(property, alphabet);
  if (alphabet.letters() > kLettersOfTables) return monitor;
  return std::make_unique<TableLanguage>(alphabet, minimal(table_of(*monitor)));
}

std::unique_ptr<machine::HistoryLanguage> opacity_language(const HistoryAlphabet& alphabet) {
  return history_language(PropertyKind::kOpacity, alphabet);
}

std::unique_ptr<machine::HistoryLanguage> strict_serializability_language(const HistoryAlphabet& alphabet) {
  return history_language(PropertyKind::kStrictSerializability, alphabet);
}

}  // namespace fenceline::property
