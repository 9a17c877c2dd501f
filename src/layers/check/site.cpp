// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/site.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace heddle::check {
namespace {

bool find(const void* address, Dl_info& info) { return dladdr(address, &info) != 0; }

/// Returns the base address of the file that contains an address.
const void* file_of(const void* address) {
  Dl_info info{};
  return find(address, info) ? info.dli_fbase : nullptr;
}

std::string_view base_name(const char* path) {
  const std::string_view text = path != nullptr && *path != '\0' ? path : "?";
  const size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

bool is_runtime(const Dl_info& info) { return base_name(info.dli_fname).starts_with("libhsa-runtime64."); }

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string describe(const void* address) {
  Dl_info info{};
  if (!find(address, info)) return fmt::format("{}", address);
  // A return address may be the first byte behind a function that does not return.
  const auto value = reinterpret_cast<uintptr_t>(address) - 1;
  std::string place =
      fmt::format("{}+{:#x}", base_name(info.dli_fname), value - reinterpret_cast<uintptr_t>(info.dli_fbase));
  if (info.dli_sname == nullptr) return place;
  return fmt::format("{}+{:#x} ({})", readable(info.dli_sname),
                     value - reinterpret_cast<uintptr_t>(info.dli_saddr), place);
}

}  // namespace

void Site::prepare() noexcept {
  void* frame = nullptr;
  backtrace(&frame, 1);
}

Site Site::here() noexcept {
  Site site;
  const int depth = backtrace(site.frames_.data(), max_depth);
  site.depth_ = static_cast<uint8_t>(depth > 0 ? depth : 0);
  return site;
}

size_t Site::skipped() const {
  static const void* const self = file_of(reinterpret_cast<const void*>(&Site::prepare));
  size_t count = 0;
  for (; count < depth_; ++count) {
    Dl_info info{};
    if (!find(frames_[count], info) || (info.dli_fbase != self && !is_runtime(info))) break;
  }
  return count == depth_ ? 0 : count;
}

bool Site::is_in_callback() const {
  for (size_t i = skipped(); i < depth_; ++i) {
    Dl_info info{};
    if (find(frames_[i], info) && is_runtime(info)) return true;
  }
  return false;
}

std::string Site::text(size_t limit) const {
  std::string out;
  for (size_t i = skipped(); i < depth_ && limit != 0; ++i, --limit) {
    if (!out.empty()) out += " < ";
    out += describe(frames_[i]);
  }
  return out.empty() ? "an unknown place" : out;
}

uint64_t Site::key() const {
  uint64_t key = 0;
  for (size_t i = skipped(), count = 0; i < depth_ && count < 3; ++i, ++count)
    key = key * 1099511628211u + reinterpret_cast<uintptr_t>(frames_[i]);
  return key;
}

}  // namespace heddle::check
