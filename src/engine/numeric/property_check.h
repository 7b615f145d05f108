// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does an abstract state represent a state that the property forbids?
#pragma once

#include "engine/numeric/abstract_machine.h"

namespace fenceline::numeric {

class PropertyCheck {
 public:
  // Keeps references.
  PropertyCheck(const Plan& plan, const AbstractMachine& machine) : plan_(plan), machine_(machine) {}

  // True may be a lack of precision; false is certain.
  bool may_be_bad(const AbstractState& state) const;

 private:
  bool may_violate(const AbstractState& state) const;
  bool all_ended(const AbstractState& state) const;

  const Plan& plan_;
  const AbstractMachine& machine_;
};

}  // namespace fenceline::numeric
