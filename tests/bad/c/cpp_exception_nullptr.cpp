// error: in reach of a handler for 'int*'
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
int main() {
  try {
    throw nullptr;
  } catch (int* pointer) {
    return pointer != nullptr;
  }
}
