// SPDX-License-Identifier: GPL-3.0-or-later
//
// A set of histories that is closed under prefixes, as a deterministic automaton: the specification with
// which a machine is composed when its transactions are checked. property/ has the sets.
#pragma once

#include <cstdint>

#include "ir/history.h"

namespace fenceline::machine {

class HistoryLanguage {
 public:
  static constexpr uint32_t kRejected = ~uint32_t{0};

  virtual ~HistoryLanguage() = default;

  virtual const HistoryAlphabet& alphabet() const = 0;
  virtual uint32_t initial() const = 0;

  // The state after the letter, or kRejected: no history that goes on like this is in the set. May be called
  // by several threads at a time. States are numbered as they come up or beforehand; all are below
  // 2^bits().
  virtual uint32_t next(uint32_t state, uint32_t letter) const = 0;
  virtual unsigned bits() const = 0;
};

}  // namespace fenceline::machine
