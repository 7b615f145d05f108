// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the phase-fair lock for readers and writers.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAA: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOCK: violated
#include "ck_client.h"
//
#include <ck_pflock.h>

static ck_pflock_t pflock = CK_PFLOCK_INITIALIZER;

static void init_lock(void) { ck_pflock_init(&pflock); }
static void read_lock(void) { ck_pflock_read_lock(&pflock); }
static void read_unlock(void) { ck_pflock_read_unlock(&pflock); }
static void write_lock(void) { ck_pflock_write_lock(&pflock); }
static void write_unlock(void) { ck_pflock_write_unlock(&pflock); }

#include "readers_writer.h"
