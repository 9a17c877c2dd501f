// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions begin and end the lives of objects, and which types are handles of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "layers/check/functions.h"
#include "layers/check/objects.h"

namespace heddle::check {

enum class Life : uint8_t { none, begins, ends };

/// Functions that return a new handle through their last argument that can hold one.
inline constexpr std::string_view beginnings[] = {
    "hsa_signal_create",
    "hsa_amd_signal_create",
    "hsa_amd_ipc_signal_attach",
    "hsa_signal_group_create",
    "hsa_queue_create",
    "hsa_soft_queue_create",
    "hsa_amd_queue_intercept_create",
    "hsa_executable_create",
    "hsa_executable_create_alt",
    "hsa_code_object_reader_create_from_file",
    "hsa_code_object_reader_create_from_memory",
    "hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size",
    "hsa_code_object_deserialize",
    "hsa_ext_program_finalize",
    "hsa_ext_program_create",
    "hsa_ext_code_object_writer_create_from_file",
    "hsa_ext_code_object_writer_create_from_memory",
    "hsa_ext_image_create",
    "hsa_ext_image_create_with_layout",
    "hsa_amd_image_create",
    "hsa_ext_sampler_create",
    "hsa_ext_perf_counter_session_context_create",
    "hsa_ext_log_create",
    "hsa_amd_vmem_handle_create",
    "hsa_amd_vmem_import_shareable_handle",
    "hsa_amd_vmem_retain_alloc_handle",
};

/// Functions that destroy the object of their last argument that is a handle.
inline constexpr std::string_view endings[] = {
    "hsa_signal_destroy",
    "hsa_signal_group_destroy",
    "hsa_queue_destroy",
    "hsa_executable_destroy",
    "hsa_code_object_reader_destroy",
    "hsa_code_object_destroy",
    "hsa_ext_program_destroy",
    "hsa_ext_code_object_writer_destroy",
    "hsa_ext_image_destroy",
    "hsa_ext_sampler_destroy",
    "hsa_ext_perf_counter_session_context_destroy",
    "hsa_ext_log_destroy",
    "hsa_amd_vmem_handle_release",
};

constexpr Life life_of(std::string_view function) {
  if (std::ranges::find(beginnings, function) != std::end(beginnings)) return Life::begins;
  if (std::ranges::find(endings, function) != std::end(endings)) return Life::ends;
  return Life::none;
}

/// The kind of object that a type is a handle of.
template <typename T>
struct HandleKind : std::false_type {};
template <Kind K>
struct HandleOf : std::true_type {
  static constexpr Kind kind = K;
};
template <>
struct HandleKind<hsa_signal_t> : HandleOf<Kind::signal> {};
template <>
struct HandleKind<hsa_signal_group_t> : HandleOf<Kind::signal_group> {};
template <>
struct HandleKind<hsa_queue_t*> : HandleOf<Kind::queue> {};
template <>
struct HandleKind<const hsa_queue_t*> : HandleOf<Kind::queue> {};
template <>
struct HandleKind<hsa_executable_t> : HandleOf<Kind::executable> {};
template <>
struct HandleKind<hsa_code_object_reader_t> : HandleOf<Kind::reader> {};
template <>
struct HandleKind<hsa_code_object_t> : HandleOf<Kind::code_object> {};
template <>
struct HandleKind<hsa_ext_program_t> : HandleOf<Kind::program> {};
template <>
struct HandleKind<hsa_ext_code_object_writer_t> : HandleOf<Kind::writer> {};
template <>
struct HandleKind<hsa_ext_image_t> : HandleOf<Kind::image> {};
template <>
struct HandleKind<hsa_ext_sampler_t> : HandleOf<Kind::sampler> {};
template <>
struct HandleKind<hsa_ext_perf_counter_session_ctx_t> : HandleOf<Kind::counter_session> {};
template <>
struct HandleKind<hsa_ext_log_t> : HandleOf<Kind::log> {};
template <>
struct HandleKind<hsa_amd_vmem_alloc_handle_t> : HandleOf<Kind::memory_handle> {};

template <typename T>
inline constexpr bool is_handle = HandleKind<std::remove_cvref_t<T>>::value;
template <typename T>
inline constexpr Kind kind_of = HandleKind<std::remove_cvref_t<T>>::kind;

template <typename T>
uint64_t handle_of(const T& handle) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint64_t>(handle);
  else
    return handle.handle;
}

/// Returns the kind and handle of the last argument that is a handle.
template <typename... Args>
std::pair<Kind, uint64_t> last_handle(const Args&... args) {
  std::pair<Kind, uint64_t> found{};
  const auto take = [&]<typename T>(const T& argument) {
    if constexpr (is_handle<T>) found = {kind_of<T>, handle_of(argument)};
  };
  (take(args), ...);
  return found;
}

/// Returns the kind and handle that the last argument which points to a handle points to.
template <typename... Args>
std::pair<Kind, uint64_t> last_made(const Args&... args) {
  std::pair<Kind, uint64_t> found{};
  const auto take = [&]<typename T>(const T& argument) {
    using Pointed = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && !std::is_const_v<Pointed>)
      if constexpr (is_handle<Pointed>)
        if (argument != nullptr) found = {kind_of<Pointed>, handle_of(*argument)};
  };
  (take(args), ...);
  return found;
}

}  // namespace heddle::check
