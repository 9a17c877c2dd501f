// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts one element between memory and components (PRM 7.1.4). For the files of this folder only.
#pragma once

#include "image/operations.h"

namespace heddle::image {

/// Four access components, before they have a type. The AccessKind of the format says which member is valid.
union Components {
  double number[4];
  int64_t integer[4];
};

/// Returns the address of an element. Indices must be in range.
uint8_t* element_address(const Image& image, uint32_t x, uint32_t y, uint32_t z);

Components decode(const Image& image, const uint8_t* element);
/// Stores an element. Components that memory does not have are ignored, and a stencil is not changed.
void encode(const Image& image, const Components& components, uint8_t* element);
/// Returns the number of bytes that encode() writes, from the first byte of an element. Only a stencil is not
/// written.
size_t stored_size(const Image& image);
Components border_colour(const Image& image);

Texel to_texel(const Image& image, AccessType type, const Components& components);
Components from_texel(const Image& image, AccessType type, const Texel& texel);

}  // namespace heddle::image
