// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of tools that are called around calls of the library (hipRegisterApiCallback()).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "functions.h"

namespace heddle::hip {

/// `domain` is that of functions of HIP, `id` the number of the function, `data` what ApiCall lays out.
using ApiCallback = void (*)(uint32_t domain, uint32_t id, const void* data, void* argument);

struct RegisteredCallback {
  ApiCallback function = nullptr;
  void* argument = nullptr;
};

/// Whether any callback is registered, so that calls need no lock to see that there is none.
extern std::atomic<int> registered_callbacks;

/// Whether callbacks are called: from the beginning, and between hipProfilerStart() and hipProfilerStop().
extern std::atomic<bool> tools_are_called;

/// These are thread safe. They return false if there is no function with this number.
bool set_api_callback(uint32_t number, const RegisteredCallback& callback);
/// Returns the callback for a function; its function is null if there is none.
RegisteredCallback api_callback(FunctionId id);

/// What a callback is told: a correlation ID (uint64_t), the phase (uint32_t: 0 before the call, 1 after it),
/// and from byte 16 on the arguments in the layout of a C structure. A pointer to an object is followed by
/// room for the object, which the tool may fill. The object is the same in both phases.
class ApiCall {
 public:
  template <typename... Arguments>
  explicit ApiCall(const Arguments&... arguments) : bytes_(first_argument) {
    (append(arguments), ...);
    bytes_.resize(bytes_.size() + 64);  // tools may copy a little more than there is
  }

  void begin(FunctionId id, const RegisteredCallback& callback);
  void end();

 private:
  static constexpr size_t first_argument = 16;

  void reserve(size_t size, size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment + size);
  }

  template <typename T>
  void append(const T& argument) {
    reserve(sizeof(T), alignof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &argument, sizeof(T));
    if constexpr (std::is_pointer_v<T>) {
      using Object = std::remove_pointer_t<T>;
      if constexpr (is_complete<Object>) reserve(sizeof(Object), alignof(Object));
    }
  }

  template <typename T>
  static constexpr bool is_complete = requires(T& object) { sizeof(object); } && std::is_object_v<T>;

  void call(uint32_t phase);

  std::vector<std::byte> bytes_;
  FunctionId id_{};
  RegisteredCallback callback_;
};

}  // namespace heddle::hip
