/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Formats of elements of arrays: hipCreateChannelDesc() makes one of bits, hipCreateChannelDesc<T>() that of
 * a type.
 */
#ifndef HIP_CHANNEL_DESCRIPTOR_H_
#define HIP_CHANNEL_DESCRIPTOR_H_

#include <hip/hip_vector_types.h>
#include <hip/runtime/memory.h>

#ifdef __cplusplus

#include <type_traits>

extern "C" hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, enum hipChannelFormatKind f);

/* The scalar type and number of channels of a type of elements. */
template <typename T>
struct __hip_channels_ {
  typedef T element;
  static constexpr int count = 1;
};
template <typename T, unsigned N>
struct __hip_channels_<HIP_vector_type<T, N>> {
  typedef T element;
  static constexpr int count = static_cast<int>(N);
};

template <typename T>
static inline hipChannelFormatDesc hipCreateChannelDesc() {
  typedef typename __hip_channels_<T>::element element;
  constexpr int count = __hip_channels_<T>::count;
  constexpr int bits = static_cast<int>(8 * sizeof(element));
  constexpr enum hipChannelFormatKind kind = std::is_floating_point<element>::value
                                                 ? hipChannelFormatKindFloat
                                             : std::is_signed<element>::value ? hipChannelFormatKindSigned
                                                                              : hipChannelFormatKindUnsigned;
  return hipChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

#endif
#endif /* HIP_CHANNEL_DESCRIPTOR_H_ */
