// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which orders between the accesses of a thread does a model certainly preserve? The answers come from the
// terms of the model alone, so they hold for models that users write.
#pragma once

#include "model/cat/relational.h"

namespace fenceline::sat {

// True if the model certainly forbids every cycle of control dependencies from loads to stores and of rf: a
// write, a read of it in another thread, and a later write that depends on that read are evaluated among any
// other events; the two writes must be ordered in a relation that is acyclic.
bool keeps_control_dependencies(const CatModel& model);

// True if the model certainly forbids that a load reads a later store of its own thread.
bool forbids_reading_the_future(const CatModel& model);

// True if the model certainly forbids that a load reads an earlier store of its own thread that a later one of
// the thread, to the same location, has overwritten before the load.
bool reads_own_last_write(const CatModel& model);

// True if the model certainly orders a load with later stores behind a fence of the kind load-store, where it
// orders writes with reads of them in other threads.
bool keeps_load_store_fences(const CatModel& model);
// The same for a load and a later store to the same location.
bool keeps_load_store_locations(const CatModel& model);

}  // namespace fenceline::sat
