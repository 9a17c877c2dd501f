// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of single values, one rule at a time.
#include "finalizer/spmd/shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "finalizer/spmd/bounds.h"
#include "finalizer/spmd/shape_analysis.h"
#include "spmd_function.h"

namespace heddle::finalizer::spmd {

static void PrintTo(const Shape& shape, std::ostream* out) {
  static constexpr const char* kinds[] = {"bottom", "uniform", "strided", "varying"};
  *out << kinds[static_cast<size_t>(shape.kind)] << " " << shape.stride << " aligned " << shape.alignment
       << (shape.no_wrap ? " no wrap" : "");
}

}  // namespace heddle::finalizer::spmd

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;
using ::testing::ElementsAre;

constexpr uint32_t lanes = 8;

ShapeRequest full_rows() {
  ShapeRequest request;
  request.lanes = lanes;
  request.body = Body::row;
  request.all_active = true;
  request.first_id_alignment = request.group_size_alignment = lanes;
  return request;
}

/// A function `void f(ptr context, i32 u, i64 w, ptr p, i32 v)` with uniform arguments, except `v`. Its
/// values include %x, the work-item's ID in x, and %varies, which is true in some lanes.
struct Analysed {
  explicit Analysed(const std::string& body, ShapeRequest request = full_rows())
      : module(
            "define void @f(ptr %context, i32 %u, i64 %w, ptr %p, i32 %v) {\nentry:\n"
            "  %x = call i32 @hsail.workitemid(i32 0)\n"
            "  %varies = icmp eq i32 %v, 0\n  %test = icmp eq i32 %u, 0\n" +
            body + "}\n") {
    request.arguments = {Shape::uniform(), Shape::uniform(), Shape::uniform(), Shape::uniform()};
    shapes = compute_shapes(module.function(), request);
  }
  Shape operator[](const std::string& name) { return shapes.of(module.value(name)); }
  bool is_divergent(const std::string& block) { return shapes.is_divergent(module.block(block)); }
  bool has_entry_mask(const std::string& block) { return shapes.has_entry_mask(module.block(block)); }

  SpmdModule module;
  Shapes shapes;
};

/// Returns the shape of `r`, which instructions define in one block.
Shape shape_of(const std::string& instructions, ShapeRequest request = full_rows()) {
  return Analysed(instructions + "\n  ret void\n", std::move(request))["r"];
}

Shape exact(int64_t stride, uint64_t alignment) {
  Shape shape = Shape::strided(stride, alignment);
  shape.no_wrap = true;
  return shape;
}

// ---- single instructions

TEST(Shapes, Arguments) {
  Analysed f("  ret void\n");
  EXPECT_EQ(f["context"], Shape::uniform());
  EXPECT_EQ(f["u"], Shape::uniform());
  EXPECT_EQ(f["v"], Shape::varying());
  EXPECT_EQ(f["x"], exact(1, 8));
}

TEST(Shapes, Constants) {
  llvm::LLVMContext context;
  auto* type = llvm::Type::getInt32Ty(context);
  EXPECT_EQ(Shapes().of(*llvm::ConstantInt::get(type, 24)), Shape::uniform(8));
  EXPECT_EQ(Shapes().of(*llvm::ConstantInt::get(type, 0)), Shape::uniform(uint64_t{1} << 63));
  EXPECT_EQ(Shapes().of(*llvm::PoisonValue::get(type)), Shape::uniform());
}

TEST(Shapes, IntegerOperators) {
  EXPECT_EQ(shape_of("%r = add i32 %x, %u"), Shape::strided(1));
  EXPECT_EQ(shape_of("%r = add i32 %x, 16"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%r = add i32 %x, %v"), Shape::varying());
  EXPECT_EQ(shape_of("%r = add nuw i32 %x, %u"), exact(1, 1));
  EXPECT_EQ(shape_of("%r = sub i32 %u, %x"), Shape::strided(-1));
  EXPECT_EQ(shape_of("%r = sub i32 %x, %x"), Shape::uniform(8));
  EXPECT_EQ(shape_of("%r = mul i32 %x, 12"), Shape::strided(12, 32));
  EXPECT_EQ(shape_of("%r = mul i32 12, %x"), Shape::strided(12, 32));
  EXPECT_EQ(shape_of("%r = mul i32 %x, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = mul i32 %u, %u"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = shl i32 %x, 2"), Shape::strided(4, 32));
  EXPECT_EQ(shape_of("%r = shl nuw i32 %x, 2"), exact(4, 32));
  EXPECT_EQ(shape_of("%r = shl i32 %x, 40"), Shape::varying());
  EXPECT_EQ(shape_of("%r = shl i32 %u, %u"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = shl i32 %u, %x"), Shape::varying());
  EXPECT_EQ(shape_of("%r = shl i32 %x, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = lshr i32 %x, 3"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = ashr i32 %x, 3"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = lshr i32 %x, 1"), Shape::varying());
  EXPECT_EQ(shape_of("%r = lshr i32 %x, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = lshr i32 %u, %u"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = udiv i32 %x, 8"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = udiv i32 %x, 3"), Shape::varying());
  EXPECT_EQ(shape_of("%r = urem i32 %x, 8"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%r = urem i32 %x, 12"), Shape::varying());
  EXPECT_EQ(shape_of("%r = sdiv i32 %u, %u"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = sdiv i32 %x, 8"), Shape::varying());
  EXPECT_EQ(shape_of("%r = srem i32 %v, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = and i32 %x, -8"), Shape::uniform(8));
  EXPECT_EQ(shape_of("%r = and i32 -8, %x"), Shape::uniform(8));
  EXPECT_EQ(shape_of("%m = shl i32 %u, 3\n%r = or i32 %x, %m"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%r = or i32 %x, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = or disjoint i32 %x, %u"), exact(1, 1));
  EXPECT_EQ(shape_of("%r = or i32 %x, 16"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%r = xor i32 %x, -1"), Shape::strided(-1));
}

/// An arithmetic shift copies the sign, so that a block over all numbers does not keep its distances.
TEST(Shapes, ArithmeticShiftOfAllNumbers) {
  const std::string narrow =
      "%s = shl i32 %x, 5\n%l = call i32 @hsail.laneid()\n%t = trunc i32 %l to i8\n"
      "%n = shl i8 %t, 5\n";
  EXPECT_EQ(shape_of(narrow + "%r = lshr i8 %n, 5"), Shape::strided(1, uint64_t{1} << 31));
  EXPECT_EQ(shape_of(narrow + "%r = ashr i8 %n, 5"), Shape::varying());
}

/// Without an aligned lane 0, masks and shifts mix parts of different rows.
TEST(Shapes, UnalignedRows) {
  ShapeRequest request = full_rows();
  request.first_id_alignment = 1;
  EXPECT_EQ(shape_of("%r = and i32 %x, -8", request), Shape::varying());
  EXPECT_EQ(shape_of("%r = lshr i32 %x, 3", request), Shape::varying());
  EXPECT_EQ(shape_of("%r = zext i32 %x to i64", request), exact(1, 1));
}

TEST(Shapes, GeneralBodies) {
  ShapeRequest request = full_rows();
  request.body = Body::general;
  EXPECT_EQ(shape_of("%r = add i32 %x, 0", request), Shape::varying());
  EXPECT_EQ(shape_of("%r = call i32 @hsail.workitemid(i32 1)", request), Shape::varying());
  EXPECT_EQ(shape_of("%r = call i32 @hsail.laneid()", request), exact(1, uint64_t{1} << 31));
}

TEST(Shapes, Comparisons) {
  EXPECT_EQ(shape_of("%r = icmp ult i32 %x, %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = icmp ult i32 %x, 64"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = icmp ult i32 %x, 60"), Shape::varying());
  EXPECT_EQ(shape_of("%s = call i32 @hsail.workgroupsize(i32 0)\n%r = icmp ult i32 %x, %s"),
            Shape::uniform());
  EXPECT_EQ(shape_of("%r = icmp eq i32 %u, 3"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = icmp eq i32 %x, 3"), Shape::varying());
  EXPECT_EQ(shape_of("%r = icmp eq ptr %p, null"), Shape::uniform());
  EXPECT_EQ(shape_of("%f = uitofp i32 %u to float\n%r = fcmp ogt float %f, 1.0"), Shape::uniform());
  EXPECT_EQ(shape_of("%f = uitofp i32 %x to float\n%r = fcmp ogt float %f, 1.0"), Shape::varying());
}

TEST(Shapes, Select) {
  EXPECT_EQ(shape_of("%r = select i1 %test, i32 %u, i32 16"), Shape::uniform());
  EXPECT_EQ(shape_of("%a = add i32 %x, 4\n%r = select i1 %test, i32 %a, i32 %x"), Shape::strided(1, 4));
  EXPECT_EQ(shape_of("%r = select i1 %test, i32 %x, i32 %u"), Shape::varying());
  EXPECT_EQ(shape_of("%r = select i1 %varies, i32 1, i32 2"), Shape::varying());
  EXPECT_EQ(shape_of("%r = select i1 %varies, i32 %u, i32 %u"), Shape::uniform());
}

TEST(Shapes, Casts) {
  EXPECT_EQ(shape_of("%r = zext i32 %x to i64"), exact(1, 8));
  EXPECT_EQ(shape_of("%r = sext i32 %x to i64"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%a = add i32 %x, %u\n%r = zext i32 %a to i64"), Shape::varying());
  EXPECT_EQ(shape_of("%a = add i32 %x, %u\n%r = sext i32 %a to i64"), Shape::varying());
  EXPECT_EQ(shape_of("%a = add nuw i32 %x, %u\n%r = zext i32 %a to i64"), exact(1, 1));
  EXPECT_EQ(shape_of("%a = add nuw i32 %x, %u\n%r = sext i32 %a to i64"), Shape::varying());
  EXPECT_EQ(shape_of("%m = and i32 %u, 65535\n%a = add i32 %x, %m\n%r = sext i32 %a to i64"),
            Shape::strided(1));
  EXPECT_EQ(shape_of("%r = zext i32 %x to i128"), Shape::varying());
  EXPECT_EQ(shape_of("%r = zext i32 %u to i128"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = trunc i32 %x to i8"), Shape::strided(1, 8));
  EXPECT_EQ(shape_of("%r = trunc i32 %x to i1"), Shape::varying());
  EXPECT_EQ(shape_of("%a = shl i32 %x, 1\n%r = trunc i32 %a to i1"), Shape::uniform(16));
  EXPECT_EQ(shape_of("%r = zext i1 %varies to i32"), Shape::varying());
  EXPECT_EQ(shape_of("%r = bitcast i32 %u to float"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = bitcast i32 %x to float"), Shape::varying());
  EXPECT_EQ(shape_of("%r = uitofp i32 %x to float"), Shape::varying());
  EXPECT_EQ(shape_of("%r = freeze i32 %x"), exact(1, 8));
  EXPECT_EQ(shape_of("%a = zext i32 %x to i64\n%r = inttoptr i64 %a to ptr"), exact(1, 8));
  EXPECT_EQ(shape_of("%r = ptrtoint ptr %p to i64"), Shape::uniform());
  EXPECT_EQ(shape_of("%a = zext i32 %x to i64\n%b = getelementptr i8, ptr %p, i64 %a\n"
                     "%r = ptrtoint ptr %b to i32"),
            Shape::strided(1));
  EXPECT_EQ(shape_of("%r = inttoptr i32 %x to ptr"), exact(1, 8));
}

TEST(Shapes, Addresses) {
  const std::string wide = "%i = zext i32 %x to i64\n";
  EXPECT_EQ(shape_of(wide + "%r = getelementptr i8, ptr %p, i64 %i"), Shape::strided(1));
  EXPECT_EQ(shape_of(wide + "%r = getelementptr float, ptr %p, i64 %i"), Shape::strided(4));
  EXPECT_EQ(shape_of(wide + "%r = getelementptr {i32, [4 x i16]}, ptr %p, i64 %i, i32 1, i64 %i"),
            Shape::strided(14));
  EXPECT_EQ(shape_of("%r = getelementptr float, ptr %p, i64 %w"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = getelementptr float, ptr %p, i32 %x"), Shape::strided(4));
  EXPECT_EQ(shape_of("%a = add i32 %x, %u\n%r = getelementptr float, ptr %p, i32 %a"), Shape::varying());
  EXPECT_EQ(shape_of("%r = getelementptr float, ptr %p, i32 %v"), Shape::varying());
}

TEST(Shapes, VectorsAndAggregates) {
  const std::string insert = "%a = insertelement <4 x i8> poison, i8 1, i32 %u\n";
  EXPECT_EQ(shape_of(insert + "%r = add <4 x i8> %a, %a"), Shape::uniform());
  EXPECT_EQ(shape_of(insert + "%r = extractelement <4 x i8> %a, i32 %u"), Shape::uniform());
  EXPECT_EQ(shape_of(insert + "%r = extractelement <4 x i8> %a, i32 %x"), Shape::varying());
  EXPECT_EQ(shape_of(insert + "%r = insertelement <4 x i8> %a, i8 2, i32 %v"), Shape::varying());
  EXPECT_EQ(shape_of(insert + "%r = shufflevector <4 x i8> %a, <4 x i8> %a, <2 x i32> <i32 0, i32 5>"),
            Shape::uniform());
  EXPECT_EQ(shape_of(insert + "%r = bitcast <4 x i8> %a to i32"), Shape::uniform());
  EXPECT_EQ(shape_of("%b = bitcast i32 %x to <4 x i8>\n%r = add <4 x i8> %b, %b"), Shape::varying());
  const std::string with_overflow = "%o = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %u, i32 1)\n";
  EXPECT_EQ(shape_of(with_overflow + "%r = extractvalue {i32, i1} %o, 1"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = insertvalue {i32, i32} poison, i32 %v, 1"), Shape::varying());
}

TEST(Shapes, Memory) {
  EXPECT_EQ(shape_of("%r = load i32, ptr %p"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = load volatile i32, ptr %p"), Shape::varying());
  EXPECT_EQ(shape_of("%r = load atomic i32, ptr %p monotonic, align 4"), Shape::varying());
  EXPECT_EQ(shape_of("%a = getelementptr i32, ptr %p, i32 %x\n%r = load i32, ptr %a"), Shape::varying());
  EXPECT_EQ(shape_of("%r = alloca i32"), Shape::varying());
  EXPECT_EQ(shape_of("%r = atomicrmw add ptr %p, i32 %u monotonic"), Shape::varying());
  EXPECT_EQ(shape_of("%r = cmpxchg ptr %p, i32 %u, i32 %u monotonic monotonic"), Shape::varying());
}

TEST(Shapes, Calls) {
  EXPECT_EQ(shape_of("%r = call i32 @llvm.umin.i32(i32 %u, i32 3)"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = call i32 @llvm.umin.i32(i32 %x, i32 3)"), Shape::varying());
  EXPECT_EQ(shape_of("%r = call i64 @llvm.readcyclecounter()"), Shape::varying());
  EXPECT_EQ(shape_of("%r = call float @llvm.sqrt.f32(float 2.0)"), Shape::uniform());
  EXPECT_EQ(shape_of("%r = call i32 %p()"), Shape::varying());
}

/// The result of a function is not elementwise, even if it depends on the arguments and the lane alone.
TEST(Shapes, CallsOfFunctions) {
  SpmdModule module(
      "define i32 @g() memory(none) {\n %l = call i32 @hsail.laneid()\n ret i32 %l\n}\n"
      "define void @f(ptr %c) {\n %r = call i32 @g()\n ret void\n}\n");
  EXPECT_EQ(compute_shapes(module.function(), full_rows()).of(module.value("r")), Shape::varying());
}

// ---- bounds

TEST(Shapes, BoundsDoNotTrustFlags) {
  SpmdModule module(
      "define void @f(i32 %u) {\n"
      "%a = and i32 %u, 1000\n%b = add i32 %a, 24\n%c = mul i32 %b, 1000\n%d = shl i32 %b, 4\n"
      "%e = or i32 %a, 1\n%g = lshr i32 %u, 20\n%h = urem i32 %u, 12\n%i = udiv i32 %u, 65536\n"
      "%j = select i1 true, i32 %a, i32 5000\n%k = add nuw nsw i32 %u, 1\n%l = trunc i32 %c to i16\n"
      "%m = zext i16 %l to i64\n%n = mul i32 %c, 100000\n%o = call i32 @hsail.workitemid(i32 0)\n"
      "%q = call i32 @llvm.umin.i32(i32 %u, i32 77)\n%r = shl i32 %u, 1\n%s = add i32 %u, %u\n"
      "ret void\n}\n");
  const auto bound = [&](const char* name) { return upper_bound(module.value(name)); };
  EXPECT_EQ(bound("a"), 1000u);
  EXPECT_EQ(bound("b"), 1024u);
  EXPECT_EQ(bound("c"), 1024000u);
  EXPECT_EQ(bound("d"), 16384u);
  EXPECT_EQ(bound("e"), 1023u);
  EXPECT_EQ(bound("g"), 4095u);
  EXPECT_EQ(bound("h"), 11u);
  EXPECT_EQ(bound("i"), 65535u);
  EXPECT_EQ(bound("j"), 5000u);
  EXPECT_EQ(bound("k"), UINT32_MAX);
  EXPECT_EQ(bound("l"), 65535u);
  EXPECT_EQ(bound("m"), 65535u);
  EXPECT_EQ(bound("n"), UINT32_MAX);
  EXPECT_EQ(bound("o"), 65534u);
  EXPECT_EQ(bound("q"), 77u);
  EXPECT_EQ(bound("r"), UINT32_MAX);
  EXPECT_EQ(bound("s"), UINT32_MAX);
}

// ---- control

TEST(Shapes, PhisOfUniformBranches) {
  Analysed f(
      "  br i1 %test, label %a, label %b\na:\n  %y = add i32 %x, 2\n  br label %c\nb:\n  br label %c\n"
      "c:\n  %r = phi i32 [%x, %b], [%y, %a]\n  %s = phi i32 [1, %b], [2, %a]\n"
      "  %t = phi i32 [%x, %b], [2, %a]\n  ret void\n");
  EXPECT_EQ(f["r"], Shape::strided(1, 2));
  EXPECT_EQ(f["s"], Shape::uniform());
  EXPECT_EQ(f["t"], Shape::varying());
  EXPECT_FALSE(f.is_divergent("entry"));
  EXPECT_TRUE(f.has_entry_mask("a"));
}

TEST(Shapes, PhisOfDivergentBranches) {
  Analysed f(
      "  br i1 %varies, label %a, label %b\na:\n  br label %c\nb:\n  br label %c\n"
      "c:\n  %r = phi i32 [1, %b], [2, %a]\n  %s = phi i32 [%x, %b], [%x, %a]\n  ret void\n");
  EXPECT_TRUE(f.is_divergent("entry"));
  EXPECT_EQ(f["r"], Shape::varying());
  EXPECT_EQ(f["s"], exact(1, 8)) << "all incoming values are identical";
  EXPECT_TRUE(f.has_entry_mask("entry"));
  EXPECT_FALSE(f.has_entry_mask("a"));
  EXPECT_FALSE(f.has_entry_mask("b"));
  EXPECT_TRUE(f.has_entry_mask("c"));
}

/// Lanes that met before a uniform branch do not meet again behind it.
TEST(Shapes, UniformBranchesAroundDivergentOnes) {
  Analysed f(
      "  br i1 %test, label %a, label %e\na:\n  br i1 %varies, label %b, label %c\nb:\n  br label %d\n"
      "c:\n  br label %d\nd:\n  br label %e\ne:\n  %r = phi i32 [1, %entry], [2, %d]\n  ret void\n");
  EXPECT_EQ(f["r"], Shape::uniform());
}

/// In a jump into the other side, both joins have lanes from different sides.
TEST(Shapes, JoinsThatAreNotPostDominators) {
  Analysed f(
      "  br i1 %varies, label %a, label %b\na:\n  br i1 %test, label %c, label %d\nb:\n  br label %c\n"
      "c:\n  %r = phi i32 [1, %a], [2, %b]\n  br label %d\nd:\n  %s = phi i32 [1, %a], [2, %c]\n"
      "  ret void\n");
  EXPECT_EQ(f["r"], Shape::varying());
  EXPECT_EQ(f["s"], Shape::varying());
  EXPECT_FALSE(f.has_entry_mask("c"));
  EXPECT_TRUE(f.has_entry_mask("d"));
}

TEST(Shapes, Switches) {
  Analysed f(
      "  switch i32 %v, label %a [i32 0, label %b\n i32 1, label %b]\na:\n  br label %b\n"
      "b:\n  %r = phi i32 [1, %entry], [1, %entry], [2, %a]\n  switch i32 %u, label %c [i32 0, label %d]\n"
      "c:\n  br label %d\nd:\n  %s = phi i32 [1, %b], [2, %c]\n  ret void\n");
  EXPECT_TRUE(f.is_divergent("entry"));
  EXPECT_EQ(f["r"], Shape::varying());
  EXPECT_FALSE(f.is_divergent("b"));
  EXPECT_EQ(f["s"], Shape::uniform());
}

/// The same block on all ways is no choice.
TEST(Shapes, BranchesToOneBlock) {
  Analysed f(
      "  br i1 %varies, label %a, label %a\na:\n  %r = phi i32 [1, %entry], [1, %entry]\n  ret void\n");
  EXPECT_EQ(f["r"], Shape::uniform());
}

TEST(Shapes, UniformLoops) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %loop]\n"
      "  %a = phi ptr [%p, %entry], [%b, %loop]\n  %s = phi i32 [%x, %entry], [%t, %loop]\n"
      "  %j = add i32 %i, 4\n  %b = getelementptr i8, ptr %a, i64 4\n  %t = add i32 %s, 16\n"
      "  %more = icmp ult i32 %j, %u\n  br i1 %more, label %loop, label %end\n"
      "end:\n  %r = phi i32 [%i, %loop]\n  ret void\n");
  EXPECT_EQ(f["i"], Shape::uniform(4));
  EXPECT_EQ(f["a"], Shape::uniform());
  EXPECT_EQ(f["s"], Shape::strided(1, 8));
  EXPECT_EQ(f["r"], Shape::uniform(4));
  EXPECT_FALSE(f.is_divergent("loop"));
}

/// In each iteration all lanes count alike, but they leave with different counts.
TEST(Shapes, DivergentLoops) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %loop]\n  %j = add i32 %i, 1\n"
      "  %more = icmp ult i32 %j, %v\n  br i1 %more, label %loop, label %end\n"
      "end:\n  %r = phi i32 [%i, %loop]\n  %c = phi i32 [%u, %loop]\n  ret void\n");
  EXPECT_TRUE(f.is_divergent("loop"));
  EXPECT_EQ(f["i"], Shape::uniform());
  EXPECT_EQ(f["j"], Shape::uniform());
  EXPECT_EQ(f["r"], Shape::varying());
  EXPECT_EQ(f["c"], Shape::uniform());
  EXPECT_FALSE(f.has_entry_mask("loop"));
  EXPECT_TRUE(f.has_entry_mask("end"));
}

TEST(Shapes, ValuesThatLeaveDivergentLoopsWithoutPhi) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %loop]\n  %j = add i32 %i, 1\n"
      "  %k = add i32 %i, 2\n  %more = icmp ult i32 %j, %v\n  br i1 %more, label %loop, label %end\n"
      "end:\n  %r = add i32 %k, 1\n  ret void\n");
  EXPECT_EQ(f["i"], Shape::uniform());
  EXPECT_EQ(f["k"], Shape::varying());
  EXPECT_EQ(f["r"], Shape::varying());
}

/// Constants by two exits (llvm/llvm-project#216296): one exit is divergent, and hence both are.
TEST(Shapes, ExitsOfDivergentLoops) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %next]\n  %j = add i32 %i, 1\n"
      "  %stop = icmp eq i32 %j, %v\n  br i1 %stop, label %end, label %next\n"
      "next:\n  %more = icmp ult i32 %j, %u\n  br i1 %more, label %loop, label %end\n"
      "end:\n  %r = phi i32 [1, %loop], [2, %next]\n  %s = phi i32 [%u, %loop], [%u, %next]\n"
      "  ret void\n");
  EXPECT_EQ(f["r"], Shape::varying());
  EXPECT_EQ(f["s"], Shape::uniform());
}

TEST(Shapes, JoinsBehindTheExitsOfDivergentLoops) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %next]\n  %j = add i32 %i, 1\n"
      "  %stop = icmp eq i32 %j, %v\n  br i1 %stop, label %a, label %next\n"
      "next:\n  %more = icmp ult i32 %j, %u\n  br i1 %more, label %loop, label %b\n"
      "a:\n  br label %end\nb:\n  br label %end\nend:\n  %r = phi i32 [1, %a], [2, %b]\n  ret void\n");
  EXPECT_EQ(f["r"], Shape::varying());
}

/// A loop in which lanes part and meet again does not become divergent.
TEST(Shapes, DivergentBranchesInUniformLoops) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [%j, %latch]\n"
      "  %k = phi i32 [0, %entry], [%m, %latch]\n  %j = add i32 %i, 1\n"
      "  br i1 %varies, label %then, label %latch\nthen:\n  br label %latch\n"
      "latch:\n  %m = phi i32 [%i, %loop], [%j, %then]\n  %more = icmp ult i32 %j, %u\n"
      "  br i1 %more, label %loop, label %end\nend:\n  %r = phi i32 [%i, %latch]\n  ret void\n");
  EXPECT_EQ(f["i"], Shape::uniform());
  EXPECT_EQ(f["m"], Shape::varying());
  EXPECT_EQ(f["k"], Shape::varying());
  EXPECT_EQ(f["r"], Shape::uniform());
  EXPECT_TRUE(f.has_entry_mask("loop"));
  EXPECT_FALSE(f.has_entry_mask("then"));
}

/// Lanes that reach the header from two latches chose their values by lane.
TEST(Shapes, SeveralLatches) {
  Analysed f(
      "  br label %loop\nloop:\n  %i = phi i32 [0, %entry], [1, %a], [2, %b]\n"
      "  br i1 %test, label %end, label %split\nsplit:\n  br i1 %varies, label %a, label %b\n"
      "a:\n  br label %loop\nb:\n  br label %loop\nend:\n  %r = phi i32 [%u, %loop]\n  ret void\n");
  EXPECT_EQ(f["i"], Shape::varying());
  EXPECT_EQ(f["r"], Shape::uniform());
}

/// Going on by one of several latches is going on.
TEST(Shapes, SeveralLatchesAndADivergentExit) {
  Analysed f(
      "  br label %loop\nloop:\n  %l = load i32, ptr %p\n"
      "  switch i32 %v, label %end [i32 0, label %a\n i32 1, label %b]\n"
      "a:\n  br label %loop\nb:\n  br label %loop\nend:\n  %r = phi i32 [%l, %loop]\n  ret void\n");
  EXPECT_EQ(f["l"], Shape::uniform());
  EXPECT_EQ(f["r"], Shape::varying());
}

/// Breaking out of two loops at once parts the outer one.
TEST(Shapes, BreaksOutOfNestedLoops) {
  Analysed f(
      "  br label %outer\nouter:\n  %i = phi i32 [0, %entry], [%i2, %outer_latch]\n  br label %inner\n"
      "inner:\n  %k = phi i32 [0, %outer], [%k2, %inner_latch]\n  %k2 = add i32 %k, 1\n"
      "  %stop = icmp eq i32 %k, %v\n  br i1 %stop, label %end, label %inner_latch\n"
      "inner_latch:\n  %m = icmp ult i32 %k2, %u\n  br i1 %m, label %inner, label %outer_latch\n"
      "outer_latch:\n  %l = phi i32 [%k, %inner_latch]\n  %i2 = add i32 %i, 1\n"
      "  %n = icmp ult i32 %i2, %u\n  br i1 %n, label %outer, label %end\n"
      "end:\n  %r = phi i32 [%i, %inner], [%i, %outer_latch]\n  ret void\n");
  EXPECT_EQ(f["k"], Shape::uniform());
  EXPECT_EQ(f["i"], Shape::uniform());
  EXPECT_EQ(f["l"], Shape::varying()) << "conservative: the inner loop parts";
  EXPECT_EQ(f["r"], Shape::varying());
}

TEST(Shapes, EndlessLoopsAndReturns) {
  Analysed f(
      "  br i1 %varies, label %out, label %loop\nloop:\n  br label %loop\n"
      "out:\n  br i1 %test, label %a, label %b\na:\n  ret void\nb:\n  ret void\n");
  EXPECT_FALSE(f.has_entry_mask("out"));
  EXPECT_FALSE(f.has_entry_mask("loop"));
  EXPECT_FALSE(f.has_entry_mask("b"));
}

TEST(Shapes, IrreducibleControlFlow) {
  Analysed f(
      "  %s = add i32 %u, 1\n  br i1 %test, label %a, label %b\na:\n  br i1 %test, label %b, label %c\n"
      "b:\n  br label %a\nc:\n  ret void\n");
  EXPECT_EQ(f["s"], Shape::varying());
  EXPECT_TRUE(f.is_divergent("a"));
  EXPECT_FALSE(f.has_entry_mask("c"));
}

TEST(Shapes, UnreachableBlocks) {
  Analysed f(
      "  br label %b\na:\n  %z = add i32 %v, 1\n  br label %b\n"
      "b:\n  %r = phi i32 [%u, %entry], [%z, %a]\n  ret void\n");
  EXPECT_EQ(f["r"], Shape::uniform());
}

// ---- flags

/// Where some lanes are not active, a flag says nothing of those, whose lane 0 may be one.
TEST(Shapes, FlagsHoldWhereAllLanesAreActive) {
  const std::string body =
      "  %a = add nuw i32 %x, %u\n  br i1 %varies, label %then, label %end\n"
      "then:\n  %b = add nuw i32 %x, %u\n  %c = zext i32 %b to i64\n  br label %end\n"
      "end:\n  %d = zext i32 %a to i64\n  ret void\n";
  Analysed f(body);
  EXPECT_EQ(f["a"], exact(1, 1));
  EXPECT_EQ(f["b"], Shape::strided(1));
  EXPECT_EQ(f["c"], Shape::varying());
  EXPECT_EQ(f["d"], exact(1, 1));
  ShapeRequest request = full_rows();
  request.all_active = false;
  Analysed g(body, request);
  EXPECT_EQ(g["a"], Shape::strided(1));
  EXPECT_EQ(g["d"], Shape::varying());
}

/// The branch turns out to be divergent only after what depends on it was looked at.
TEST(Shapes, FlagsAreForgottenWhenLanesPart) {
  Analysed f(
      "  br label %loop\nloop:\n  %k = phi i32 [0, %entry], [%k2, %latch]\n  %c = icmp eq i32 %k, %u\n"
      "  br i1 %c, label %then, label %latch\nthen:\n  %b = add nuw i32 %x, %u\n"
      "  %z = zext i32 %b to i64\n  br label %latch\nlatch:\n  %k2 = add i32 %k, %v\n"
      "  br i1 %test, label %loop, label %end\nend:\n  ret void\n");
  EXPECT_TRUE(f.is_divergent("loop"));
  EXPECT_EQ(f["b"], Shape::strided(1));
  EXPECT_EQ(f["z"], Shape::varying());
}

// ---- guards

TEST(Shapes, GuardedAddresses) {
  Analysed f(
      "  %a = add i32 %x, %u\n  %b = zext i32 %a to i64\n  %q = getelementptr float, ptr %p, i64 %b\n"
      "  %s = sext i32 %a to i64\n  %t = getelementptr i8, ptr %q, i64 %s\n  %y = add i64 %w, 1\n"
      "  ret void\n");
  EXPECT_EQ(f["q"], Shape::varying());
  const auto& b = llvm::cast<llvm::Instruction>(f.module.value("b"));
  const auto& s = llvm::cast<llvm::Instruction>(f.module.value("s"));
  const auto* guarded = f.shapes.guarded(f.module.value("q"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::strided(4));
  EXPECT_THAT(guarded->guards, ElementsAre(&b));
  guarded = f.shapes.guarded(f.module.value("t"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::strided(5));
  EXPECT_THAT(guarded->guards, ElementsAre(&b, &s));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("a")));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("y")));
}

/// A guard that was tested before a loop holds in all of its iterations. One of an earlier iteration does not
/// say anything.
TEST(Shapes, GuardsAndLoops) {
  Analysed f(
      "  %a = add i32 %x, %u\n  %b = zext i32 %a to i64\n  br label %loop\n"
      "loop:\n  %q = phi i64 [%b, %entry], [%q2, %loop]\n  %z = phi i64 [%b, %entry], [%z2, %loop]\n"
      "  %k = phi i32 [%a, %entry], [%k2, %loop]\n  %q2 = add i64 %q, 4\n  %k2 = add i32 %k, 7\n"
      "  %z2 = zext i32 %k2 to i64\n  %y = add i64 %z, 1\n  %more = icmp ult i64 %w, 7\n"
      "  br i1 %more, label %loop, label %end\nend:\n  ret void\n");
  const auto& b = llvm::cast<llvm::Instruction>(f.module.value("b"));
  const auto& z2 = llvm::cast<llvm::Instruction>(f.module.value("z2"));
  for (const char* name : {"q", "q2"}) {
    const auto* guarded = f.shapes.guarded(f.module.value(name));
    ASSERT_TRUE(guarded) << name;
    EXPECT_EQ(guarded->shape.stride, 1);
    EXPECT_THAT(guarded->guards, ElementsAre(&b));
  }
  ASSERT_TRUE(f.shapes.guarded(z2));
  EXPECT_THAT(f.shapes.guarded(z2)->guards, ElementsAre(&z2));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("z")));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("y")));
}

/// Programs clamp indices before they use them, and then a guard follows from others.
TEST(Shapes, GuardsOfClampedIndices) {
  Analysed f(
      "  %a = add i32 %x, %u\n  %b = call i32 @llvm.smax.i32(i32 %a, i32 0)\n"
      "  %c = call i32 @llvm.smin.i32(i32 %u, i32 %b)\n  %d = sext i32 %c to i64\n"
      "  %q = getelementptr float, ptr %p, i64 %d\n  %e = call i32 @llvm.umin.i32(i32 %a, i32 %v)\n"
      "  ret void\n}\ndeclare i32 @llvm.smax.i32(i32, i32)\ndeclare i32 @llvm.smin.i32(i32, i32)\n"
      "declare i32 @llvm.umin.i32(i32, i32)\ndefine void @g() {\n  ret void\n");
  const auto value = [&](const char* name) { return &llvm::cast<llvm::Instruction>(f.module.value(name)); };
  EXPECT_EQ(f["q"], Shape::varying());
  const auto* guarded = f.shapes.guarded(f.module.value("q"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::strided(4));
  EXPECT_THAT(guarded->guards, ElementsAre(value("b"), value("c"), value("d")));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("e")));
}

/// The pair (i & ~mask) * 2 | (i & mask) of an index follows it as long as the mask begins with enough ones.
TEST(Shapes, GuardsOfIndicesThatAreTakenApart) {
  Analysed f(
      "  %a = add i32 %x, %u\n  %mask = add i32 %u, -1\n  %not = xor i32 %mask, -1\n"
      "  %low = and i32 %a, %mask\n  %high = and i32 %a, %not\n  %twice = shl i32 %high, 1\n"
      "  %pair = or i32 %twice, %low\n  %other = and i32 %a, 5\n  ret void\n");
  const auto value = [&](const char* name) { return &llvm::cast<llvm::Instruction>(f.module.value(name)); };
  for (const char* name : {"low", "high", "pair", "other"}) EXPECT_EQ(f[name], Shape::varying()) << name;
  const auto* guarded = f.shapes.guarded(f.module.value("low"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::strided(1, 8));
  guarded = f.shapes.guarded(f.module.value("high"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::uniform(8));
  guarded = f.shapes.guarded(f.module.value("pair"));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->shape, Shape::strided(1, 8));
  EXPECT_THAT(guarded->guards, ElementsAre(value("high"), value("low")));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("other")));
}

/// An extension that wraps around in some lane whatever lane 0 has needs no guard; it is hopeless.
TEST(Shapes, HopelessExtensions) {
  Analysed f(
      "  %a = trunc i32 %x to i8\n  %b = mul i8 %a, 100\n  %c = add i8 %b, 1\n  %d = zext i8 %c to i64\n"
      "  %e = mul i8 %a, 30\n  %g = add i8 %e, 1\n  %h = zext i8 %g to i64\n  ret void\n");
  EXPECT_FALSE(f.shapes.guarded(f.module.value("d")));
  EXPECT_TRUE(f.shapes.guarded(f.module.value("h")));
}

/// Which branches are divergent does not depend on guards, since a failing guard must not change masks.
TEST(Shapes, GuardsDoNotDecideAboutBranches) {
  Analysed f(
      "  %a = add i32 %x, %u\n  %b = zext i32 %a to i64\n  %c = zext i32 %x to i64\n"
      "  %d = sub i64 %b, %c\n  %e = icmp eq i64 %d, 0\n  br i1 %e, label %then, label %end\n"
      "then:\n  br label %end\nend:\n  %r = phi i32 [1, %entry], [2, %then]\n  ret void\n");
  ASSERT_TRUE(f.shapes.guarded(f.module.value("d")));
  EXPECT_TRUE(f.shapes.guarded(f.module.value("d"))->shape.is_uniform());
  EXPECT_TRUE(f.is_divergent("entry"));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("r")));
  EXPECT_TRUE(f["r"].is_varying());
}

// ---- promises

constexpr const char* widths =
    "!0 = !{i32 34}\n!1 = !{i32 4}\n!2 = !{i32 33}\n!3 = !{i32 3}\n";  // all, 8, W, 4

struct Promised {
  Promised(const std::string& width, const ShapeRequest& request)
      : module(
            "define void @f(ptr %c, i32 %v, ptr %p) {\nentry:\n  %t = icmp eq i32 %v, 0\n"
            "  %q = getelementptr i8, ptr %p, i32 %v\n  %l = load i32, ptr %q, !hsail.width " +
            width +
            "\n"
            "  br i1 %t, label %a, label %b, !hsail.width " +
            width +
            "\na:\n  br label %b\n"
            "b:\n  %r = phi i32 [1, %entry], [2, %a]\n  call void %q(), !hsail.width " +
            width + "\n  ret void\n}\n" + widths),
        shapes(compute_shapes(module.function(), request)) {}
  /// Reports whether the analysis relies on the promise, and checks that it does so for the load and the
  /// call, and never for the branch.
  bool holds() {
    const bool uniform = shapes.is_uniform(module.value("l"));
    EXPECT_EQ(shapes.is_promised(llvm::cast<llvm::Instruction>(module.value("l"))), uniform);
    EXPECT_FALSE(shapes.is_promised(*module.block("entry").getTerminator()));
    EXPECT_TRUE(shapes.is_divergent(module.block("entry")));
    EXPECT_TRUE(shapes.of(module.value("r")).is_varying());
    EXPECT_EQ(shapes.is_promised(*module.block("b").getTerminator()->getPrevNode()), uniform);
    EXPECT_TRUE(shapes.of(module.value("t")).is_varying());
    return uniform;
  }
  SpmdModule module;
  Shapes shapes;
};

TEST(Shapes, PromisesOfWidth) {
  ShapeRequest request = full_rows();
  EXPECT_TRUE(Promised("!0", request).holds());
  EXPECT_FALSE(Promised("!1", request).holds()) << "the lanes may be of several slices";
  EXPECT_FALSE(Promised("!2", request).holds());
  request.follows_slices = true;
  EXPECT_TRUE(Promised("!1", request).holds());
  EXPECT_FALSE(Promised("!2", request).holds()) << "WAVESIZE is not known";
  EXPECT_FALSE(Promised("!3", request).holds()) << "4 of 8 lanes agree";
  request.wavesize = 8;
  EXPECT_TRUE(Promised("!2", request).holds());
  request.wavesize = 4;
  EXPECT_FALSE(Promised("!2", request).holds());
  request.merges_groups = true;
  EXPECT_FALSE(Promised("!0", request).holds()) << "the lanes may be of several groups";
}

// ---- keeping shapes up to date

TEST(Shapes, ForgetsErasedValues) {
  Analysed f("  %a = add i32 %x, %u\n  %b = zext i32 %a to i64\n  ret void\n");
  ASSERT_TRUE(f.shapes.guarded(f.module.value("b")));
  f.shapes.erase(f.module.value("b"));
  EXPECT_FALSE(f.shapes.guarded(f.module.value("b")));
  EXPECT_EQ(f["b"], Shape::uniform());
}

}  // namespace
}  // namespace heddle::testing
