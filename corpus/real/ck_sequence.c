// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the sequence lock.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOAD: violated
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_STORE: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO WITHOUT_LOAD, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_STORE, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_LOAD, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_STORE, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_sequence.h>

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;

static void init(void) { ck_sequence_init(&sequence); }
static void write_begin(void) { ck_sequence_write_begin(&sequence); }
static void write_end(void) { ck_sequence_write_end(&sequence); }
static unsigned read_begin(void) { return ck_sequence_read_begin(&sequence); }
static bool read_retry(unsigned version) { return ck_sequence_read_retry(&sequence, version); }

#include "snapshot.h"
