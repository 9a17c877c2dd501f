// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element between memory and components (PRM 7.1.4); for the files of this folder.
#pragma once

#include "image/image.h"

namespace heddle::image {

/// Four access components, before they have a type. Which member counts: the format's AccessKind.
union Components {
  double number[4];
  int64_t integer[4];
};

/// Where an element stands; indices are in range.
std::byte* element_address(const Image& image, uint32_t x, uint32_t y, uint32_t z);

Components decode(const Image& image, const std::byte* element);
/// Components that memory does not have are ignored; the stencil stays.
void encode(const Image& image, const Components& components, std::byte* element);
/// How many bytes of an element that encode writes, from its first: all but the stencil.
size_t stored_size(const Image& image);
Components border_colour(const Image& image);

Texel to_texel(const Image& image, AccessType type, const Components& components);
Components from_texel(const Image& image, AccessType type, const Texel& texel);

}  // namespace heddle::image
