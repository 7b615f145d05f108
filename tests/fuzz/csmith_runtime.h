// SPDX-License-Identifier: GPL-3.0-or-later
//
// What programs of csmith need to run: the types, the operations that never fail (csmith's own), and a
// checksum. Run natively, a program prints it; to Fenceline, it must be CHECKSUM.
//
// With WIDE, numbers of 16 bits have 32: a planted bug, for which checksums must differ.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef WIDE
#define int16_t int32_t
#define uint16_t uint32_t
#endif

#define STATIC static
#define LOG_INDEX
#define LOG_EXEC
#define UNDEFINED(value) (value)
#define FUNC_NAME(name) safe_##name
#include <safe_math.h>

static uint32_t crc32_context = 2166136261u;

static void crc32_gentab(void) {}

static void mix(uint32_t value) {
  crc32_context = ((crc32_context ^ (value & 0xffffu)) * 16777619u) ^ (crc32_context >> 15);
  crc32_context = ((crc32_context ^ (value >> 16)) * 16777619u) ^ (crc32_context >> 15);
}

#ifdef NO_LONGLONG
static void transparent_crc(uint32_t value, const char* name, int print) { mix(value); }
#else
static void transparent_crc(uint64_t value, const char* name, int print) {
  mix((uint32_t)value);
  mix((uint32_t)(value >> 32));
}
#endif

#define platform_main_begin() (void)0

#ifdef __FENCELINE__
#include <fenceline.h>
#define platform_main_end(checksum, print) fl_assert(crc32_context == (uint32_t)(CHECKSUM))
#else
#define platform_main_end(checksum, print) printf("%u\n", crc32_context)
#endif
