// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the lock for one writer thread and several readers.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAA: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAA, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_LOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAA, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_LOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_swlock.h>

static ck_swlock_t swlock = CK_SWLOCK_INITIALIZER;

static void init_lock(void) { ck_swlock_init(&swlock); }
static void read_lock(void) { ck_swlock_read_lock(&swlock); }
static void read_unlock(void) { ck_swlock_read_unlock(&swlock); }
static void write_lock(void) { ck_swlock_write_lock(&swlock); }
static void write_unlock(void) { ck_swlock_write_unlock(&swlock); }

#include "readers_writer.h"
