// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/instruction.h"

#include <hsa/hsa_brig_opcodes.h>
#include <hsa/hsa_brig_types.h>

#include "image/format.h"

namespace heddle::image {
namespace {

AccessType access_type(uint8_t type) {
  switch (type) {
    case HSA_BRIG_TYPE_S32:
      return AccessType::s32;
    case HSA_BRIG_TYPE_F16:
      return AccessType::f16;
    case HSA_BRIG_TYPE_F32:
      return AccessType::f32;
    default:
      return AccessType::u32;
  }
}

CoordinateType coordinate_type(uint8_t type) {
  switch (type) {
    case HSA_BRIG_TYPE_S32:
      return CoordinateType::s32;
    case HSA_BRIG_TYPE_F32:
      return CoordinateType::f32;
    default:
      return CoordinateType::u32;
  }
}

/// Returns the image if it has the geometry of the instruction, otherwise null.
const Image* image_of(const Operation& operation, const Operands& operands) {
  const Image* image = hsam_image_of(operands.image);
  return image != nullptr && image->geometry == operation.geometry ? image : nullptr;
}

void put(const Texel& texel, uint32_t* components) {
  for (unsigned i = 0; i < 4; ++i) components[i] = texel.component[i];
}

}  // namespace

const char* text_of(Misuse misuse) {
  switch (misuse) {
    case Misuse::image:
      return "the handle of an image of this geometry";
    case Misuse::sampler:
      return "the handle of a sampler";
    default:
      return nullptr;
  }
}

Misuse execute_read(const Operation& operation, const Operands& operands) {
  const Sampler* sampler = hsam_sampler_of(operands.sampler);
  if (sampler == nullptr) return Misuse::sampler;
  const Image* image = image_of(operation, operands);
  if (image == nullptr) return Misuse::image;
  put(read(shape_at(operation.geometry), *image, *sampler, access_type(operation.type),
           coordinate_type(operation.detail), operands.coordinates),
      operands.components);
  return Misuse::none;
}

Misuse execute_load(const Operation& operation, const Operands& operands) {
  const Image* image = image_of(operation, operands);
  if (image == nullptr) return Misuse::image;
  put(load(shape_at(operation.geometry), *image, access_type(operation.type), operands.coordinates),
      operands.components);
  return Misuse::none;
}

Misuse execute_store(const Operation& operation, const Operands& operands) {
  const Image* image = image_of(operation, operands);
  if (image == nullptr) return Misuse::image;
  const uint32_t* from = operands.components;
  store(shape_at(operation.geometry), *image, access_type(operation.type), operands.coordinates,
        {{from[0], from[1], from[2], from[3]}});
  return Misuse::none;
}

Misuse execute_image_query(const Operation& operation, const Operands& operands) {
  const Image* image = image_of(operation, operands);
  if (image == nullptr) return Misuse::image;
  operands.components[0] = query(*image, operation.detail);
  return Misuse::none;
}

Misuse execute_sampler_query(const Operation& operation, const Operands& operands) {
  const Sampler* sampler = hsam_sampler_of(operands.sampler);
  if (sampler == nullptr) return Misuse::sampler;
  operands.components[0] = query(*sampler, operation.detail);
  return Misuse::none;
}

Misuse execute(const Operation& operation, const Operands& operands) {
  switch (operation.opcode) {
    case HSA_BRIG_OPCODE_RDIMAGE:
      return execute_read(operation, operands);
    case HSA_BRIG_OPCODE_LDIMAGE:
      return execute_load(operation, operands);
    case HSA_BRIG_OPCODE_STIMAGE:
      return execute_store(operation, operands);
    case HSA_BRIG_OPCODE_QUERYSAMPLER:
      return execute_sampler_query(operation, operands);
    default:
      return execute_image_query(operation, operands);
  }
}

}  // namespace heddle::image
