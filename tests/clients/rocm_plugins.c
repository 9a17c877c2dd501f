/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks plugins and libraries for ROCm how many devices they find, as the programs do that load them.
 *
 *   rocm_plugins gomp            the plugin of GCC's libgomp; also initializes the first device
 *   rocm_plugins omptarget FILE  a plugin of LLVM's libomptarget
 *   rocm_plugins hip [FILE]      the HIP runtime; also loads a module
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* open_library(const char* name, int flags) {
  void* library = dlopen(name, RTLD_NOW | flags);
  if (library == NULL) {
    printf("%s\n", dlerror());
    exit(77);
  }
  return library;
}

static void* find(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return function;
}

static void ask_gomp(void) {
  open_library("libgomp.so.1", RTLD_GLOBAL);
  void* plugin = open_library("libgomp-plugin-gcn.so.1", RTLD_LOCAL);
  int (*get_num_devices)(unsigned) = (int (*)(unsigned))find(plugin, "GOMP_OFFLOAD_get_num_devices");
  bool (*init_device)(int) = (bool (*)(int))find(plugin, "GOMP_OFFLOAD_init_device");
  const int devices = get_num_devices(0);
  printf("devices %d\n", devices);
  if (devices > 0) printf("initialized %d\n", init_device(0));
}

static void ask_omptarget(const char* file) {
  void* plugin = open_library(file, RTLD_LOCAL);
  int (*init_plugin)(void) = (int (*)(void))find(plugin, "__tgt_rtl_init_plugin");
  int (*number_of_devices)(void) = (int (*)(void))find(plugin, "__tgt_rtl_number_of_devices");
  if (init_plugin() != 0) exit(1);
  printf("devices %d\n", number_of_devices());
}

static void ask_hip(const char* module) {
  void* library = open_library("libamdhip64.so.5", RTLD_LOCAL);
  int (*get_count)(int*) = (int (*)(int*))find(library, "hipGetDeviceCount");
  int (*load)(void**, const char*) = (int (*)(void**, const char*))find(library, "hipModuleLoad");
  int devices = -1;
  int status = get_count(&devices);
  printf("status %d\ndevices %d\n", status, devices);
  void* loaded = NULL;
  if (module != NULL) printf("module %d\n", load(&loaded, module));
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "gomp") == 0)
    ask_gomp();
  else if (count == 3 && strcmp(arguments[1], "omptarget") == 0)
    ask_omptarget(arguments[2]);
  else if ((count == 2 || count == 3) && strcmp(arguments[1], "hip") == 0)
    ask_hip(count == 3 ? arguments[2] : NULL);
  else
    return 2;
  return 0;
}
