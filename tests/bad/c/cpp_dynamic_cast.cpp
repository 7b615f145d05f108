// error: dynamic_cast
// line: 17
// SPDX-License-Identifier: GPL-3.0-or-later
struct Base {
  virtual ~Base() = default;
};
struct Middle : virtual Base {};
struct Derived : Middle {
  int value = 1;
};

Derived object;
Base* base = &object;
int x;

int main() {
  if (Derived* derived = dynamic_cast<Derived*>(base)) x = derived->value;
  return 0;
}
