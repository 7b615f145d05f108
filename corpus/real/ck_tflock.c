// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the task-fair lock for readers and writers, with tickets.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_CAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_CAS, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_LOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_CAS, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_LOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_tflock.h>

static ck_tflock_ticket_t tflock = CK_TFLOCK_TICKET_INITIALIZER;

static void init_lock(void) { ck_tflock_ticket_init(&tflock); }
static void read_lock(void) { ck_tflock_ticket_read_lock(&tflock); }
static void read_unlock(void) { ck_tflock_ticket_read_unlock(&tflock); }
static void write_lock(void) { ck_tflock_ticket_write_lock(&tflock); }
static void write_unlock(void) { ck_tflock_ticket_write_unlock(&tflock); }

#include "readers_writer.h"
