// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler library (hsail/compiler.h) for hipRTC. It is opened when a program is first compiled.
#pragma once

#include <hip/runtime/compilation.h>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::hip {

struct RtcMessage {
  std::string text;     ///< without place, in one line
  std::string display;  ///< as logs show it
};

struct RtcCompiled {
  hiprtcResult result = HIPRTC_SUCCESS;
  std::vector<std::byte> brig;  ///< empty unless the result is success
  std::vector<RtcMessage> messages;
};

/// Compiles a source. Thread safe.
RtcCompiled compile_source(const std::string& name, const std::string& text,
                           const std::vector<std::string>& options);

}  // namespace heddle::hip
