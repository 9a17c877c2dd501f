// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input for the benchmarks of the toolchain.
#pragma once

#include <hsail/hsail.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bench {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Bytes that the toolchain has allocated, freed with the object.
struct Blob {
  Blob() = default;
  ~Blob() { hsail_blob_free(&blob); }
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  hsail_blob blob{};
};

inline void check(hsail_status status, const char* what) {
  if (status != HSAIL_OK) throw std::runtime_error(std::string(what) + ": status " + std::to_string(status));
}

inline void assemble(const std::string& text, Blob& brig) {
  check(hsail_assemble(text.data(), text.size(), "input", &brig.blob, nullptr, nullptr), "hsail_assemble");
}

}  // namespace bench
