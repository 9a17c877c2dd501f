// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions (PRM chapter 7), on the software images of src/image.
#include <cassert>

#include <fmt/format.h>

#include "image/instruction.h"
#include "interpreter/families.h"
#include "interpreter/guard.h"

namespace heddle::interpreter {
namespace {

/// The indices of an instruction's operands; -1 if it has no such operand.
struct Operands {
  int components, image, sampler, coordinates;
};

void read_elements(Context& context, const Op& op, int index, uint32_t (&words)[4]) {
  if (index < 0) return;
  const auto values = elements(context, operand(context, op, static_cast<unsigned>(index)));
  assert(values.size() <= std::size(words));
  uint32_t* next = words;
  for (const Operand& element : values) *next++ = static_cast<uint32_t>(read(context, element).lo);
}

uint64_t handle(Context& context, const Op& op, int index) {
  return index < 0 ? 0 : read_scalar(context, op, static_cast<unsigned>(index));
}

template <Operands at>
void run_image(Context& context, const Op& op) {
  uint32_t coordinates[4] = {}, components[4] = {};
  read_elements(context, op, at.coordinates, coordinates);
  const bool stores = isa::memory_effect(op.opcode) == isa::MemoryEffect::store;
  if (stores) read_elements(context, op, at.components, components);
  const uint64_t image = handle(context, op, at.image), sampler = handle(context, op, at.sampler);
  auto misuse = image::Misuse::none;
  {
    const GuardedAccess access;
    misuse = image::execute(
        {static_cast<uint8_t>(op.opcode), op.geometry, static_cast<uint8_t>(op.type), op.detail},
        {image, sampler, coordinates, components});
  }
  if (misuse != image::Misuse::none) {
    return fault(context, "INTERPRETER-image-handle",
                 fmt::format("0x{:x} is not {}", misuse == image::Misuse::sampler ? sampler : image,
                             image::text_of(misuse)));
  }
  if (stores) return;
  const uint32_t* next = components;
  const auto destinations = elements(context, operand(context, op, 0));
  assert(destinations.size() <= std::size(components));
  for (const Operand& element : destinations) write(context, element, op.type, Value{*next++, 0});
}

/// There is nothing to do: image accesses of a work-item are ordinary accesses of one thread here, which are
/// already in order.
void run_imagefence(Context&, const Op&) {}

constexpr Row rows[] = {
    {HSA_BRIG_OPCODE_RDIMAGE, run_image<Operands{0, 1, 2, 3}>},
    {HSA_BRIG_OPCODE_LDIMAGE, run_image<Operands{0, 1, -1, 2}>},
    {HSA_BRIG_OPCODE_STIMAGE, run_image<Operands{0, 1, -1, 2}>},
    {HSA_BRIG_OPCODE_QUERYIMAGE, run_image<Operands{0, 1, -1, -1}>},
    {HSA_BRIG_OPCODE_QUERYSAMPLER, run_image<Operands{0, -1, 1, -1}>},
    {HSA_BRIG_OPCODE_IMAGEFENCE, run_imagefence},
};

}  // namespace

std::span<const Row> image_rows() { return rows; }

}  // namespace heddle::interpreter
