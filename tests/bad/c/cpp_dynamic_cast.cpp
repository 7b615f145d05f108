// error: dynamic_cast
// line: 16
// SPDX-License-Identifier: GPL-3.0-or-later
struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {
  int value = 1;
};

Derived object;
Base* base = &object;
int x;

int main() {
  if (Derived* derived = dynamic_cast<Derived*>(base)) x = derived->value;
  return 0;
}
