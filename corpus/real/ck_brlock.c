// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the big-reader lock; each reader has a counter of its own.
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
#include <ck_brlock.h>

static ck_brlock_t brlock = CK_BRLOCK_INITIALIZER;
static ck_brlock_reader_t reader_slot = CK_BRLOCK_READER_INITIALIZER;

static void init_lock(void) { 
  ck_brlock_init(&brlock);
  ck_brlock_read_register(&brlock, &reader_slot);
 }
static void read_lock(void) { ck_brlock_read_lock(&brlock, &reader_slot); }
static void read_unlock(void) { ck_brlock_read_unlock(&reader_slot); }
static void write_lock(void) { ck_brlock_write_lock(&brlock); }
static void write_unlock(void) { ck_brlock_write_unlock(&brlock); }

#include "readers_writer.h"
