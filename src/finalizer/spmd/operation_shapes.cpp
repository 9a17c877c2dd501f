// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/operation_shapes.h"

#include <array>

#include <hsa/hsa_brig_modifiers.h>

namespace heddle::finalizer::spmd {
namespace {

/// What decides about the shape of a result.
enum class Rule : uint8_t {
  none,           // there is no result
  uniform,        // it is the same for all work-items of a wave
  elementwise,    // it depends on the arguments alone
  atomic_load,    // elementwise if the operation, argument 0, is a load, which is executed once for the wave
  varying,        // each lane has its own
  laneid,         // the number of the lane
  workitemid,     // the work-item's, in dimension argument 0
  workgroupsize,  // uniform; the size in x may be known to be a multiple of something
  private_base,   // the begin of the work-item's private segment
};

struct Row {
  TargetOperation operation;
  Rule rule;
};

using Op = TargetOperation;

constexpr std::array<Row, target_operation_count> rows = {{
    {Op::workitemid, Rule::workitemid},
    {Op::workgroupid, Rule::uniform},
    {Op::workgroupsize, Rule::workgroupsize},
    {Op::currentworkgroupsize, Rule::uniform},
    {Op::gridsize, Rule::uniform},
    {Op::gridgroups, Rule::uniform},
    {Op::dim, Rule::uniform},
    {Op::packetid, Rule::uniform},
    {Op::packetcompletionsig, Rule::uniform},
    {Op::groupstaticsize, Rule::uniform},
    {Op::grouptotalsize, Rule::uniform},
    {Op::laneid, Rule::laneid},
    {Op::waveid, Rule::uniform},
    {Op::maxwaveid, Rule::uniform},
    {Op::cuid, Rule::uniform},
    {Op::maxcuid, Rule::uniform},
    {Op::wavesize, Rule::uniform},
    {Op::kernarg_base, Rule::uniform},
    {Op::group_base, Rule::uniform},
    {Op::private_base, Rule::private_base},
    {Op::private_size, Rule::uniform},
    {Op::null_address, Rule::uniform},
    {Op::variable_address, Rule::uniform},
    {Op::kernel_handle, Rule::uniform},
    {Op::function_handle, Rule::uniform},
    {Op::barrier, Rule::none},
    {Op::wavebarrier, Rule::none},
    {Op::memfence, Rule::none},
    {Op::atomic32, Rule::atomic_load},
    {Op::atomic64, Rule::atomic_load},
    {Op::fbarrier, Rule::none},
    {Op::signal, Rule::atomic_load},
    {Op::signal_wait, Rule::none},
    {Op::queue_index, Rule::elementwise},
    {Op::exceptions, Rule::none},
    {Op::get_detected, Rule::uniform},
    {Op::clear_detected, Rule::none},
    {Op::set_detected, Rule::none},
    {Op::image, Rule::none},
    {Op::event, Rule::none},
    {Op::clock, Rule::uniform},  // the wave reads it once
    {Op::yield, Rule::none},
    {Op::trap, Rule::none},
    {Op::check_private, Rule::none},
    {Op::activelanecount, Rule::uniform},
    {Op::activelaneid, Rule::varying},
    {Op::activelanemask, Rule::uniform},
    {Op::activelanepermute, Rule::varying},
    {Op::arithmetic32, Rule::elementwise},
    {Op::arithmetic64, Rule::elementwise},
    {Op::narrow_ftz, Rule::elementwise},
    {Op::flush32, Rule::elementwise},
    {Op::flush64, Rule::elementwise},
    {Op::min32, Rule::elementwise},
    {Op::min64, Rule::elementwise},
    {Op::max32, Rule::elementwise},
    {Op::max64, Rule::elementwise},
    {Op::f16_to_f32, Rule::elementwise},
    {Op::f32_to_f16, Rule::elementwise},
    {Op::native, Rule::elementwise},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].operation != static_cast<TargetOperation>(i)) return false;
  return true;
}
static_assert(in_order(), "each target operation needs a row");

Shape elementwise(llvm::ArrayRef<Shape> arguments) {
  if (llvm::any_of(arguments, [](const Shape& shape) { return shape.is_bottom(); })) return {};
  const bool uniform = llvm::all_of(arguments, [](const Shape& shape) { return shape.is_uniform(); });
  return uniform ? Shape::uniform() : Shape::varying();
}

/// The IDs of the lanes of a row are consecutive in x and equal otherwise. In other waves the lanes may be
/// anywhere in the work-group.
Shape workitemid(uint64_t dimension, const ShapeRequest& request) {
  if (request.body == Body::general) return Shape::varying();
  if (dimension != 0) return Shape::uniform();
  Shape shape = Shape::strided(1, request.first_id_alignment);
  shape.no_wrap = true;
  return shape;
}

}  // namespace

Shape operation_shape(TargetOperation operation, const llvm::CallInst& call, llvm::ArrayRef<Shape> arguments,
                      const ShapeRequest& request) {
  switch (rows[static_cast<size_t>(operation)].rule) {
    case Rule::none:
    case Rule::uniform:
      return Shape::uniform();
    case Rule::elementwise:
      return elementwise(arguments);
    case Rule::atomic_load:
      return constant_argument(call, 0) == HSA_BRIG_ATOMIC_OPERATION_LD ? elementwise(arguments)
                                                                        : Shape::varying();
    case Rule::varying:
      return Shape::varying();
    case Rule::laneid: {
      Shape shape = Shape::strided(1, uint64_t{1} << 31);
      shape.no_wrap = true;
      return shape;
    }
    case Rule::workitemid:
      return workitemid(constant_argument(call, 0), request);
    case Rule::workgroupsize:
      return Shape::uniform(constant_argument(call, 0) == 0 ? request.group_size_alignment : 1);
    case Rule::private_base:
      return request.private_stride == 0 ? Shape::varying() : Shape::strided(request.private_stride);
  }
  llvm_unreachable("each rule has a case");
}

}  // namespace heddle::finalizer::spmd
