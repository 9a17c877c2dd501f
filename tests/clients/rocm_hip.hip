// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A HIP program for Debian's libamdhip64-5, which has code for one of AMD's GPUs alone: it counts devices and
// launches a kernel. The functions are declared here, because clang needs nothing else of HIP's headers.
#include <stdio.h>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned count) : x(count) {}  // NOLINT(google-explicit-constructor): as programs of HIP expect
};

extern "C" {
int hipGetDeviceCount(int* count);
const char* hipGetErrorName(int error);
int hipLaunchKernel(const void* kernel, dim3 grid, dim3 group, void** arguments, size_t group_memory, void* stream);
// Code that clang makes for the kernel calls these two.
unsigned __hipPushCallConfiguration(dim3 grid, dim3 group, size_t group_memory, void* stream);
unsigned __hipPopCallConfiguration(dim3* grid, dim3* group, size_t* group_memory, void** stream);
}

__attribute__((global)) void store(int* where) { *where = 1; }

int main() {
  int devices = -1;
  const int counted = hipGetDeviceCount(&devices);
  printf("status %d\ndevices %d\n", counted, devices);
  int value = 0;
  int* where = &value;
  void* arguments[] = {&where};
  const int launched = hipLaunchKernel(reinterpret_cast<const void*>(&store), 1, 1, arguments, 0, nullptr);
  printf("launched %s\nvalue %d\n", hipGetErrorName(launched), value);
  return 0;
}
