// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the byte lock; a writer reads the bytes of eight readers at once.
//
// options --volatile atomic
// expect sc tso: verified
// expect tso, define SPLIT_FAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_bytelock.h>

static ck_bytelock_t bytelock = CK_BYTELOCK_INITIALIZER;

static void init_lock(void) { ck_bytelock_init(&bytelock); }
static void read_lock(void) { ck_bytelock_read_lock(&bytelock, 1); }
static void read_unlock(void) { ck_bytelock_read_unlock(&bytelock, 1); }
static void write_lock(void) { ck_bytelock_write_lock(&bytelock, 2); }
static void write_unlock(void) { ck_bytelock_write_unlock(&bytelock); }

#include "readers_writer.h"
