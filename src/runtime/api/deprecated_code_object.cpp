// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects of HSA 1.0 (Runtime 2.8.1.50 to 2.8.1.64).
#include "runtime/api/deprecated_code_object.h"

#include <fmt/format.h>

#include "runtime/api/symbol_attributes.h"
#include "runtime/core/code_object.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/executable.h"

using namespace heddle::runtime;

namespace {

using V = api::Value;

struct Subject {
  Runtime& runtime;
  const heddle::codeobject::CodeObject& object;
};
using O = const Subject&;

constexpr api::Attribute<Subject> code_object_attributes[] = {
    {HSA_CODE_OBJECT_INFO_VERSION,
     [](O subject, V value) {
       value.put_name(
           fmt::format("heddle HSAIL {}.{}", subject.object.hsail_major, subject.object.hsail_minor));
     }},
    {HSA_CODE_OBJECT_INFO_TYPE,
     [](O, V value) { value.put<hsa_code_object_type_t>(HSA_CODE_OBJECT_TYPE_PROGRAM); }},
    {HSA_CODE_OBJECT_INFO_ISA,
     [](O subject, V value) {
       // The ISA has a handle even if no agent of this machine executes it.
       const Isa* isa = subject.object.isa.empty()
                            ? nullptr
                            : subject.runtime.topology().intern_isa(subject.object.isa, 1);
       value.put<hsa_isa_t>(isa == nullptr ? hsa_isa_t{0} : isa->handle);
     }},
    {HSA_CODE_OBJECT_INFO_MACHINE_MODEL,
     [](O subject, V value) {
       value.put<hsa_machine_model_t>(static_cast<hsa_machine_model_t>(subject.object.machine_model));
     }},
    {HSA_CODE_OBJECT_INFO_PROFILE,
     [](O subject, V value) {
       value.put<hsa_profile_t>(static_cast<hsa_profile_t>(subject.object.profile));
     }},
    {HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
     [](O subject, V value) {
       value.put<hsa_default_float_rounding_mode_t>(
           static_cast<hsa_default_float_rounding_mode_t>(subject.object.rounding));
     }},
};

hsa_status_t find_symbol(hsa_code_object_t code_object, const char* module_name, const char* symbol_name,
                         hsa_code_symbol_t* symbol, const char* function = __builtin_FUNCTION()) {
  return api::guard(
      [&](Runtime& runtime) {
        auto found = runtime.objects().code_objects.get(code_object.handle);
        if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
        if (symbol_name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        for (const auto& candidate : found->symbols) {
          if (!candidate->description.matches(module_name, symbol_name)) continue;
          *symbol = candidate->handle;
          return HSA_STATUS_SUCCESS;
        }
        return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
      },
      function);
}

}  // namespace

hsa_status_t api::publish_code_object(Runtime& runtime, std::shared_ptr<const CodeImage> image,
                                      hsa_code_object_t* code_object) {
  Objects& objects = runtime.objects();
  auto made = std::make_shared<CodeObject>();
  for (SymbolDescription& description : describe_symbols(image->object)) {
    auto symbol = std::make_shared<CodeSymbol>();
    symbol->description = std::move(description);
    made->symbols.push_back(std::move(symbol));
  }
  made->image = std::move(image);
  const uint64_t handle = objects.code_objects.insert(made);
  if (handle == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  made->handle.handle = handle;
  for (const auto& symbol : made->symbols) symbol->handle.handle = objects.code_symbols.insert(symbol);
  code_object->handle = handle;
  return HSA_STATUS_SUCCESS;
}

namespace heddle::runtime::functions {

hsa_status_t hsa_code_object_serialize(hsa_code_object_t code_object,
                                       hsa_status_t (*alloc_callback)(size_t size, hsa_callback_data_t data,
                                                                      void** address),
                                       hsa_callback_data_t callback_data, const char* options,
                                       void** serialized_code_object, size_t* serialized_code_object_size) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().code_objects.get(code_object.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (alloc_callback == nullptr || serialized_code_object == nullptr ||
        serialized_code_object_size == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::vector<std::byte>& bytes = found->image->bytes;
    void* address = nullptr;
    const hsa_status_t status = alloc_callback(bytes.size(), callback_data, &address);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (address == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memcpy(address, bytes.data(), bytes.size());
    *serialized_code_object = address;
    *serialized_code_object_size = bytes.size();
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_deserialize(void* serialized_code_object, size_t serialized_code_object_size,
                                         const char* options, hsa_code_object_t* code_object) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    if (serialized_code_object == nullptr || serialized_code_object_size == 0 || code_object == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto image = parse_code_image(
        {static_cast<const std::byte*>(serialized_code_object), serialized_code_object_size});
    if (image == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::publish_code_object(runtime, std::move(image), code_object);
  });
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object) {
  return api::guard([&](Runtime& runtime) {
    auto erased = runtime.objects().code_objects.erase(code_object.handle);
    if (erased == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (const auto& symbol : erased->symbols) runtime.objects().code_symbols.erase(symbol->handle.handle);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t code_object, hsa_code_object_info_t attribute,
                                      void* value) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().code_objects.get(code_object.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Subject subject{runtime, found->image->object};
    return api::get_attribute(code_object_attributes, static_cast<uint32_t>(attribute), value, subject);
  });
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                             hsa_code_object_t code_object, const char* options) {
  (void)options;
  return api::guard([&](Runtime& runtime) {
    clear_diagnostics();
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    const Agent* owner = runtime.topology().agent(agent);
    if (owner == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    auto code = runtime.objects().code_objects.get(code_object.handle);
    if (code == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    return found->load(LoadForm::both, owner, code->image, nullptr);
  });
}

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code_object, const char* symbol_name,
                                        hsa_code_symbol_t* symbol) {
  return find_symbol(code_object, nullptr, symbol_name, symbol);
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code_object, const char* module_name,
                                                  const char* symbol_name, hsa_code_symbol_t* symbol) {
  return find_symbol(code_object, module_name, symbol_name, symbol);
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t code_symbol, hsa_code_symbol_info_t attribute,
                                      void* value) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().code_symbols.get(code_symbol.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_symbol_info(found->description, static_cast<uint32_t>(attribute), value);
  });
}

hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t code_object,
                                             hsa_status_t (*callback)(hsa_code_object_t code_object,
                                                                      hsa_code_symbol_t symbol, void* data),
                                             void* data) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().code_objects.get(code_object.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->symbols,
                        [&](const auto& symbol) { return callback(code_object, symbol->handle, data); });
  });
}

}  // namespace heddle::runtime::functions
