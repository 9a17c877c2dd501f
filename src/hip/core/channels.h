// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The channels of the elements of arrays and textures, which HIP describes in two ways and HSA in a third.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <cstddef>
#include <optional>

namespace heddle::hip {

/// 1, 2 or 4 channels of one type.
struct Channels {
  hipArray_Format format = HIP_AD_FORMAT_UNSIGNED_INT8;
  unsigned count = 1;

  size_t element_size() const;
  /// As HIP's functions for programs describe them: by bits.
  hipChannelFormatDesc descriptor() const;
  bool is_floating() const { return format == HIP_AD_FORMAT_HALF || format == HIP_AD_FORMAT_FLOAT; }
  /// The format of an image whose elements are read as they are.
  hsa_ext_image_format_t image_format() const;
  /// The format of an image whose integers are read as numbers from 0 or -1 to 1; nullopt for channels that
  /// are integers of 32 bits, which HSA does not read so. Floating-point numbers stay what they are.
  std::optional<hsa_ext_image_format_t> normalized_image_format() const;

  friend bool operator==(const Channels&, const Channels&) = default;
};

/// Both throw Failure (InvalidValue) for what no array has.
Channels channels_of(const hipChannelFormatDesc& descriptor);
Channels channels_of(hipArray_Format format, unsigned count);

}  // namespace heddle::hip
