// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/instruction.h"

#include <algorithm>
#include <iterator>

#include <hsa/hsa_brig_opcodes.h>
#include <hsa/hsa_brig_types.h>

#include "image/image.h"

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

void put(const Texel& texel, uint32_t* components) {
  std::copy(std::begin(texel.component), std::end(texel.component), components);
}

}  // namespace

const char* execute(const Operation& operation, uint64_t image_handle, uint64_t sampler_handle,
                    const uint32_t* coordinates, uint32_t* components) {
  const AccessType type = access_type(operation.type);
  const Sampler* sampler = nullptr;
  if (operation.opcode == HSA_BRIG_OPCODE_RDIMAGE || operation.opcode == HSA_BRIG_OPCODE_QUERYSAMPLER) {
    sampler = hsam_sampler_of(sampler_handle);
    if (sampler == nullptr) return "the handle of a sampler";
  }
  if (operation.opcode == HSA_BRIG_OPCODE_QUERYSAMPLER) {
    components[0] = query(*sampler, operation.detail);
    return nullptr;
  }
  const Image* image = hsam_image_of(image_handle);
  if (image == nullptr || image->geometry != operation.geometry)
    return "the handle of an image of this geometry";
  switch (operation.opcode) {
    case HSA_BRIG_OPCODE_RDIMAGE:
      put(read(*image, *sampler, type, coordinate_type(operation.detail), coordinates), components);
      break;
    case HSA_BRIG_OPCODE_LDIMAGE:
      put(load(*image, type, coordinates), components);
      break;
    case HSA_BRIG_OPCODE_STIMAGE:
      store(*image, type, coordinates, {{components[0], components[1], components[2], components[3]}});
      break;
    default:
      components[0] = query(*image, operation.detail);
      break;
  }
  return nullptr;
}

}  // namespace heddle::image
