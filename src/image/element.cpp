// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/element.h"

#include "image/format.h"
#include "image/half.h"
#include "image/srgb.h"

namespace heddle::image {
namespace {

/// A field of a packed element, by its lowest bit and its width. The tables list r, g and b.
struct Field {
  uint8_t shift, bits;
};
struct PackedFields {
  uint32_t type;
  Field field[3];
};
constexpr PackedFields packed_fields[] = {
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555, {{10, 5}, {5, 5}, {0, 5}}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, {{11, 5}, {5, 6}, {0, 5}}},
    {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010, {{20, 10}, {10, 10}, {0, 10}}},
};
const PackedFields& fields_of(uint32_t type) {
  return type == packed_fields[0].type   ? packed_fields[0]
         : type == packed_fields[1].type ? packed_fields[1]
                                         : packed_fields[2];
}

/// Elements are aligned as their components are (plan_layout), without which a GPU would access each byte by
/// itself.
template <typename T>
uint32_t get_as(const uint8_t* at) {
  T value;
  __builtin_memcpy(&value, __builtin_assume_aligned(at, alignof(T)), sizeof value);
  return value;
}

/// Reads at most 4 little-endian bytes. A copy of a variable number of bytes would be a call, so each number
/// has its own case. Three bytes have no alignment.
uint32_t get(const uint8_t* at, unsigned bytes) {
  switch (bytes) {
    case 1:
      return *at;
    case 2:
      return get_as<uint16_t>(at);
    case 3:
      return uint32_t{at[0]} | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16;
    default:
      return get_as<uint32_t>(at);
  }
}

template <typename T>
void put_as(uint8_t* at, uint32_t bits) {
  const auto value = static_cast<T>(bits);
  __builtin_memcpy(__builtin_assume_aligned(at, alignof(T)), &value, sizeof value);
}

void put(uint8_t* at, unsigned bytes, uint32_t value) {
  switch (bytes) {
    case 1:
      *at = static_cast<uint8_t>(value);
      return;
    case 2:
      return put_as<uint16_t>(at, value);
    case 3:
      for (unsigned i = 0; i < 3; ++i) at[i] = static_cast<uint8_t>(value >> 8 * i);
      return;
    default:
      return put_as<uint32_t>(at, value);
  }
}

double greatest(unsigned bits) { return static_cast<double>((uint64_t{1} << bits) - 1); }

/// Returns value * scale, rounded to the nearest integer with ties to even and clamped to [low, scale]; 0 for
/// NaN. The product is exact before it is rounded, because access type and scale have at most 24 bits each.
double scaled(double value, double low, double scale) {
  if (is_nan(value)) return 0;
  return clamped(round_to_even(value * scale), low, scale);
}

int64_t sign_extend(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

/// Converts a component in memory to access component `index`.
void decode_component(const ChannelType& type, bool srgb, uint32_t bits, Components& to, unsigned index) {
  switch (type.encoding) {
    case Encoding::snorm: {
      const double value = static_cast<double>(sign_extend(bits, type.bits)) / greatest(type.bits - 1);
      to.number[index] = value < -1 ? -1 : value;
      break;
    }
    case Encoding::unorm:
      to.number[index] = srgb ? srgb_to_linear(static_cast<uint8_t>(bits)) : bits / greatest(type.bits);
      break;
    case Encoding::half:
      to.number[index] = widened(half_to_float(static_cast<uint16_t>(bits)));
      break;
    case Encoding::single:
      to.number[index] = widened(bits_as<float>(bits));
      break;
    case Encoding::signed_integer:
      to.integer[index] = sign_extend(bits, type.bits);
      break;
    default:
      to.integer[index] = bits;
      break;
  }
}

uint32_t encode_component(const ChannelType& type, bool srgb, const Components& from, unsigned index) {
  switch (type.encoding) {
    case Encoding::snorm:
      return static_cast<uint32_t>(static_cast<int32_t>(
          scaled(from.number[index], -greatest(type.bits - 1) - 1, greatest(type.bits - 1))));
    case Encoding::unorm:
      if (srgb) return linear_to_srgb(from.number[index]);
      return static_cast<uint32_t>(scaled(from.number[index], 0, greatest(type.bits)));
    case Encoding::half:
      return double_to_half(from.number[index]);
    case Encoding::single:
      return bits_as<uint32_t>(narrowed(from.number[index]));
    case Encoding::signed_integer: {
      const int64_t limit = int64_t{1} << (type.bits - 1);
      return static_cast<uint32_t>(clamped(from.integer[index], -limit, limit - 1));
    }
    default:
      return static_cast<uint32_t>(clamped<int64_t>(from.integer[index], 0, (int64_t{1} << type.bits) - 1));
  }
}

void set_one(const Image& image, Components& components, unsigned index) {
  if (access_kind(image) == AccessKind::floating) {
    components.number[index] = 1;
  } else {
    components.integer[index] = 1;
  }
}

/// Fills in the access components that memory does not have.
void complete(const Image& image, Components& components) {
  const ChannelOrder& order = channel_order(image.format);
  if (order.missing == Missing::all_same || order.missing == Missing::colour_same) {
    components.number[1] = components.number[2] = components.number[3] = components.number[0];
  }
  if (order.missing == Missing::alpha_one || order.missing == Missing::colour_same)
    set_one(image, components, 3);
}

uint32_t component_bits(AccessType type, double value) {
  return type == AccessType::f16 ? double_to_half(value) : bits_as<uint32_t>(narrowed(value));
}

}  // namespace

uint8_t* element_address(const Image& image, uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<uint8_t*>(hsam_image_element(&image, x, y, z));
}

HEDDLE_IMAGE_CALLED Components decode(const Image& image, const uint8_t* element) {
  const ChannelType& type = channel_type(image.format);
  const ChannelOrder& order = channel_order(image.format);
  Components result{};
  if (type.encoding == Encoding::packed) {
    const uint32_t whole = get(element, image.element_size);
    const PackedFields& fields = fields_of(image.format.channel_type);
    for (unsigned i = 0; i < 3; ++i) {
      const Field field = fields.field[i];
      result.number[i] = (whole >> field.shift & ((1u << field.bits) - 1)) / greatest(field.bits);
    }
  } else {
    const unsigned size = type.bits / 8;
    for (unsigned i = 0; i < order.components; ++i) {
      const bool srgb = order.srgb && order.access[i] != 3;
      decode_component(type, srgb, get(element + i * size, size), result, order.access[i]);
    }
  }
  complete(image, result);
  return result;
}

HEDDLE_IMAGE_CALLED void encode(const Image& image, const Components& components, uint8_t* element) {
  const ChannelType& type = channel_type(image.format);
  const ChannelOrder& order = channel_order(image.format);
  if (type.encoding == Encoding::packed) {
    uint32_t whole = 0;
    const PackedFields& fields = fields_of(image.format.channel_type);
    for (unsigned i = 0; i < 3; ++i) {
      const Field field = fields.field[i];
      whole |= static_cast<uint32_t>(scaled(components.number[i], 0, greatest(field.bits))) << field.shift;
    }
    return put(element, image.element_size, whole);
  }
  const unsigned size = type.bits / 8;
  for (unsigned i = 0; i < order.components; ++i) {
    const bool srgb = order.srgb && order.access[i] != 3;
    put(element + i * size, size, encode_component(type, srgb, components, order.access[i]));
  }
}

size_t stored_size(const Image& image) {
  const ChannelType& type = channel_type(image.format);
  return type.encoding == Encoding::packed ? image.element_size
                                           : size_t{type.bits} / 8 * channel_order(image.format).components;
}

Components border_colour(const Image& image) {
  Components result{};
  if (channel_order(image.format).opaque_border) set_one(image, result, 3);
  return result;
}

Texel to_texel(const Image& image, AccessType type, const Components& components) {
  Texel texel{};
  for (unsigned i = 0; i < 4; ++i) {
    texel.component[i] = access_kind(image) == AccessKind::floating
                             ? component_bits(type, components.number[i])
                             : static_cast<uint32_t>(components.integer[i]);
  }
  return texel;
}

Components from_texel(const Image& image, AccessType type, const Texel& texel) {
  Components components{};
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t bits = texel.component[i];
    if (access_kind(image) == AccessKind::floating) {
      components.number[i] = widened(type == AccessType::f16 ? half_to_float(static_cast<uint16_t>(bits))
                                                             : bits_as<float>(bits));
    } else if (access_kind(image) == AccessKind::signed_integer) {
      components.integer[i] = static_cast<int32_t>(bits);
    } else {
      components.integer[i] = bits;
    }
  }
  return components;
}

}  // namespace heddle::image
