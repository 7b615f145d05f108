// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions on bytes and strings that read no more than C says: a comparison ends at the first difference, so what
// comes after it may be uninitialised.
#include <stddef.h>

int memcmp(const void* left, const void* right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}
int bcmp(const void* left, const void* right, size_t count) { return memcmp(left, right, count); }

void* memchr(const void* bytes, int wanted, size_t count) {
  const unsigned char* at = bytes;
  for (size_t i = 0; i < count; ++i)
    if (at[i] == (unsigned char)wanted) return (void*)(at + i);
  return NULL;
}

size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
size_t strnlen(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != 0) ++length;
  return length;
}

int strncmp(const char* left, const char* right, size_t most) {
  for (size_t i = 0; i < most; ++i) {
    unsigned char a = (unsigned char)left[i], b = (unsigned char)right[i];
    if (a != b) return a < b ? -1 : 1;
    if (a == 0) return 0;
  }
  return 0;
}
int strcmp(const char* left, const char* right) { return strncmp(left, right, (size_t)-1); }

char* strchr(const char* text, int wanted) {
  for (;; ++text) {
    if (*text == (char)wanted) return (char*)text;
    if (*text == 0) return NULL;
  }
}
char* strrchr(const char* text, int wanted) {
  const char* last = NULL;
  for (;; ++text) {
    if (*text == (char)wanted) last = text;
    if (*text == 0) return (char*)last;
  }
}

char* strcpy(char* to, const char* from) {
  size_t i = 0;
  do to[i] = from[i];
  while (from[i++] != 0);
  return to;
}
char* strncpy(char* to, const char* from, size_t count) {
  size_t i = 0;
  for (; i < count && from[i] != 0; ++i) to[i] = from[i];
  for (; i < count; ++i) to[i] = 0;
  return to;
}
char* strcat(char* to, const char* from) {
  strcpy(to + strlen(to), from);
  return to;
}
