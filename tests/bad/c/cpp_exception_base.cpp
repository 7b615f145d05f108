// error: an exception ('Both') in reach of a handler for 'Second'
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
struct First {
  int one;
};
struct Second {
  int two;
};
struct Both : First, Second {};

int main() {
  try {
    throw Both();
  } catch (Second& second) {
    return second.two;
  }
  return 1;
}
