// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code that clang puts into programs calls before main() and after it.
#include <fmt/format.h>

#include <cstring>

#include "functions.h"
#include "hip/core/allocate.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

/// What __hipRegisterFatBinary gets.
struct FatBinaryWrapper {
  uint32_t magic;
  uint32_t version;
  const void* binary;
  const void* unused;
};
constexpr uint32_t wrapper_magic = 0x48495046;

/// Runs what constructors of programs ask for. They get no result; a program without memory so early ends
/// when it uses what is missing.
template <typename Call>
void registering(const char* what, Call call) noexcept {
  try {
    call();
  } catch (const std::exception& error) {
    log(LogLevel::error, log_init, std::string(what) + ": " + error.what());
  }
}

FatBinary& binary_of(void** modules) { return *reinterpret_cast<FatBinary*>(modules); }

}  // namespace

void** __hipRegisterFatBinary(const void* data) {
  void** handle = nullptr;
  registering("__hipRegisterFatBinary", [&] {
    FatBinaryWrapper wrapper{};
    if (data != nullptr) std::memcpy(&wrapper, data, sizeof wrapper);
    const bool known = wrapper.magic == wrapper_magic && wrapper.version == 1;
    if (!known) log(LogLevel::error, log_init, "a program registers device code in an unknown form");
    handle = reinterpret_cast<void**>(&Registry::get().add(known ? wrapper.binary : nullptr));
  });
  return handle;
}

void __hipUnregisterFatBinary(void** modules) {
  if (modules == nullptr) return;
  registering("__hipUnregisterFatBinary", [&] {
    // The code may still be running, and what it has printed is not written yet.
    Runtime::synchronize_all();
    Registry::get().remove(binary_of(modules));
  });
}

void __hipRegisterFunction(void** modules, const void* hostFunction, char*, const char* deviceName, unsigned,
                           void*, void*, dim3*, dim3*, int*) {
  if (modules == nullptr) return;
  registering("__hipRegisterFunction",
              [&] { Registry::get().add_function(binary_of(modules), hostFunction, deviceName); });
}

void __hipRegisterVar(void** modules, void* var, char*, char* deviceVar, int, size_t size, int, int) {
  if (modules == nullptr) return;
  registering("__hipRegisterVar",
              [&] { Registry::get().add_variable(binary_of(modules), var, {deviceVar, size, nullptr}); });
}

void __hipRegisterTexture(void** modules, void* var, char*, char* deviceVar, int, int, int) {
  if (modules == nullptr) return;
  registering("__hipRegisterTexture", [&] {
    Registry::get().add_variable(binary_of(modules), var, {deviceVar, sizeof(textureReference), nullptr});
  });
}

void __hipRegisterSurface(void** modules, void* var, char*, char* deviceVar, int, int) {
  if (modules == nullptr) return;
  registering("__hipRegisterSurface", [&] {
    Registry::get().add_variable(binary_of(modules), var, {deviceVar, sizeof(surfaceReference), nullptr});
  });
}

void __hipRegisterManagedVar(void** modules, void** pointer, void* initValue, const char* name, size_t size,
                             unsigned) {
  if (modules == nullptr) return;
  registering("__hipRegisterManagedVar", [&] {
    const hipError_t started = Runtime::start();
    if (started != hipSuccess) throw Failure(started, "there is no device");
    auto* const memory =
        allocate_host_memory(Runtime::get().device(0), size, MemoryKind::managed, hipMemAttachGlobal);
    std::memcpy(memory, initValue, size);
    *pointer = memory;
    // Host code names the variable by the address of its memory.
    Registry::get().add_variable(binary_of(modules), static_cast<const void*>(memory), {name, size, memory});
  });
}

}  // namespace heddle::hip::api
