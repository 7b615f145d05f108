// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/options.h"

namespace fenceline::engine {

OptionGroup queue_options() {
  return {"Queue engine",
          {flag({"--no-symmetry", "", "no symmetry reduction"}, &QueueOptions::symmetry, false)}};
}

}  // namespace fenceline::engine
