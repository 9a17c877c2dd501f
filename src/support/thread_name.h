// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <cassert>
#include <string_view>

namespace heddle {

/// Names the calling thread for debuggers, `top -H` and profilers. Linux keeps 15 bytes. All threads that
/// libraries of heddle start in the processes of others have names that begin with "heddle-".
inline void name_thread(const char* name) noexcept {
  assert(std::string_view(name).starts_with("heddle-") && std::string_view(name).size() <= 15);
  pthread_setname_np(pthread_self(), name);
}

}  // namespace heddle
