// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes elements from coordinates, and performs reads, loads and stores (PRM 7.1.6).
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

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
      return std::bit_cast<float>(bits);
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
    if (!std::isfinite(coordinate)) return 0;
    const double whole = std::floor(coordinate);
    if (whole >= 0 && whole <= size_ - 1) return static_cast<int64_t>(whole);
    switch (sampler_.address_mode) {
      case HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER:
        return border;
      case HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT:
        return clamped(positive_remainder(whole, size_));
      case HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT:
        return mirrored(whole);
      default:
        return clamped(whole);
    }
  }

  /// Returns the coordinate in elements (PRM 7.1.6.1).
  double element(CoordinateType type, uint32_t bits) const {
    double value = coordinate_value(type, bits);
    if (sampler_.coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED) value *= size_;
    if (sampler_.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR) value -= 0.5;
    return value;
  }

 private:
  int64_t clamped(double whole) const { return static_cast<int64_t>(std::clamp(whole, 0.0, size_ - 1.0)); }
  /// Every other tile is reflected, so the pattern repeats after two tiles. The pseudo code of the manual is
  /// wrong for fractions below 0, so whole numbers are mirrored here.
  int64_t mirrored(double whole) const {
    const double at = positive_remainder(whole, 2 * size_);
    return clamped(at < size_ ? at : 2 * size_ - 1 - at);
  }
  static double positive_remainder(double whole, double size) {
    const double rest = std::fmod(whole, size);  // exact, however large
    return rest < 0 ? rest + size : rest;
  }

  const Sampler& sampler_;
  double size_;
};

/// Returns the layer for a coordinate. Layers are never filtered and always clamped.
uint32_t layer_index(CoordinateType type, uint32_t bits, uint32_t layers) {
  const double value = coordinate_value(type, bits);
  if (!(value > 0)) return 0;
  return static_cast<uint32_t>(std::min(std::nearbyint(value), layers - 1.0));
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
std::optional<Element> element_at(const Image& image, Coordinates coordinates) {
  const GeometryShape shape = *shape_of(image.geometry);
  const Element element{coordinates[0], shape.dimensions > 1 ? coordinates[1] : 0,
                        shape.layers           ? coordinates[shape.dimensions]
                        : shape.dimensions > 2 ? coordinates[2]
                                               : 0};
  if (element.x >= image.width || element.y >= image.height) return std::nullopt;
  if (element.z >= (shape.layers ? image.layers : image.depth)) return std::nullopt;
  return element;
}

/// The two neighbours along an axis, and the weight of the second one.
struct Pair {
  int64_t index[2];
  double weight;
};
Pair neighbours(const Axis& axis, double coordinate) {
  if (!std::isfinite(coordinate)) return {{0, 0}, 0};
  const double whole = std::floor(coordinate);
  return {{axis.index(whole), axis.index(whole + 1)}, coordinate - whole};
}

Components filtered(const Image& image, const Pair (&axes)[3], unsigned dimensions, int64_t layer) {
  Components sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    int64_t at[3] = {0, 0, layer};
    double weight = 1;
    for (unsigned d = 0; d < dimensions; ++d) {
      const unsigned side = corner >> d & 1;
      at[d] = axes[d].index[side];
      weight *= side ? axes[d].weight : 1 - axes[d].weight;
    }
    if (weight == 0) continue;  // a NaN in a neighbour of weight 0 must not count
    const Components texel = fetch(image, at[0], at[1], at[2]);
    for (unsigned i = 0; i < 4; ++i) sum.number[i] += weight * texel.number[i];
  }
  return sum;
}

}  // namespace

Texel read(const Image& image, const Sampler& sampler, AccessType type, CoordinateType coordinate_type,
           Coordinates coordinates) {
  const GeometryShape shape = *shape_of(image.geometry);
  const uint32_t sizes[3] = {image.width, image.height, image.depth};
  const int64_t layer =
      shape.layers ? layer_index(coordinate_type, coordinates[shape.dimensions], image.layers) : 0;
  const bool linear =
      sampler.filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR && access_kind(image) == AccessKind::floating;
  int64_t at[3] = {0, 0, layer};
  Pair axes[3] = {};
  for (unsigned d = 0; d < shape.dimensions; ++d) {
    const Axis axis(sampler, sizes[d]);
    const double coordinate = axis.element(coordinate_type, coordinates[d]);
    if (linear) {
      axes[d] = neighbours(axis, coordinate);
    } else {
      at[d] = axis.index(coordinate);
    }
  }
  const Components components =
      linear ? filtered(image, axes, shape.dimensions, layer) : fetch(image, at[0], at[1], at[2]);
  return to_texel(image, type, components);
}

Texel load(const Image& image, AccessType type, Coordinates coordinates) {
  const auto element = element_at(image, coordinates);
  if (!element) return to_texel(image, type, border_colour(image));
  return to_texel(image, type, decode(image, element_address(image, element->x, element->y, element->z)));
}

void store(const Image& image, AccessType type, Coordinates coordinates, const Texel& texel) {
  const auto element = element_at(image, coordinates);
  if (!element) return;
  encode(image, from_texel(image, type, texel), element_address(image, element->x, element->y, element->z));
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
