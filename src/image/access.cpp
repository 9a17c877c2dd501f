// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes elements from coordinates, and performs reads, loads and stores (PRM 7.1.6).
#include <hsa/hsa_brig_images.h>

#include "image/element.h"
#include "image/format.h"

namespace heddle::image {
namespace {

/// An index outside of the image, where the border colour is read.
constexpr int64_t border = -1;

double coordinate_value(CoordinateType type, uint32_t bits) {
  switch (type) {
    case CoordinateType::u32:
      return bits;
    case CoordinateType::s32:
      return static_cast<int32_t>(bits);
    default:
      return bits_as<float>(bits);
  }
}

/// Returns the remainder of a whole number, however large it is, which has the sign of the number. Processors
/// of GPUs have no instruction for it.
int64_t remainder(double whole, uint32_t size) {
  constexpr int fraction_bits = 52, bias = 1023;
  const auto bits = bits_as<uint64_t>(whole);
  const bool negative = bits >> 63 != 0;
  int exponent = static_cast<int>(bits >> fraction_bits & 0x7ff) - bias - fraction_bits;
  if (exponent <= 0) return static_cast<int64_t>(whole) % size;
  constexpr uint64_t one = uint64_t{1} << fraction_bits;
  uint64_t rest = (one | (bits & (one - 1))) % size;
  for (; exponent > 0; exponent -= 32) rest = (rest << (exponent < 32 ? exponent : 32)) % size;
  return negative ? -static_cast<int64_t>(rest) : static_cast<int64_t>(rest);
}
uint32_t positive_remainder(double whole, uint32_t size) {
  const int64_t rest = remainder(whole, size);
  return static_cast<uint32_t>(rest < 0 ? rest + size : rest);
}

/// Every other tile is reflected, so the pattern repeats after two tiles. The pseudo code of the manual is
/// wrong for fractions below 0, so whole numbers are mirrored here.
uint32_t mirrored(double whole, uint32_t size) {
  const uint32_t at = positive_remainder(whole, 2 * size);
  return at < size ? at : 2 * size - 1 - at;
}

/// Returns the index that a sampler takes for one outside of the image, or `border`.
HEDDLE_IMAGE_CALLED int64_t index_outside(uint32_t address_mode, double whole, uint32_t size) {
  switch (address_mode) {
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
      return border;
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT:
      return positive_remainder(whole, size);
    case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
      return mirrored(whole, size);
    default:
      return whole < 0 ? 0 : int64_t{size} - 1;
  }
}

/// Addresses one dimension of an image (PRM 7.1.6.2). Indices are exact, because coordinates have at most 32
/// significant bits, and an f32 times a size has fewer than 53.
class Axis {
 public:
  Axis(const Sampler& sampler, uint32_t size) : sampler_(sampler), size_(size) {}

  /// Returns the index of an element, or `border`. Undefined coordinates (NaN, infinity) give the first
  /// element.
  int64_t index(double coordinate) const {
    if (!is_finite(coordinate)) return 0;
    const double whole = round_down(coordinate);
    if (whole >= 0 && whole < size_) return static_cast<int64_t>(whole);
    return index_outside(sampler_.address_mode, whole, size_);
  }

  /// Returns the coordinate in elements (PRM 7.1.6.1).
  double element(CoordinateType type, uint32_t bits) const {
    double value = coordinate_value(type, bits);
    if (sampler_.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED) value *= size_;
    if (sampler_.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR) value -= 0.5;
    return value;
  }

 private:
  const Sampler& sampler_;
  uint32_t size_;
};

/// Returns the layer for a coordinate. Layers are never filtered and always clamped.
uint32_t layer_index(CoordinateType type, uint32_t bits, uint32_t layers) {
  const double value = coordinate_value(type, bits);
  if (!(value > 0)) return 0;
  const double whole = round_to_even(value);
  return whole < layers ? static_cast<uint32_t>(whole) : layers - 1;
}

Components fetch(const Image& image, int64_t x, int64_t y, int64_t z) {
  if (x == border || y == border || z == border) return border_colour(image);
  return decode(image, element_address(image, static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                                       static_cast<uint32_t>(z)));
}

/// The coordinates of an element in the order of the pitches, in which the layer of a 1da image is last and
/// not second.
struct Element {
  uint32_t x = 0, y = 0, z = 0;
};
Element element_at(GeometryShape shape, Coordinates coordinates) {
  return {coordinates[0], shape.dimensions > 1 ? coordinates[1] : 0,
          shape.layers           ? coordinates[shape.dimensions]
          : shape.dimensions > 2 ? coordinates[2]
                                 : 0};
}
/// Returns the address of the element with these coordinates; null if the image has none.
uint8_t* find_element(GeometryShape shape, const Image& image, Coordinates coordinates) {
  const Element element = element_at(shape, coordinates);
  const bool is_inside = element.x < image.width && element.y < image.height &&
                         element.z < (shape.layers ? image.layers : image.depth);
  return is_inside ? element_address(image, element.x, element.y, element.z) : nullptr;
}

/// The two neighbours along an axis, and the weight of the second one.
struct Pair {
  int64_t first, second;
  double weight;
};
Pair neighbours(const Axis& axis, double coordinate) {
  if (!is_finite(coordinate)) return {0, 0, 0};
  const double whole = round_down(coordinate);
  return {axis.index(whole), axis.index(whole + 1), coordinate - whole};
}

/// Adds the elements at the corners. Dimensions that the image does not have contribute one element of weight
/// 1, so that all loops but one have fixed lengths and GPUs can keep everything in registers.
Components filtered(const Image& image, const Pair (&axes)[3], unsigned dimensions) {
  Components sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    int64_t at[3];
    double weight = 1;
    for (unsigned d = 0; d < 3; ++d) {
      const bool is_second = (corner >> d & 1) != 0;
      at[d] = is_second ? axes[d].second : axes[d].first;
      weight *= is_second ? axes[d].weight : 1 - axes[d].weight;
    }
    if (weight == 0) continue;  // a NaN in a neighbour of weight 0 must not count
    const Components texel = fetch(image, at[0], at[1], at[2]);
    for (unsigned i = 0; i < 4; ++i) sum.number[i] += weight * texel.number[i];
  }
  // Which NaN a sum is differs from processor to processor.
  for (double& number : sum.number)
    if (is_nan(number)) number = __builtin_nan("");
  return sum;
}

}  // namespace

Texel read(GeometryShape shape, const Image& image, const Sampler& sampler, AccessType type,
           CoordinateType coordinate_type, Coordinates coordinates) {
  const uint32_t sizes[3] = {image.width, image.height, image.depth};
  const int64_t layer =
      shape.layers ? layer_index(coordinate_type, coordinates[shape.dimensions], image.layers) : 0;
  const bool linear =
      sampler.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR && access_kind(image) == AccessKind::floating;
  Pair axes[3] = {{}, {}, {layer, layer, 0}};
  for (unsigned d = 0; d < 3; ++d) {
    if (d >= shape.dimensions) continue;
    const Axis axis(sampler, sizes[d]);
    const double coordinate = axis.element(coordinate_type, coordinates[d]);
    if (linear) {
      axes[d] = neighbours(axis, coordinate);
    } else {
      axes[d].first = axis.index(coordinate);
    }
  }
  const Components components = linear ? filtered(image, axes, shape.dimensions)
                                       : fetch(image, axes[0].first, axes[1].first, axes[2].first);
  return to_texel(image, type, components);
}

Texel load(GeometryShape shape, const Image& image, AccessType type, Coordinates coordinates) {
  const uint8_t* const element = find_element(shape, image, coordinates);
  return to_texel(image, type, element != nullptr ? decode(image, element) : border_colour(image));
}

void store(GeometryShape shape, const Image& image, AccessType type, Coordinates coordinates,
           const Texel& texel) {
  uint8_t* const element = find_element(shape, image, coordinates);
  if (element != nullptr) encode(image, from_texel(image, type, texel), element);
}

Texel read(const Image& image, const Sampler& sampler, AccessType type, CoordinateType coordinate_type,
           Coordinates coordinates) {
  return read(shape_at(image.geometry), image, sampler, type, coordinate_type, coordinates);
}

Texel load(const Image& image, AccessType type, Coordinates coordinates) {
  return load(shape_at(image.geometry), image, type, coordinates);
}

void store(const Image& image, AccessType type, Coordinates coordinates, const Texel& texel) {
  store(shape_at(image.geometry), image, type, coordinates, texel);
}

uint32_t query(const Image& image, uint32_t property) {
  switch (property) {
    case HSA_EXT_BRIG_IMAGE_QUERY_WIDTH:
      return image.width;
    case HSA_EXT_BRIG_IMAGE_QUERY_HEIGHT:
      return image.height;
    case HSA_EXT_BRIG_IMAGE_QUERY_DEPTH:
      return image.depth;
    case HSA_EXT_BRIG_IMAGE_QUERY_ARRAY:
      return image.layers;
    case HSA_EXT_BRIG_IMAGE_QUERY_CHANNELORDER:
      return image.format.channel_order;
    default:
      return image.format.channel_type;
  }
}

uint32_t query(const Sampler& sampler, uint32_t property) {
  switch (property) {
    case HSA_EXT_BRIG_SAMPLER_QUERY_ADDRESSING:
      return sampler.address_mode;
    case HSA_EXT_BRIG_SAMPLER_QUERY_COORD:
      return sampler.coordinate_mode;
    default:
      return sampler.filter_mode;
  }
}

}  // namespace heddle::image
