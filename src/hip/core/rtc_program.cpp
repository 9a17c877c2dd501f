// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/rtc_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>

#include "hip/bundle/bundle.h"
#include "hip/core/rtc_compiler.h"
#include "hip/core/rtc_options.h"
#include "support/temporary_folder.h"

namespace heddle::hip {
namespace {

// Variables with these names ask the compiler for the name of what they point to (hsail/compiler.h).
constexpr const char* question = "__hsail_symbol_";

/// Returns whether a file of this name, relative to a folder, lies below the folder.
bool stays_below(const std::filesystem::path& name) {
  return !name.empty() && name.is_relative() && std::ranges::find(name, "..") == name.end();
}

bool write_headers(const TemporaryFolder& folder, const std::vector<RtcProgram::Header>& headers) {
  for (const auto& [name, text] : headers) {
    const std::filesystem::path path = std::filesystem::path(folder.path()) / name;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (failed || !file) return false;
  }
  return true;
}

}  // namespace

RtcProgram::RtcProgram(std::string name, std::string source, std::vector<Header> headers)
    : name_(std::move(name)), source_(std::move(source)), headers_(std::move(headers)) {}

hiprtcResult RtcProgram::add_name_expression(const std::string& expression) {
  const std::scoped_lock lock(mutex_);
  if (compiled_) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  if (std::ranges::find(expressions_, expression) == expressions_.end()) expressions_.push_back(expression);
  return HIPRTC_SUCCESS;
}

std::string RtcProgram::whole_source() const {
  std::string text = source_;
  for (size_t i = 0; i < expressions_.size(); ++i)
    text += fmt::format(
        "\n# 1 \"name expression {}\"\nextern \"C\" __device__ __attribute__((used)) auto const {}{} = {};",
        i, question, i, expressions_[i]);
  return text + "\n";
}

hiprtcResult RtcProgram::compile(const std::vector<std::string>& options) {
  const std::scoped_lock lock(mutex_);
  compiled_ = true;
  code_.clear();
  log_.clear();
  names_.assign(expressions_.size(), {});
  for (const Header& header : headers_)
    if (!stays_below(header.first)) {
      log_ = "error: no name for a header: '" + header.first + "'\n";
      return HIPRTC_ERROR_COMPILATION;
    }
  auto folder = TemporaryFolder::create("hiprtc");
  if (!folder || !write_headers(*folder, headers_)) {
    log_ = "error: " + (folder ? "headers cannot be written to " + folder->path() : folder.error().message) +
           "\n";
    return HIPRTC_ERROR_COMPILATION;
  }
  std::vector<std::string> words{"-D__HIPCC_RTC__=1", "-include", "hip/hip_runtime.h", "-I" + folder->path()};
  for (std::string& word : rtc_options(options)) words.push_back(std::move(word));
  const RtcCompiled compiled = compile_source(name_, whole_source(), words);
  keep(compiled);
  return compiled.result;
}

void RtcProgram::keep(const RtcCompiled& compiled) {
  for (const RtcMessage& message : compiled.messages) {
    const size_t end = message.text.find(" is ");
    if (!message.text.starts_with(question) || end == std::string::npos) {
      log_ += message.display;
      continue;
    }
    const size_t index = std::stoul(message.text.substr(std::string_view(question).size(), end));
    if (index < names_.size()) names_[index] = message.text.substr(end + std::string_view(" is ").size());
  }
  const std::span<const std::byte> brig(compiled.brig);
  if (compiled.result == HIPRTC_SUCCESS) code_ = write_bundle({&brig, 1});
}

std::vector<std::byte> RtcProgram::code() const {
  const std::scoped_lock lock(mutex_);
  return code_;
}

std::string RtcProgram::log() const {
  const std::scoped_lock lock(mutex_);
  return log_;
}

hiprtcResult RtcProgram::lowered_name(const std::string& expression, const char*& name) const {
  const std::scoped_lock lock(mutex_);
  if (!compiled_) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = std::ranges::find(expressions_, expression);
  if (found == expressions_.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  const std::string& lowered = names_[static_cast<size_t>(found - expressions_.begin())];
  if (lowered.empty()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  name = lowered.c_str();
  return HIPRTC_SUCCESS;
}

}  // namespace heddle::hip
