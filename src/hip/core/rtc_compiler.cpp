// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/rtc_compiler.h"

#include <dlfcn.h>
#include <hsail/compiler.h>

#include <new>

#include "support/versioned_library.h"

namespace heddle::hip {
namespace {

constexpr VersionedLibrary compiler_library{"HEDDLE_COMPILER",          "libheddle-compiler.so",
                                            HSAIL_COMPILER_API_VERSION, "hsail_compiler_api_version",
                                            "heddle-compiler",          "the compiler"};

hiprtcResult result_of(hsail_compile_status status) {
  switch (status) {
    case HSAIL_COMPILE_OK:
      return HIPRTC_SUCCESS;
    case HSAIL_COMPILE_INVALID_ARGUMENT:
      return HIPRTC_ERROR_INVALID_INPUT;
    case HSAIL_COMPILE_INVALID_OPTION:
      return HIPRTC_ERROR_INVALID_OPTION;
    case HSAIL_COMPILE_FAILED:
    case HSAIL_COMPILE_NOT_INSTALLED:
      return HIPRTC_ERROR_COMPILATION;
    case HSAIL_COMPILE_OUT_OF_RESOURCES:
      return HIPRTC_ERROR_OUT_OF_MEMORY;
  }
  return HIPRTC_ERROR_INTERNAL_ERROR;
}

/// Keeps a message. The compiler's callbacks must not throw; without memory the message is lost.
void keep(const hsail_message* message, void* messages) {
  try {
    static_cast<std::vector<RtcMessage>*>(messages)->push_back({message->text, message->display});
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace

RtcCompiled compile_source(const std::string& name, const std::string& text,
                           const std::vector<std::string>& options) {
  RtcCompiled compiled;
  const auto library = open_library(compiler_library, reinterpret_cast<const void*>(&compile_source));
  if (!library) {
    compiled.result = HIPRTC_ERROR_COMPILATION;
    compiled.messages.push_back({library.error().message, "error: " + library.error().message + "\n"});
    return compiled;
  }
  const auto compile = reinterpret_cast<decltype(&hsail_compile)>(dlsym(*library, "hsail_compile"));
  const auto free_blob = reinterpret_cast<decltype(&hsail_blob_free)>(dlsym(*library, "hsail_blob_free"));
  std::vector<const char*> words;
  words.reserve(options.size());
  for (const std::string& option : options) words.push_back(option.c_str());
  const hsail_source source{name.c_str(), text.data(), text.size(), HSAIL_LANGUAGE_HIP};
  hsail_blob module{};
  compiled.result = result_of(
      compile(&source, 1, words.data(), words.size(), HSAIL_MODULE_BRIG, &module, keep, &compiled.messages));
  const auto* const bytes = static_cast<const std::byte*>(module.data);
  if (compiled.result == HIPRTC_SUCCESS) compiled.brig.assign(bytes, bytes + module.size);
  free_blob(&module);
  return compiled;
}

}  // namespace heddle::hip
