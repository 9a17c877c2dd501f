// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A finalizer for programs that run over the fake driver: the real one, whose code for NVIDIA GPUs also gets
// comments that tell the fake what to interpret. HEDDLE_FINALIZER names it.
#include <dlfcn.h>
#include <hsa/hsa_brig.h>
#include <hsail/hsail.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comments.h"
#include "dump_folder.h"

#define HEDDLE_FAKE extern "C" __attribute__((visibility("default")))

/// A program of the real finalizer, and the modules that were added to it.
struct hsail_program_s {
  hsail_program_t real = nullptr;
  std::vector<std::vector<std::byte>> modules;
};

namespace {

/// Finds a function of the real finalizer. Without it no test can go on.
template <typename Function>
Function* real(const char* name, Function*) {
  static void* const library = dlopen(HEDDLE_REAL_FINALIZER, RTLD_NOW | RTLD_LOCAL);
  void* const found = library ? dlsym(library, name) : nullptr;
  if (found) return reinterpret_cast<Function*>(found);
  std::fprintf(stderr, "fake finalizer: %s\n", dlerror());
  std::abort();
}
#define REAL(function) real(#function, &(function))

std::vector<std::byte> bytes_of(const void* brig, size_t size) {
  if (size == SIZE_MAX) {
    hsa_brig_module_header_t header;
    std::memcpy(&header, brig, sizeof header);
    size = header.byte_count;
  }
  const auto* begin = static_cast<const std::byte*>(brig);
  return {begin, begin + size};
}

/// Adds the comments at the end of the PTX. Returns nothing if the code object has none.
std::vector<std::byte> with_comments(std::span<const std::byte> code,
                                     const std::vector<std::vector<std::byte>>& modules,
                                     const std::vector<std::byte>& lowered) {
  auto object = heddle::codeobject::read(code);
  if (!object || object->text.empty()) return {};
  heddle::cuda::fake::add_comments(*object, modules, lowered);
  return heddle::codeobject::write(*object);
}

hsail_status replace(hsail_blob& blob, const std::vector<std::byte>& bytes) {
  void* const copy = std::malloc(bytes.size());
  if (!copy) return HSAIL_OUT_OF_RESOURCES;
  std::memcpy(copy, bytes.data(), bytes.size());
  REAL(hsail_blob_free)(&blob);
  blob = {copy, bytes.size()};
  return HSAIL_OK;
}

}  // namespace

HEDDLE_FAKE uint32_t hsail_api_version() { return REAL(hsail_api_version)(); }

HEDDLE_FAKE void hsail_blob_free(hsail_blob* blob) { REAL(hsail_blob_free)(blob); }

HEDDLE_FAKE int hsail_isa_at(uint32_t index, hsail_isa_info* info) { return REAL(hsail_isa_at)(index, info); }

HEDDLE_FAKE hsail_status hsail_program_create(uint32_t model, uint32_t profile, uint32_t rounding,
                                              hsail_program_t* program) {
  hsail_program_t made = nullptr;
  const hsail_status status = REAL(hsail_program_create)(model, profile, rounding, &made);
  if (status == HSAIL_OK) *program = new hsail_program_s{made, {}};
  return status;
}

HEDDLE_FAKE hsail_status hsail_program_destroy(hsail_program_t program) {
  const hsail_status status = REAL(hsail_program_destroy)(program->real);
  delete program;
  return status;
}

HEDDLE_FAKE hsail_status hsail_program_add_module(hsail_program_t program, const void* brig, size_t size,
                                                  hsail_diagnostic_callback callback, void* data) {
  const hsail_status status = REAL(hsail_program_add_module)(program->real, brig, size, callback, data);
  if (status == HSAIL_OK) program->modules.push_back(bytes_of(brig, size));
  return status;
}

HEDDLE_FAKE hsail_status hsail_program_finalize(hsail_program_t program, hsail_code_object_kind kind,
                                                const char* isa, const char* options,
                                                const hsail_control_directives* directives, hsail_blob* code,
                                                hsail_diagnostic_callback callback, void* data) {
  const heddle::cuda::fake::DumpFolder folder;
  std::string all_options = options ? options : "";
  if (!folder.path().empty()) all_options += " -dump=" + folder.path();
  const hsail_status status = REAL(hsail_program_finalize)(program->real, kind, isa, all_options.c_str(),
                                                           directives, code, callback, data);
  if (status != HSAIL_OK || !isa || !std::string_view(isa).starts_with("heddle:nvptx")) return status;
  const auto told = with_comments({static_cast<const std::byte*>(code->data), code->size}, program->modules,
                                  folder.lowered());
  return told.empty() ? HSAIL_OK : replace(*code, told);
}
