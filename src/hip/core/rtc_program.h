// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of hipRTC: a source, and what was made of it.
#pragma once

#include <hip/runtime/compilation.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heddle::hip {

struct RtcCompiled;

/// All functions are thread safe.
class RtcProgram {
 public:
  /// A text that the source can include under a name.
  using Header = std::pair<std::string, std::string>;

  RtcProgram(std::string name, std::string source, std::vector<Header> headers);

  hiprtcResult add_name_expression(const std::string& expression);
  hiprtcResult compile(const std::vector<std::string>& options);
  /// Returns the bundle for modules; nothing if the program has not been compiled with success.
  std::vector<std::byte> code() const;
  /// What the compiler wrote last.
  std::string log() const;
  /// Sets `name` to a string of the program.
  hiprtcResult lowered_name(const std::string& expression, const char*& name) const;

 private:
  std::string whole_source() const;
  void keep(const RtcCompiled& compiled);

  std::string name_;
  std::string source_;
  std::vector<Header> headers_;
  mutable std::mutex mutex_;
  bool compiled_ = false;  // hiprtcCompileProgram was called
  std::vector<std::string> expressions_;
  std::vector<std::string> names_;  // of the expressions; empty where there is none
  std::vector<std::byte> code_;     // empty unless the last compilation was a success
  std::string log_;
};

}  // namespace heddle::hip
