/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for textures and surfaces: objects, which kernels take as arguments, and references, which are
 * variables of the program.
 *
 * Coordinates that are not normalized are clamped where the address mode says that they wrap or mirror. Those
 * of cubes are directions, for which address modes mean nothing. Borders of references are black. The largest
 * anisotropy has no effect, nor has the read mode for integers of 32 bits. Filters compute with the precision
 * of the numbers. All functions may be called by any thread, for one reference by one at a time.
 */
#ifndef HIP_FUNCTIONS_TEXTURES_H_
#define HIP_FUNCTIONS_TEXTURES_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/modules.h>
#include <hip/runtime/textures.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a texture of an array, of linear memory (kernels read it with tex1Dfetch() alone), or of rows, on the
 * current device. The program keeps linear memory and rows until it has destroyed the texture; a view, which
 * may be NULL, gives an array another format of the same size, or takes some of its layers. Errors:
 * hipErrorInvalidValue (descriptions that are wrong or contradict each other); hipErrorNotSupported;
 * hipErrorOutOfMemory.
 */
hipError_t hipCreateTextureObject(hipTextureObject_t* texture, const hipResourceDesc* resource,
                                  const hipTextureDesc* reading, const struct hipResourceViewDesc* view);
hipError_t hipTexObjectCreate(hipTextureObject_t* texture, const HIP_RESOURCE_DESC* resource,
                              const HIP_TEXTURE_DESC* reading, const HIP_RESOURCE_VIEW_DESC* view);

/** Waits for the texture's device and destroys the texture; NULL is allowed. Error: hipErrorInvalidValue. */
hipError_t hipDestroyTextureObject(hipTextureObject_t texture);
hipError_t hipTexObjectDestroy(hipTextureObject_t texture);

/** Tells what a texture was made of. Error: hipErrorInvalidValue, also if it has no view. */
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* resource, hipTextureObject_t texture);
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* reading, hipTextureObject_t texture);
hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc* view, hipTextureObject_t texture);
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* resource, hipTextureObject_t texture);
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* reading, hipTextureObject_t texture);
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* view, hipTextureObject_t texture);

/**
 * Binds memory or an array to a reference, as its fields say it is read, until something else is bound or
 * hipUnbindTexture() is called. Textures begin at multiples of 256 bytes: `offset` receives how many bytes
 * before the address that is, and may be NULL if it is 0. Errors: hipErrorInvalidValue;
 * hipErrorInvalidSymbol (no variable of device code); those of hipCreateTextureObject().
 */
hipError_t hipBindTexture(size_t* offset, const textureReference* texture, const void* memory,
                          const hipChannelFormatDesc* desc, size_t size HIP_DEFAULT(UINT32_MAX));
hipError_t hipBindTexture2D(size_t* offset, const textureReference* texture, const void* memory,
                            const hipChannelFormatDesc* desc, size_t width, size_t height, size_t pitch);
hipError_t hipBindTextureToArray(const textureReference* texture, hipArray_const_t array,
                                 const hipChannelFormatDesc* desc);
hipError_t hipBindTextureToMipmappedArray(const textureReference* texture, hipMipmappedArray_const_t array,
                                          const hipChannelFormatDesc* desc);
hipError_t hipUnbindTexture(const textureReference* texture);
hipError_t hipGetTextureAlignmentOffset(size_t* offset, const textureReference* texture);

/** Returns the reference for the address of a texture of the program. Error: hipErrorInvalidSymbol. */
hipError_t hipGetTextureReference(const textureReference** texture, const void* symbol);

/** Returns the reference for a texture of a module, which lives as long as the module. Errors:
 * hipErrorInvalidHandle; hipErrorNotFound. */
hipError_t hipModuleGetTexRef(textureReference** texture, hipModule_t module, const char* name);

/** Binds an array (`flags` is HIP_TRSA_OVERRIDE_FORMAT), linear memory or rows to a reference. */
hipError_t hipTexRefSetArray(textureReference* texture, hipArray_const_t array, unsigned int flags);
hipError_t hipTexRefSetMipmappedArray(textureReference* texture, hipMipmappedArray_t array,
                                      unsigned int flags);
hipError_t hipTexRefSetAddress(size_t* offset, textureReference* texture, hipDeviceptr_t memory, size_t size);
hipError_t hipTexRefSetAddress2D(textureReference* texture, const HIP_ARRAY_DESCRIPTOR* desc,
                                 hipDeviceptr_t memory, size_t pitch);
hipError_t hipTexRefGetAddress(hipDeviceptr_t* memory, const textureReference* texture);

/** Sets or tells fields of a reference, which count when something is bound next. Error:
 * hipErrorInvalidValue. */
hipError_t hipTexRefSetFormat(textureReference* texture, enum hipArray_Format format, int channels);
hipError_t hipTexRefGetFormat(enum hipArray_Format* format, int* channels, const textureReference* texture);
hipError_t hipTexRefSetFlags(textureReference* texture, unsigned int flags);
hipError_t hipTexRefGetFlags(unsigned int* flags, const textureReference* texture);
hipError_t hipTexRefSetAddressMode(textureReference* texture, int dimension, enum hipTextureAddressMode mode);
hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode* mode, const textureReference* texture,
                                   int dimension);
hipError_t hipTexRefSetFilterMode(textureReference* texture, enum hipTextureFilterMode mode);
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode* mode, const textureReference* texture);
hipError_t hipTexRefSetMipmapFilterMode(textureReference* texture, enum hipTextureFilterMode mode);
hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode* mode, const textureReference* texture);
hipError_t hipTexRefSetMipmapLevelBias(textureReference* texture, float bias);
hipError_t hipTexRefGetMipmapLevelBias(float* bias, const textureReference* texture);
hipError_t hipTexRefSetMipmapLevelClamp(textureReference* texture, float least, float greatest);
hipError_t hipTexRefGetMipmapLevelClamp(float* least, float* greatest, const textureReference* texture);
hipError_t hipTexRefSetMaxAnisotropy(textureReference* texture, unsigned int most);
hipError_t hipTexRefGetMaxAnisotropy(int* most, const textureReference* texture);
hipError_t hipTexRefSetBorderColor(textureReference* texture, float* color);

#ifdef __cplusplus
}

/** Makes a surface of an array, or destroys it; NULL is allowed. Error: hipErrorInvalidValue. These functions
 * are some of C++, by the names that their symbols have. */
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* surface, const hipResourceDesc* resource);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surface);
#endif
#endif /* HIP_FUNCTIONS_TEXTURES_H_ */
