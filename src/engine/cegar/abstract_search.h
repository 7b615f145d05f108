// SPDX-License-Identifier: GPL-3.0-or-later
//
// One search of an abstraction of the task, as the refinement loop sees it (refinement_loop.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/cegar/concretise.h"
#include "engine/search/search_end.h"
#include "task/result.h"

namespace fenceline::engine {

class AbstractSearch {
 public:
  virtual ~AbstractSearch() = default;

  virtual void run() = 0;

  // After run().
  virtual bool violated() const = 0;
  virtual const SearchEnd& end() const = 0;
  virtual uint64_t states() const = 0;
  virtual uint64_t transitions() const = 0;

  // violated(): an execution of the exact machine behind the abstract counterexample. None: there is none, or
  // none was found; `why_not` says where the abstract counterexample leaves the exact machine.
  virtual std::optional<Concretised> concretise(std::string& why_not) = 0;

  // complete() and not violated(): the states found, as a certificate that has been checked. Only a search
  // without reductions has one. Throws Bug if the check rejects it.
  virtual Certificate checked_certificate() = 0;
};

}  // namespace fenceline::engine
