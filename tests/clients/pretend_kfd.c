// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into rocminfo, which goes on only if it can open the device file of AMD's kernel driver, although
// it reads nothing from it. This opens an empty file instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

int open(const char* path, int flags, ...) {
  static int (*next)(const char*, int, ...);
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = (mode_t)va_arg(arguments, int);
    va_end(arguments);
  }
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "open");
  return next(strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path, flags, mode);
}
