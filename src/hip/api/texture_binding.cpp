// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is bound to texture references.
#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/mipmapped_array.h"
#include "hip/core/module.h"
#include "hip/core/runtime.h"
#include "hip/core/texture_reference.h"

namespace heddle::hip::api {
namespace {

/// Textures of memory begin at multiples of this (hipDeviceProp_t::textureAlignment).
constexpr size_t texture_alignment = 256;

struct Start {
  void* address;
  size_t offset;
};

/// Returns where a texture begins so that it contains the address, and the distance, which the program has to
/// add to its coordinates. Throws Failure (InvalidValue) if there is one and the program does not ask for it.
Start start_of(const void* address, size_t* offset) {
  const size_t distance = reinterpret_cast<uintptr_t>(address) % texture_alignment;
  if (address == nullptr || (distance != 0 && offset == nullptr))
    throw Failure(hipErrorInvalidValue, "the address is not that of a texture");
  if (offset != nullptr) *offset = distance;
  return {static_cast<std::byte*>(const_cast<void*>(address)) - distance, distance};
}

/// Returns the size that the program names, or the rest of the memory if it names none (UINT32_MAX).
size_t size_of_texture(const void* address, size_t size) {
  if (size != UINT32_MAX) return size;
  const auto allocation = Runtime::get().memory().find(address);
  if (!allocation) throw Failure(hipErrorInvalidValue, "a texture needs memory of the device");
  return allocation->size - static_cast<size_t>(static_cast<const std::byte*>(address) - allocation->base);
}

void check_reference(const textureReference* reference) {
  if (reference == nullptr) throw Failure(hipErrorInvalidValue, "a texture reference is missing");
}

hipResourceDesc resource_of(hipArray_const_t array) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = const_cast<hipArray_t>(array);
  return resource;
}

hipResourceDesc resource_of(hipMipmappedArray_const_t array) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = const_cast<hipMipmappedArray_t>(array);
  return resource;
}

void bind(const textureReference* reference, const hipResourceDesc& resource, size_t offset = 0) {
  Runtime::get().texture_references().bind(reference, resource, offset);
}

/// Sets the format of a reference, and whether its integers stay integers (HIP_TRSF_READ_AS_INTEGER).
void set_format(textureReference& reference, const Channels& channels) {
  reference.format = channels.format;
  reference.numChannels = static_cast<int>(channels.count);
  reference.channelDesc = channels.descriptor();
}

}  // namespace

hipError_t hipBindTexture(size_t* offset, const textureReference* tex, const void* devPtr,
                          const hipChannelFormatDesc* desc, size_t size) {
  check_reference(tex);
  const Start start = start_of(devPtr, offset);
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear = {start.address, desc != nullptr ? *desc : tex->channelDesc,
                         size_of_texture(devPtr, size) + start.offset};
  bind(tex, resource, start.offset);
  return hipSuccess;
}

hipError_t hipBindTexture2D(size_t* offset, const textureReference* tex, const void* devPtr,
                            const hipChannelFormatDesc* desc, size_t width, size_t height, size_t pitch) {
  check_reference(tex);
  const Start start = start_of(devPtr, offset);
  const hipChannelFormatDesc& channels = desc != nullptr ? *desc : tex->channelDesc;
  hipResourceDesc resource{};
  resource.resType = hipResourceTypePitch2D;
  const size_t before = start.offset / channels_of(channels).element_size();
  resource.res.pitch2D = {start.address, channels, width + before, height, pitch};
  bind(tex, resource, start.offset);
  return hipSuccess;
}

hipError_t hipBindTextureToArray(const textureReference* tex, hipArray_const_t array,
                                 const hipChannelFormatDesc* desc) {
  check_reference(tex);
  const Channels& own = find_array(array, hipErrorInvalidValue)->shape().channels;
  if (desc != nullptr && channels_of(*desc) != own) return hipErrorInvalidValue;
  bind(tex, resource_of(array));
  return hipSuccess;
}

hipError_t hipBindTextureToMipmappedArray(const textureReference* tex,
                                          hipMipmappedArray_const_t mipmappedArray,
                                          const hipChannelFormatDesc* desc) {
  check_reference(tex);
  const Channels& own = find_mipmapped_array(mipmappedArray, hipErrorInvalidValue)->shape().channels;
  if (desc != nullptr && channels_of(*desc) != own) return hipErrorInvalidValue;
  bind(tex, resource_of(mipmappedArray));
  return hipSuccess;
}

hipError_t hipUnbindTexture(const textureReference* tex) {
  check_reference(tex);
  Runtime::get().texture_references().unbind(tex);
  return hipSuccess;
}

hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* texref) {
  if (offset == nullptr) return hipErrorInvalidValue;
  check_reference(texref);
  const TextureBinding binding = Runtime::get().texture_references().bound(texref);
  if (binding.texture == nullptr) return hipErrorInvalidValue;
  *offset = binding.offset;
  return hipSuccess;
}

hipError_t hipGetTextureReference(const textureReference** texref, const void* symbol) {
  if (texref == nullptr) return hipErrorInvalidValue;
  const auto* const reference = static_cast<const textureReference*>(symbol);
  Runtime::get().texture_references().bound(reference);
  *texref = reference;
  return hipSuccess;
}

hipError_t hipModuleGetTexRef(textureReference** texRef, hipModule_t hmod, const char* name) {
  if (texRef == nullptr || name == nullptr || *name == 0) return hipErrorInvalidValue;
  const auto module = Runtime::get().modules().find(hmod);
  if (module == nullptr) return hipErrorInvalidHandle;
  textureReference* const reference = module->texture_reference(name);
  if (reference == nullptr) return hipErrorNotFound;
  *texRef = reference;
  return hipSuccess;
}

hipError_t hipTexRefSetArray(textureReference* tex, hipArray_const_t array, unsigned int flags) {
  check_reference(tex);
  if (flags != HIP_TRSA_OVERRIDE_FORMAT) return hipErrorInvalidValue;
  set_format(*tex, find_array(array, hipErrorInvalidValue)->shape().channels);
  bind(tex, resource_of(array));
  return hipSuccess;
}

hipError_t hipTexRefSetMipmappedArray(textureReference* texRef, hipMipmappedArray* mipmappedArray,
                                      unsigned int Flags) {
  check_reference(texRef);
  if (Flags != HIP_TRSA_OVERRIDE_FORMAT) return hipErrorInvalidValue;
  set_format(*texRef, find_mipmapped_array(mipmappedArray, hipErrorInvalidValue)->shape().channels);
  bind(texRef, resource_of(mipmappedArray));
  return hipSuccess;
}

hipError_t hipTexRefSetAddress(size_t* ByteOffset, textureReference* texRef, hipDeviceptr_t dptr,
                               size_t bytes) {
  check_reference(texRef);
  const Channels channels = channels_of(texRef->format, static_cast<unsigned>(texRef->numChannels));
  const hipChannelFormatDesc desc = channels.descriptor();
  return hipBindTexture(ByteOffset, texRef, dptr, &desc, bytes);
}

hipError_t hipTexRefSetAddress2D(textureReference* texRef, const HIP_ARRAY_DESCRIPTOR* desc,
                                 hipDeviceptr_t dptr, size_t Pitch) {
  check_reference(texRef);
  if (desc == nullptr) return hipErrorInvalidValue;
  const Channels channels = channels_of(desc->Format, desc->NumChannels);
  set_format(*texRef, channels);
  return hipBindTexture2D(nullptr, texRef, dptr, &texRef->channelDesc, desc->Width, desc->Height, Pitch);
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t* dev_ptr, const textureReference* texRef) {
  if (dev_ptr == nullptr) return hipErrorInvalidValue;
  check_reference(texRef);
  const TextureBinding binding = Runtime::get().texture_references().bound(texRef);
  if (binding.texture == nullptr) return hipErrorInvalidValue;
  const hipResourceDesc& resource = binding.texture->resource();
  if (resource.resType == hipResourceTypeArray || resource.resType == hipResourceTypeMipmappedArray)
    return hipErrorInvalidValue;
  void* const start =
      resource.resType == hipResourceTypeLinear ? resource.res.linear.devPtr : resource.res.pitch2D.devPtr;
  *dev_ptr = static_cast<std::byte*>(start) + binding.offset;
  return hipSuccess;
}

hipError_t hipTexRefSetFormat(textureReference* texRef, hipArray_Format fmt, int NumPackedComponents) {
  check_reference(texRef);
  set_format(*texRef, channels_of(fmt, static_cast<unsigned>(NumPackedComponents)));
  return hipSuccess;
}

}  // namespace heddle::hip::api
