// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clang makes for HIP: work-item IDs, barriers and operations across lanes.
#include <fmt/format.h>

#include "compiler/emit/argument_variables.h"
#include "compiler/emit/arithmetic.h"
#include "compiler/emit/intrinsics.h"

namespace heddle::compiler {

namespace {

namespace ID = llvm::Intrinsic;

// A property of the work-item in the dimension `number`.
void dimension(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  emitter.set(call, emitter.builder().compute(fmt::format("{}_u32", row.stem), Type::u32,
                                              {{Scalar::constant(row.number), Type::u32}}));
}

void property(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  emitter.set(call, emitter.builder().compute(row.stem, Type::u32, {}));
}

void plain(FunctionEmitter& emitter, const llvm::CallInst&, const IntrinsicRow& row) {
  emitter.builder().append(row.stem, {});
}

// Hints to the scheduler of AMD's machines.
void nothing(FunctionEmitter&, const llvm::CallInst&, const IntrinsicRow&) {}

// How many lanes below this one have their bit set in `mask`, which is that of the lanes 0 to 31, or 32
// to 63.
void masked_bit_count(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  Builder& builder = emitter.builder();
  const Scalar lane = builder.compute("laneid", Type::u32, {});
  const auto first = static_cast<uint32_t>(row.number);
  // The number of lanes of the mask that are below: the lane's number among them, limited to 0 to 32.
  Scalar below = lane;
  if (first != 0) {
    below = builder.compute("max", Type::u32, {lane, Scalar::constant(first)});
    below = builder.compute("sub", Type::u32, {below, Scalar::constant(first)});
  }
  const Scalar inside = builder.compare("lt", Type::u32, below, Scalar::constant(32));
  const Scalar one = builder.shift("shl", Type::u32, Scalar::constant(1), below);
  const Scalar lower = builder.compute("sub", Type::u32, {one, Scalar::constant(1)});
  const Scalar lanes = builder.select(Type::u32, inside, lower, Scalar::constant(0xffffffffU));
  const Scalar set = builder.compute("and", Type::b32, {emitter.scalar(*call.getArgOperand(0)), lanes});
  const Scalar count = builder.compute("popcount_u32_b32", Type::u32, {{set, Type::b32}});
  emitter.set(call, builder.compute("add", Type::u32, {count, emitter.scalar(*call.getArgOperand(1))}));
}

// The lanes for which the condition holds, as a mask of 32 or 64 bits.
Scalar mask_of(FunctionEmitter& emitter, Scalar condition, unsigned width) {
  Builder& builder = emitter.builder();
  Parts words;
  llvm::SmallVector<Operand, 6> operands{Operand::vector(4)};
  for (unsigned i = 0; i < 4; ++i) {
    words.push_back(builder.fresh(Type::u64));
    operands.push_back(Operand::definition(words.back().id, Type::u64));
  }
  operands.push_back(builder.source(condition, Type::b1));
  builder.append("activelanemask_v4_b64_b1", operands);
  return width == 64 ? words[0] : builder.convert(Type::u32, Type::u64, words[0]);
}

void ballot(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  emitter.set(call, mask_of(emitter, emitter.scalar(*call.getArgOperand(0)), emitter.width(call.getType())));
}

// ballot of a comparison; the predicate is a number as in LLVM.
void compare_ballot(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  const llvm::Value& first = *call.getArgOperand(0);
  const auto predicate = static_cast<llvm::CmpInst::Predicate>(
      llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue());
  if (!llvm::ICmpInst::isIntPredicate(predicate))
    return emitter.unsupported(call, "this predicate of llvm.amdgcn.icmp");
  const Scalar condition = compare_integers(emitter.builder(), predicate, emitter.width(first.getType()),
                                            emitter.parts(first), emitter.parts(*call.getArgOperand(1)));
  emitter.set(call, mask_of(emitter, condition, emitter.width(call.getType())));
}

// The value that another lane has. Lanes that are not active count as 0.
Scalar from_lane(Builder& builder, Scalar value, Type type, Scalar lane) {
  const Type bit = bit_type(bits(type));
  const Scalar result = builder.fresh(type);
  builder.append(
      fmt::format("activelanepermute_{}", name(bit)),
      {Operand::definition(result.id, type), builder.source(value, bit), builder.source(lane, Type::u32),
       Operand::immediate(0, bit), Operand::immediate(0, Type::b1)});
  return result;
}

// Permutes by byte addresses, four for each lane; AMD's instruction looks at the lane's number only, modulo
// the wave.
void permute(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  Builder& builder = emitter.builder();
  const Scalar lane =
      builder.shift("shr", Type::u32, emitter.scalar(*call.getArgOperand(0)), Scalar::constant(2));
  const Scalar value = Scalar::in(builder.in_register(emitter.scalar(*call.getArgOperand(1)), Type::u32));
  emitter.set(call, from_lane(builder, value, Type::u32, lane));
}

Parts all_from_lane(FunctionEmitter& emitter, const llvm::Value& value, Scalar lane) {
  Parts result = emitter.parts(value);
  const Layout& layout = emitter.layout(value);
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].is_register()) result[i] = from_lane(emitter.builder(), result[i], layout.parts[i], lane);
  }
  return result;
}

void read_lane(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  emitter.set(call, all_from_lane(emitter, *call.getArgOperand(0), emitter.scalar(*call.getArgOperand(1))));
}

void read_first_lane(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  Builder& builder = emitter.builder();
  const Scalar active = mask_of(emitter, Scalar::constant(1), 64);
  const Scalar first = builder.compute("lastbit_u32_u64", Type::u32, {{active, Type::u64}});
  emitter.set(call, all_from_lane(emitter, *call.getArgOperand(0), first));
}

void wave_size(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  emitter.set(call, Scalar::verbatim("WAVESIZE"));
}

void property_64(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow& row) {
  emitter.set(call, emitter.builder().compute(row.stem, Type::u64, {}));
}

void first_argument(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  emitter.set(call, emitter.parts(*call.getArgOperand(0)));
}

// Ends the work-item. What follows is unreachable, which returns; from a function, that would go on in the
// caller.
void end_program(FunctionEmitter& emitter, const llvm::CallInst& call, const IntrinsicRow&) {
  if (!is_kernel(*call.getFunction()))
    emitter.unsupported(call, "the end of a work-item in a function that is not inlined");
}

constexpr IntrinsicRow rows[] = {
    {ID::amdgcn_workitem_id_x, dimension, "workitemid", 0},
    {ID::amdgcn_workitem_id_y, dimension, "workitemid", 1},
    {ID::amdgcn_workitem_id_z, dimension, "workitemid", 2},
    {ID::amdgcn_workgroup_id_x, dimension, "workgroupid", 0},
    {ID::amdgcn_workgroup_id_y, dimension, "workgroupid", 1},
    {ID::amdgcn_workgroup_id_z, dimension, "workgroupid", 2},
    {ID::amdgcn_groupstaticsize, property, "groupstaticsize"},
    {ID::amdgcn_s_barrier, plain, "barrier"},
    {ID::amdgcn_wave_barrier, plain, "wavebarrier"},
    {ID::amdgcn_sched_barrier, nothing},
    {ID::amdgcn_sched_group_barrier, nothing},
    {ID::amdgcn_s_sleep, nothing},
    {ID::amdgcn_s_setprio, nothing},
    {ID::amdgcn_s_nop, nothing},
    {ID::amdgcn_s_sleep_var, nothing},
    {ID::amdgcn_iglp_opt, nothing},
    // Waits for memory and cleans caches, as fences demand where it matters.
    {ID::amdgcn_s_waitcnt, nothing},
    {ID::amdgcn_s_dcache_inv, nothing},
    {ID::amdgcn_s_dcache_wb, nothing},
    {ID::amdgcn_buffer_wbinvl1, nothing},
    {ID::amdgcn_buffer_wbinvl1_vol, nothing},
    {ID::amdgcn_wavefrontsize, wave_size},
    {ID::amdgcn_queue_ptr, property_64, "queueptr_u64"},
    {ID::amdgcn_dispatch_id, property_64, "packetid_u64"},
    {ID::amdgcn_endpgm, end_program},
    // Lanes that are not active do nothing.
    {ID::amdgcn_set_inactive, first_argument},
    {ID::amdgcn_strict_wwm, first_argument},
    {ID::amdgcn_strict_wqm, first_argument},
    {ID::amdgcn_softwqm, first_argument},
    {ID::amdgcn_wwm, first_argument},
    {ID::amdgcn_wqm, first_argument},
    {ID::amdgcn_mbcnt_lo, masked_bit_count, {}, 0},
    {ID::amdgcn_mbcnt_hi, masked_bit_count, {}, 32},
    {ID::amdgcn_ballot, ballot},
    {ID::amdgcn_icmp, compare_ballot},
    {ID::amdgcn_ds_bpermute, permute},
    {ID::amdgcn_readlane, read_lane},
    {ID::amdgcn_readfirstlane, read_first_lane},
};

}  // namespace

llvm::ArrayRef<IntrinsicRow> amdgcn_intrinsics() { return rows; }

}  // namespace heddle::compiler
