// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of the result of each target operation.
#include "finalizer/spmd/operation_shapes.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>

#include <hsa/hsa_brig_modifiers.h>

namespace heddle::testing {
namespace {

using namespace finalizer;
using namespace finalizer::spmd;
using Op = TargetOperation;

/// The shapes of an operation's result: in a row with uniform arguments, in a general body with uniform
/// arguments, and in a row with a varying argument. u: uniform, s: strided, v: varying, -: no result or no
/// argument. Constant arguments are 0.
struct Expected {
  Op operation;
  const char* shapes;
};

constexpr Expected table[] = {
    {Op::workitemid, "sv-"},
    {Op::workgroupid, "uu-"},
    {Op::workgroupsize, "uu-"},
    {Op::currentworkgroupsize, "uu-"},
    {Op::gridsize, "uu-"},
    {Op::gridgroups, "uu-"},
    {Op::dim, "uu-"},
    {Op::packetid, "uu-"},
    {Op::packetcompletionsig, "uu-"},
    {Op::groupstaticsize, "uu-"},
    {Op::grouptotalsize, "uu-"},
    {Op::laneid, "ss-"},
    {Op::waveid, "uu-"},
    {Op::maxwaveid, "uu-"},
    {Op::cuid, "uu-"},
    {Op::maxcuid, "uu-"},
    {Op::wavesize, "uu-"},
    {Op::kernarg_base, "uu-"},
    {Op::group_base, "uu-"},
    {Op::private_base, "ss-"},
    {Op::private_size, "uu-"},
    {Op::null_address, "uu-"},
    {Op::variable_address, "uu-"},
    {Op::kernel_handle, "uu-"},
    {Op::function_handle, "uu-"},
    {Op::barrier, "---"},
    {Op::wavebarrier, "---"},
    {Op::memfence, "---"},
    {Op::atomic32, "vvv"},
    {Op::atomic64, "vvv"},
    {Op::fbarrier, "---"},
    {Op::signal, "vvv"},
    {Op::signal_wait, "---"},
    {Op::queue_index, "uuv"},
    {Op::exceptions, "---"},
    {Op::get_detected, "uu-"},
    {Op::clear_detected, "---"},
    {Op::set_detected, "---"},
    {Op::image, "---"},
    {Op::event, "---"},
    {Op::clock, "uu-"},
    {Op::yield, "---"},
    {Op::trap, "---"},
    {Op::check_private, "---"},
    {Op::activelanecount, "uuu"},
    {Op::activelaneid, "vv-"},
    {Op::activelanemask, "uuu"},
    {Op::activelanepermute, "vvv"},
    {Op::arithmetic32, "uuv"},
    {Op::arithmetic64, "uuv"},
    {Op::narrow_ftz, "uuv"},
    {Op::flush32, "uuv"},
    {Op::flush64, "uuv"},
    {Op::min32, "uuv"},
    {Op::min64, "uuv"},
    {Op::max32, "uuv"},
    {Op::max64, "uuv"},
    {Op::f16_to_f32, "uuv"},
    {Op::f32_to_f16, "uuv"},
    {Op::native, "uuv"},
};

/// Calls one operation and asks for the shape of its result.
class OperationShapes {
 public:
  explicit OperationShapes(Op operation) : operation_(operation), module_("", context_) {
    llvm::Function* callee = declare(module_, operation);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context_), callee->getFunctionType()->params(), false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context_, "", function));
    llvm::SmallVector<llvm::Value*, 8> arguments;
    for (llvm::Argument& argument : function->args())
      arguments.push_back(argument.getType()->isIntegerTy(32) ? ir.getInt32(0)
                                                              : static_cast<llvm::Value*>(&argument));
    call_ = ir.CreateCall(callee, arguments);
    ir.CreateRetVoid();
    request_.lanes = 8;
    request_.body = Body::row;
    request_.private_stride = 256;
  }
  void set_operation(uint32_t number) {
    call_->setArgOperand(0, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), number));
  }
  ShapeRequest& request() { return request_; }
  bool has_result() const { return !call_->getType()->isVoidTy(); }
  bool has_arguments() const { return call_->arg_size() != 0; }
  /// The last argument has the given shape, all others are uniform.
  Shape with(const Shape& last) {
    llvm::SmallVector<Shape, 8> shapes(call_->arg_size(), Shape::uniform());
    if (!shapes.empty()) shapes.back() = last;
    return operation_shape(operation_, *call_, shapes, request_);
  }

 private:
  Op operation_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::CallInst* call_ = nullptr;
  ShapeRequest request_;
};

char letter(const Shape& shape) { return shape.is_uniform() ? 'u' : shape.is_strided() ? 's' : 'v'; }

TEST(OperationShapes, OfEachOperation) {
  ASSERT_EQ(std::size(table), target_operation_count);
  for (size_t i = 0; i < std::size(table); ++i) {
    const auto& [operation, shapes] = table[i];
    ASSERT_EQ(operation, static_cast<Op>(i)) << "row " << i;
    OperationShapes call(operation);
    EXPECT_EQ(call.has_result(), shapes[0] != '-') << i;
    if (!call.has_result()) continue;
    EXPECT_EQ(letter(call.with(Shape::uniform())), shapes[0]) << i;
    if (shapes[2] != '-') EXPECT_EQ(letter(call.with(Shape::varying())), shapes[2]) << i;
    call.request().body = Body::general;
    EXPECT_EQ(letter(call.with(Shape::uniform())), shapes[1]) << i;
  }
}

/// A load of an atomic variable or a signal at one address is executed once for the wave.
TEST(OperationShapes, LoadsOfSharedMemory) {
  for (const Op operation : {Op::atomic32, Op::atomic64, Op::signal}) {
    OperationShapes call(operation);
    for (uint32_t number = 0; number <= HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE; ++number) {
      call.set_operation(number);
      EXPECT_EQ(call.with(Shape::uniform()).is_uniform(), number == HSA_BRIG_ATOMIC_OPERATION_LD) << number;
    }
    call.set_operation(HSA_BRIG_ATOMIC_OPERATION_LD);
    EXPECT_TRUE(call.with(Shape::varying()).is_varying());
    EXPECT_TRUE(call.with(Shape::strided(4)).is_varying());
    EXPECT_TRUE(call.with({}).is_bottom());
  }
}

TEST(OperationShapes, Dimensions) {
  OperationShapes id(Op::workitemid), size(Op::workgroupsize);
  id.request().first_id_alignment = size.request().group_size_alignment = 8;
  Shape x = Shape::strided(1, 8);
  x.no_wrap = true;
  EXPECT_EQ(id.with(Shape::uniform()), x);
  EXPECT_EQ(size.with(Shape::uniform()), Shape::uniform(8));
  for (const uint32_t dimension : {1u, 2u}) {
    id.set_operation(dimension);
    size.set_operation(dimension);
    EXPECT_EQ(id.with(Shape::uniform()), Shape::uniform()) << dimension;
    EXPECT_EQ(size.with(Shape::uniform()), Shape::uniform()) << dimension;
  }
  id.request().body = Body::general;
  EXPECT_EQ(id.with(Shape::uniform()), Shape::varying());
}

TEST(OperationShapes, PrivateSegments) {
  OperationShapes base(Op::private_base);
  EXPECT_EQ(base.with(Shape::uniform()), Shape::strided(256));
  base.request().private_stride = 0;
  EXPECT_EQ(base.with(Shape::uniform()), Shape::varying());
}

/// Arguments that are not known yet decide nothing.
TEST(OperationShapes, WaitForArguments) {
  EXPECT_TRUE(OperationShapes(Op::flush32).with({}).is_bottom());
  EXPECT_TRUE(OperationShapes(Op::queue_index).with({}).is_bottom());
}

}  // namespace
}  // namespace heddle::testing
