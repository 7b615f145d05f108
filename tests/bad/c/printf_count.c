// error: not supported: a format with %n
// line: 11
#include <assert.h>
#include <stdio.h>

int count;

int main(void) {
  printf("100%% not %d\n", 1);
  printf("%s 100%", "%n");
  printf("%5d and %hhn", 2, (signed char *)&count);
  assert(count == 0);
  return 0;
}
