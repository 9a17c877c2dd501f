// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions (PRM chapter 7), on the software images of src/image.
#include <fmt/format.h>

#include <array>

#include "hsail/isa/types.h"
#include "image/image.h"
#include "interpreter/families.h"
#include "interpreter/guard.h"

namespace heddle::interpreter {
namespace {

image::AccessType access_type(isa::Type type) {
  switch (type) {
    case HSA_BRIG_TYPE_S32:
      return image::AccessType::s32;
    case HSA_BRIG_TYPE_F16:
      return image::AccessType::f16;
    case HSA_BRIG_TYPE_F32:
      return image::AccessType::f32;
    default:
      return image::AccessType::u32;
  }
}

image::CoordinateType coordinate_type(isa::Type type) {
  switch (type) {
    case HSA_BRIG_TYPE_S32:
      return image::CoordinateType::s32;
    case HSA_BRIG_TYPE_F32:
      return image::CoordinateType::f32;
    default:
      return image::CoordinateType::u32;
  }
}

/// A handle may be any bits; looking at what it points to is an access that may fault.
const image::Image* image_operand(Context& context, const Op& op, unsigned index) {
  const uint64_t handle = read_scalar(context, op, index);
  const image::Image* image = nullptr;
  {
    const GuardedAccess access;
    image = image::image_of(handle);
  }
  if (image == nullptr || image->geometry != op.geometry) {
    fault(context, "INTERPRETER-image-handle",
          fmt::format("0x{:x} is not the handle of an image of this geometry", handle));
    return nullptr;
  }
  return image;
}

const image::Sampler* sampler_operand(Context& context, const Op& op, unsigned index) {
  const uint64_t handle = read_scalar(context, op, index);
  const image::Sampler* sampler = nullptr;
  {
    const GuardedAccess access;
    sampler = image::sampler_of(handle);
  }
  if (sampler == nullptr) {
    fault(context, "INTERPRETER-sampler-handle",
          fmt::format("0x{:x} is not the handle of a sampler", handle));
  }
  return sampler;
}

std::array<uint32_t, 4> coordinates(const Context& context, const Op& op, unsigned index) {
  std::array<uint32_t, 4> result{};
  size_t count = 0;
  for (const Operand& element : elements(context, operand(context, op, index)))
    result[count++] = static_cast<uint32_t>(read(context, element).lo);
  return result;
}

void write_texel(Context& context, const Op& op, const image::Texel& texel) {
  size_t count = 0;
  for (const Operand& element : elements(context, operand(context, op, 0)))
    write(context, element, op.type, Value{texel.component[count++], 0});
}

void run_rdimage(Context& context, const Op& op) {
  const image::Image* image = image_operand(context, op, 1);
  if (image == nullptr) return;
  const image::Sampler* sampler = sampler_operand(context, op, 2);
  if (sampler == nullptr) return;
  const auto at = coordinates(context, op, 3);
  image::Texel texel;
  {
    const GuardedAccess access;
    texel =
        image::read(*image, *sampler, access_type(op.type), coordinate_type(op.coordinate_type), at.data());
  }
  write_texel(context, op, texel);
}

void run_ldimage(Context& context, const Op& op) {
  const image::Image* image = image_operand(context, op, 1);
  if (image == nullptr) return;
  const auto at = coordinates(context, op, 2);
  image::Texel texel;
  {
    const GuardedAccess access;
    texel = image::load(*image, access_type(op.type), at.data());
  }
  write_texel(context, op, texel);
}

void run_stimage(Context& context, const Op& op) {
  const image::Image* image = image_operand(context, op, 1);
  if (image == nullptr) return;
  const auto at = coordinates(context, op, 2);
  image::Texel texel{};
  size_t count = 0;
  for (const Operand& element : elements(context, operand(context, op, 0)))
    texel.component[count++] = static_cast<uint32_t>(read(context, element).lo);
  const GuardedAccess access;
  image::store(*image, access_type(op.type), at.data(), texel);
}

void run_queryimage(Context& context, const Op& op) {
  if (const image::Image* image = image_operand(context, op, 1))
    write_scalar(context, op, image::query(*image, op.query));
}

void run_querysampler(Context& context, const Op& op) {
  if (const image::Sampler* sampler = sampler_operand(context, op, 1))
    write_scalar(context, op, image::query(*sampler, op.query));
}

/// Image accesses of a work-item are plain accesses of one thread here: they are in order already.
void run_imagefence(Context&, const Op&) {}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_RDIMAGE, run_rdimage},           {HSA_BRIG_OPCODE_LDIMAGE, run_ldimage},
    {HSA_BRIG_OPCODE_STIMAGE, run_stimage},           {HSA_BRIG_OPCODE_QUERYIMAGE, run_queryimage},
    {HSA_BRIG_OPCODE_QUERYSAMPLER, run_querysampler}, {HSA_BRIG_OPCODE_IMAGEFENCE, run_imagefence},
};

}  // namespace

std::span<const Row> image_rows() { return rows; }

}  // namespace heddle::interpreter
