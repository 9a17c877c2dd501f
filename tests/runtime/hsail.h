// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembles BRIG modules from HSAIL text with the toolchain's own library.
#pragma once

#include <dlfcn.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsail/hsail.h>

#include <cstring>
#include <string>
#include <vector>

#include "fixture.h"

namespace heddle::runtime::test {

/// Returns the module of a text. It must stay alive as long as a program contains it.
inline std::vector<uint64_t> assemble(const std::string& text) {
  void* library = dlopen(HEDDLE_FINALIZER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library == nullptr) return {};
  const auto hsail_assemble = reinterpret_cast<decltype(&::hsail_assemble)>(dlsym(library, "hsail_assemble"));
  const auto hsail_blob_free =
      reinterpret_cast<decltype(&::hsail_blob_free)>(dlsym(library, "hsail_blob_free"));
  hsail_blob brig{};
  std::string messages;
  const auto keep = [](const char* said, size_t length, void* data) {
    static_cast<std::string*>(data)->append(said, length);
  };
  EXPECT_EQ(hsail_assemble(text.data(), text.size(), "test.hsail", &brig, keep, &messages), HSAIL_OK)
      << messages;
  std::vector<uint64_t> module((brig.size + 7) / 8);
  if (brig.size != 0) std::memcpy(module.data(), brig.data, brig.size);
  hsail_blob_free(&brig);
  return module;
}

inline hsa_ext_module_t module_of(std::vector<uint64_t>& words) {
  return reinterpret_cast<hsa_ext_module_t>(words.data());
}

}  // namespace heddle::runtime::test
