// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loader extension of AMD: what executables have loaded.
#include <unistd.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <hsa/hsa_ven_amd_loader.h>

#include "runtime/api/api.h"
#include "runtime/core/code_object.h"
#include "runtime/core/executable.h"

using namespace heddle::runtime;

namespace {

/// A segment and the handle of its executable.
struct Found {
  hsa_executable_t executable;
  LoadedSegment segment;
};

/// Returns the segments of all executables. Another thread may destroy an executable meanwhile; its segments
/// are then in the result or not.
std::vector<Found> all_segments(Runtime& runtime) {
  std::vector<Found> found;
  runtime.objects().executables.for_each([&](uint64_t handle, const std::shared_ptr<Executable>& executable) {
    for (LoadedSegment& segment : executable->segments())
      found.push_back({hsa_executable_t{handle}, std::move(segment)});
  });
  return found;
}

/// Finds the segment that contains an address.
std::optional<Found> find_segment(Runtime& runtime, const void* address) {
  for (Found& found : all_segments(runtime))
    if (found.segment.contains(address)) return std::move(found);
  return std::nullopt;
}

hsa_ven_amd_loader_segment_descriptor_t describe(const Found& found) {
  hsa_ven_amd_loader_segment_descriptor_t descriptor{};
  const LoadedSegment& segment = found.segment;
  if (segment.agent != nullptr) descriptor.agent = segment.agent->handle;
  descriptor.executable = found.executable;
  descriptor.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE;
  if (segment.image != nullptr) {
    descriptor.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
    descriptor.code_object_storage_base = segment.image->bytes.data();
    descriptor.code_object_storage_size = segment.image->bytes.size();
  }
  descriptor.segment_base = segment.memory.data();
  descriptor.segment_size = segment.memory.size();
  return descriptor;
}

/// A loaded code object and the handle of its executable.
struct Loaded {
  hsa_executable_t executable;
  LoadedCodeObjectInfo info;

  std::string uri() const {
    return fmt::format("memory://{}#offset=0x{:x}&size={}", getpid(),
                       reinterpret_cast<uintptr_t>(info.image->bytes.data()), info.image->bytes.size());
  }
};

std::optional<Loaded> find_loaded(Runtime& runtime, uint64_t handle) {
  std::optional<Loaded> found;
  runtime.objects().executables.for_each([&](uint64_t executable, const std::shared_ptr<Executable>& object) {
    for (LoadedCodeObjectInfo& info : object->loaded_code_objects())
      if (info.handle == handle) found = Loaded{{executable}, std::move(info)};
  });
  return found;
}

using L = const Loaded&;
using V = api::Value;

constexpr api::Attribute<Loaded> attributes[] = {
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE,
     [](L loaded, V value) { value.put<hsa_executable_t>(loaded.executable); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND,
     [](L loaded, V value) {
       value.put<uint32_t>(loaded.info.form == LoadForm::program
                               ? HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM
                               : HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
     }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT,
     [](L loaded, V value) { value.put<hsa_agent_t>(loaded.info.agent->handle); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE,
     [](L, V value) { value.put<uint32_t>(HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE,
     [](L loaded, V value) {
       value.put<uint64_t>(reinterpret_cast<uint64_t>(loaded.info.image->bytes.data()));
     }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE,
     [](L loaded, V value) { value.put<uint64_t>(loaded.info.image->bytes.size()); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA,
     [](L loaded, V value) {
       const auto base = reinterpret_cast<uint64_t>(loaded.info.code.data());
       value.put<int64_t>(base == 0 ? 0 : static_cast<int64_t>(base - heddle::codeobject::text_address));
     }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE,
     [](L loaded, V value) { value.put<uint64_t>(reinterpret_cast<uint64_t>(loaded.info.code.data())); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE,
     [](L loaded, V value) { value.put<uint64_t>(loaded.info.code.size()); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH,
     [](L loaded, V value) { value.put<uint32_t>(static_cast<uint32_t>(loaded.uri().size())); }},
    {HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI,
     [](L loaded, V value) { value.put_c_string(loaded.uri()); }},
};

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ven_amd_loader_query_host_address(const void* device_address, const void** host_address) {
  return api::guard([&](Runtime& runtime) {
    if (device_address == nullptr || host_address == nullptr || !find_segment(runtime, device_address))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *host_address = device_address;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ven_amd_loader_query_segment_descriptors(
    hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors, size_t* num_segment_descriptors) {
  return api::guard([&](Runtime& runtime) {
    if (num_segment_descriptors == nullptr ||
        (segment_descriptors == nullptr) != (*num_segment_descriptors == 0))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::vector<Found> segments = all_segments(runtime);
    if (segment_descriptors == nullptr) {
      *num_segment_descriptors = segments.size();
      return HSA_STATUS_SUCCESS;
    }
    if (*num_segment_descriptors != segments.size()) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    std::transform(segments.begin(), segments.end(), segment_descriptors, describe);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ven_amd_loader_query_executable(const void* device_address, hsa_executable_t* executable) {
  return api::guard([&](Runtime& runtime) {
    if (device_address == nullptr || executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto found = find_segment(runtime, device_address);
    if (!found) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = found->executable;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t loaded_code_object,
                             void* data),
    void* data) {
  return api::guard([&](Runtime& runtime) {
    const auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->loaded_code_objects(), [&](const LoadedCodeObjectInfo& info) {
      return callback(executable, hsa_loaded_code_object_t{info.handle}, data);
    });
  });
}

hsa_status_t hsa_ven_amd_loader_loaded_code_object_get_info(
    hsa_loaded_code_object_t loaded_code_object, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
    void* value) {
  return api::guard([&](Runtime& runtime) {
    const auto found = find_loaded(runtime, loaded_code_object.handle);
    if (!found) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (attribute == HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT && found->info.agent == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(attributes, static_cast<uint32_t>(attribute), value, *found);
  });
}

hsa_status_t hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
    hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t* code_object_reader) {
  return api::guard([&](Runtime& runtime) {
    if (code_object_reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::shared_ptr<CodeObjectReader> reader;
    const hsa_status_t status = CodeObjectReader::from_file(file, offset, size, reader);
    if (status != HSA_STATUS_SUCCESS) return status;
    code_object_reader->handle = runtime.objects().readers.insert(std::move(reader));
    return code_object_reader->handle == 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ven_amd_loader_iterate_executables(hsa_status_t (*callback)(hsa_executable_t executable,
                                                                             void* data),
                                                    void* data) {
  return api::guard([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<hsa_executable_t> handles;
    runtime.objects().executables.for_each(
        [&](uint64_t handle, const std::shared_ptr<Executable>&) { handles.push_back({handle}); });
    return api::iterate(handles, [&](hsa_executable_t executable) { return callback(executable, data); });
  });
}

}  // namespace heddle::runtime::functions
