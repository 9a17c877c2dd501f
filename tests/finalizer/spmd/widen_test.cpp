// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widening of each kind of instruction, in the smallest functions that have it.
#include "finalizer/spmd/widen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_types.h>

#include "widen_fixture.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::Body;

class Widen : public WidenFixture {};

TEST_F(Widen, Arithmetic) {
  check(R"(
    %1 = add i32 %a, %b
    %2 = mul i32 %1, %u
    %3 = xor i32 %2, %id
    store i32 %3, ptr %dst
  )");
}

TEST_F(Widen, UniformAndStridedValues) {
  check(R"(
    %double = shl i32 %id, 1
    %next = add i32 %double, %u
    %block = and i32 %id, -64
    %less = icmp ult i32 %id, %a
    %chosen = select i1 %less, i32 %next, i32 %block
    %odd = trunc i32 %u to i1
    %again = select i1 %odd, i32 %chosen, i32 %id
    store i32 %again, ptr %dst
  )");
}

/// The flags are wrong for lanes that are not active. These must not spoil the others.
TEST_F(Widen, FlagsThatHoldForActiveLanesOnly) {
  check(R"(
    %c = icmp ult i32 %a, 100
    br i1 %c, label %then, label %join
  then:
    %n = add nuw nsw i32 %a, 5
    %far = shl nuw i32 %id, 1
    %e = shl nuw nsw i32 %n, 2
    %d = icmp ult i32 %e, 60
    %z = zext nneg i32 %n to i64
    br i1 %d, label %deep, label %join
  deep:
    %t = trunc nuw i64 %z to i32
    %sum = add nuw i32 %t, %far
    store i32 %sum, ptr %dst
    br label %join
  join:
  )");
}

TEST_F(Widen, Conversions) {
  check(R"(
    %s = sitofp i32 %a to float
    %d = fpext float %s to double
    %h = fptrunc double %d to half
    %hb = bitcast half %h to i16
    %y = sext i16 %hb to i64
    %q = xor i64 %y, %x
    %k = uitofp i64 %q to double
    %kb = bitcast double %k to i64
    %low = trunc i64 %kb to i8
    %z = zext i8 %low to i32
    %w = lshr i64 %kb, 40
    %v = trunc i64 %w to i32
    %all = mul i32 %z, %v
    store i32 %all, ptr %dst
  )");
}

TEST_F(Widen, TruthValues) {
  check(R"(
    %p = icmp slt i32 %a, %b
    %q = trunc i64 %x to i1
    %r = icmp ugt i32 %u, 3
    %and = and i1 %p, %q
    %or = or i1 %and, %r
    %not = xor i1 %or, true
    %pick = select i1 %p, i1 %not, i1 %q
    %only = select i1 %pick, i1 %r, i1 false
    %same = icmp eq i1 %only, %p
    %f = freeze i1 %same
    br i1 %r, label %one, label %two
  one:
    br label %join
  two:
    br label %join
  join:
    %t = phi i1 [%f, %one], [%and, %two]
    %z = zext i1 %t to i32
    %s = sext i1 %not to i32
    %n = sub i32 %z, %s
    store i32 %n, ptr %dst
  )");
}

/// LLVM's simplification makes these of comparisons of products and sums.
TEST_F(Widen, ArithmeticThatTellsOverflow) {
  check(R"(
    %product = call {i32, i1} @llvm.umul.with.overflow.i32(i32 %a, i32 %b)
    %p = extractvalue {i32, i1} %product, 0
    %po = extractvalue {i32, i1} %product, 1
    %sum = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %p, i32 %b)
    %s = extractvalue {i32, i1} %sum, 0
    %so = extractvalue {i32, i1} %sum, 1
    %long = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %x, i64 3000000000)
    %lo = extractvalue {i64, i1} %long, 1
    %byte = trunc i32 %a to i8
    %difference = call {i8, i1} @llvm.usub.with.overflow.i8(i8 %byte, i8 100)
    %do = extractvalue {i8, i1} %difference, 1
    %two = select i1 %po, i32 2, i32 0
    %four = select i1 %so, i32 4, i32 %two
    %eight = select i1 %lo, i32 8, i32 16
    %bits = or i32 %four, %eight
    %last = zext i1 %do to i32
    %all = or i32 %bits, %last
    %result = xor i32 %all, %s
    store i32 %result, ptr %dst
  )",
        4,
        R"(
    declare {i32, i1} @llvm.umul.with.overflow.i32(i32, i32)
    declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)
    declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
    declare {i8, i1} @llvm.usub.with.overflow.i8(i8, i8)
  )");
}

/// LLVM's simplification loads such vectors if the program looks at single bits.
TEST_F(Widen, VectorsOfBitsInMemory) {
  check(R"(
    %bits = load <32 x i1>, ptr %src, align 4
    %odd = extractelement <32 x i1> %bits, i32 1
    %a1 = select i1 %odd, i32 %a, i32 %b
    %as = bitcast i32 %a1 to <32 x i1>
    store <32 x i1> %as, ptr %dst, align 4
  )");
}

TEST_F(Widen, DivergentControlFlow) {
  check(R"(
    %small = and i32 %a, 7
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %latch]
    %s = phi i32 [%b, %0], [%s3, %latch]
    %bit = and i32 %i, 1
    %even = icmp eq i32 %bit, 0
    br i1 %even, label %left, label %right
  left:
    %s1 = add i32 %s, %id
    br label %latch
  right:
    %c = icmp ult i32 %s, 1000000
    br i1 %c, label %deep, label %latch
  deep:
    store i32 %s, ptr %dst
    br label %latch
  latch:
    %s2 = phi i32 [%s1, %left], [%s, %right], [%i, %deep]
    %s3 = mul i32 %s2, 3
    %next = add i32 %i, 1
    %more = icmp ule i32 %next, %small
    br i1 %more, label %loop, label %end
  end:
    %own = getelementptr i8, ptr %dst, i64 4
    %sum = add i32 %s3, %i
    store i32 %sum, ptr %own
  )",
        8);
}

TEST_F(Widen, UniformSwitch) {
  check(R"(
    switch i32 %u, label %other [ i32 1, label %one
                                  i32 2, label %two ]
  one:
    br label %join
  two:
    store i32 %a, ptr %dst
    br label %join
  other:
    br label %join
  join:
    %r = phi i32 [%id, %one], [%u, %two], [%b, %other]
    %own = getelementptr i8, ptr %dst, i64 4
    store i32 %r, ptr %own
  )",
        8);
}

TEST_F(Widen, DivisionByZeroInInactiveLanes) {
  check(R"(
    %some = icmp ne i32 %b, 0
    %least = icmp ne i32 %a, -2147483648
    %good = and i1 %some, %least
    br i1 %good, label %divide, label %end
  divide:
    %1 = udiv i32 %a, %b
    %2 = sdiv i32 %a, %b
    %3 = urem i32 %a, %b
    %4 = srem i32 %a, %b
    %always = icmp ult i32 %u, 100
    %negative = sext i1 %always to i32
    %5 = sdiv i32 %a, %negative
    %6 = sdiv i32 %a, 7
    %b64 = sext i32 %b to i64
    %7 = urem i64 %x, %b64
    %8 = trunc i64 %7 to i32
    %9 = xor i32 %1, %2
    %10 = add i32 %9, %3
    %11 = xor i32 %10, %4
    %12 = add i32 %11, %5
    %13 = xor i32 %12, %6
    %14 = add i32 %13, %8
    store i32 %14, ptr %dst
    br label %end
  end:
  )");
}

TEST_F(Widen, PackedDivision) {
  check(R"(
    %n = bitcast i32 %a to <4 x i8>
    %m = bitcast i32 %b to <4 x i8>
    %bits = and i32 %b, 16843009
    %some = icmp eq i32 %bits, 16843009
    br i1 %some, label %divide, label %end
  divide:
    %q = udiv <4 x i8> %n, %m
    %r = bitcast <4 x i8> %q to i32
    store i32 %r, ptr %dst
    br label %end
  end:
  )");
}

// ---- memory

/// Copies a value of each lane from and to consecutive addresses, and then in a part of the lanes only.
std::string copy_of(const std::string& type) {
  return "  %v = load " + type + ", ptr %src, align 1\n  store " + type + " %v, ptr %dst, align 1\n";
}
std::string guarded_copy_of(const std::string& type) {
  return "  %c = icmp slt i32 %a, 3\n  br i1 %c, label %then, label %end\nthen:\n" + copy_of(type) +
         "  br label %end\nend:\n";
}

struct MemoryType {
  const char* type;
  unsigned bytes;
};
constexpr MemoryType memory_types[] = {
    {"i8", 1},         {"i16", 2},        {"i32", 4},       {"i64", 8},          {"half", 2},
    {"float", 4},      {"double", 8},     {"ptr", 8},       {"i128", 16},        {"<4 x i8>", 4},
    {"<2 x i16>", 4},  {"<8 x i8>", 8},   {"<2 x i8>", 2},  {"<2 x float>", 8},  {"<4 x float>", 16},
    {"<3 x i32>", 12}, {"<2 x i64>", 16}, {"<3 x i16>", 6}, {"<4 x double>", 32}};

class WidenMemory : public Widen, public ::testing::WithParamInterface<MemoryType> {
 protected:
  WidenMemory() { sparse_ = 20; }
};
INSTANTIATE_TEST_SUITE_P(Types, WidenMemory, ::testing::ValuesIn(memory_types));

TEST_P(WidenMemory, Consecutive) { check(guarded_copy_of(GetParam().type), GetParam().bytes); }

/// Lane 0 accesses what lies behind that of the other lanes.
TEST_P(WidenMemory, Backwards) {
  const MemoryType& type = GetParam();
  if (type.bytes > 16) GTEST_SKIP() << "64 of them are more than the memory";
  for (const unsigned begin : {0u, shared_bytes - 64 * type.bytes}) {
    const std::string body =
        "  %low = and i32 %id, 63\n  %back = sub i32 63, %low\n  %wide = zext i32 %back to i64\n"
        "  %far = mul i64 %wide, " +
        std::to_string(type.bytes) + "\n  %some = getelementptr i8, ptr %in, i64 " + std::to_string(begin) +
        "\n  %p = getelementptr i8, ptr %some, i64 %far\n  %old = load " + type.type +
        ", ptr %p, align 1\n  %new = load " + type.type + ", ptr %src, align 1\n  store " + type.type +
        " %new, ptr %p, align 1\n  store " + type.type + " %old, ptr %dst, align 1\n";
    check(body, type.bytes);
    check("  %c = icmp slt i32 %a, 3\n  br i1 %c, label %then, label %end\nthen:\n" + body +
              "  br label %end\nend:\n",
          type.bytes);
    parse(body, type.bytes);
    const Widened widened(*module_, {{8, 8}, false, Body::row, true});
    EXPECT_EQ(widened.wide().gathers + widened.wide().lane_loops, 0u);
  }
}

TEST_P(WidenMemory, WithGapsBetween) { check(copy_of(GetParam().type), GetParam().bytes + 4); }

/// Addresses that nothing is known of; those of inactive lanes are anything.
TEST_P(WidenMemory, Anywhere) {
  const std::string type = GetParam().type;
  check(
      "  %c = icmp ult i64 %x, 32\n  br i1 %c, label %then, label %end\nthen:\n"
      "  %p = getelementptr <32 x i8>, ptr %in, i64 %x\n  %v = load " +
          type +
          ", ptr %p, align 1\n"
          "  %zero = lshr i64 %x, 40\n  %where = getelementptr i8, ptr %dst, i64 %zero\n"
          "  store " +
          type + " %v, ptr %where, align 1\n  br label %end\nend:\n",
      GetParam().bytes);
}

TEST_P(WidenMemory, OneAddress) {
  const std::string type = GetParam().type;
  check(
      "  %n = zext i32 %u to i64\n  %p = getelementptr <32 x i8>, ptr %in, i64 %n\n"
      "  %v = load " +
          type + ", ptr %p, align 1\n  store " + type + " %v, ptr %dst, align 1\n",
      GetParam().bytes);
}

/// The last work-item wins, as if they had stored one after the other.
TEST_P(WidenMemory, StoresToOneAddress) {
  const std::string type = GetParam().type;
  check("  %v = load " + type +
            ", ptr %src, align 1\n  %c = icmp slt i32 %a, 3\n"
            "  br i1 %c, label %then, label %end\nthen:\n  store " +
            type +
            " %v, ptr %in, align 1\n"
            "  br label %end\nend:\n",
        GetParam().bytes);
}

TEST_P(WidenMemory, Volatile) {
  const std::string type = GetParam().type;
  check("  %v = load volatile " + type + ", ptr %src, align 1\n  store volatile " + type +
            " %v, ptr %dst, align 1\n",
        GetParam().bytes);
}

// ---- guards

/// Some lanes wrap around where the index is extended, so that their addresses lie 4 GiB apart; all lanes are
/// active, or those on one side only.
std::string wrapping_copy(const std::string& type, const std::string& extension, unsigned bytes, int offset) {
  const std::string size = std::to_string(bytes);
  const auto access = [&](const std::string& n, const std::string& correction) {
    return "  %far" + n + " = add i64 %wide, " + correction + "\n  %o" + n + " = mul i64 %far" + n + ", " +
           size + "\n  %s" + n + " = getelementptr i8, ptr %mine, i64 %o" + n + "\n  %v" + n + " = load " +
           type + ", ptr %s" + n + ", align 1\n  %d" + n + " = getelementptr i8, ptr %out, i64 %o" + n +
           "\n  store " + type + " %v" + n + ", ptr %d" + n + ", align 1\n";
  };
  const int64_t far = int64_t{1} << 32;
  const int64_t edge = extension == "zext" ? 0 : -(int64_t{1} << 31);
  // The index is `edge` in lane -offset: those before have wrapped around.
  return "  %index = add i32 %id, " + std::to_string(static_cast<int32_t>(edge + offset)) +
         "\n  %wide = " + extension + " i32 %index to i64\n  %behind = icmp slt i64 %wide, " +
         std::to_string(edge + (int64_t{1} << 30)) + "\n  br i1 %behind, label %then, label %else\nthen:\n" +
         access("1", std::to_string(-(edge + offset))) + "  br label %end\nelse:\n" +
         access("2", std::to_string(-(edge + offset) - far)) + "  br label %end\nend:\n";
}

TEST_P(WidenMemory, IndicesThatWrapAround) {
  sparse_ = 9;
  for (const char* extension : {"zext", "sext"})
    for (const int offset : {0, -1, -3, -8, -15, -63, -1000})
      check(wrapping_copy(GetParam().type, extension, GetParam().bytes, offset), GetParam().bytes);
}

// ---- structures

struct StructureType {
  const char* type;
  unsigned bytes;  ///< of a member
  unsigned members;
};

class WidenStructures : public Widen, public ::testing::WithParamInterface<StructureType> {
 protected:
  WidenStructures() { sparse_ = 9; }

  unsigned size() const { return GetParam().bytes * GetParam().members; }
  std::string member(const char* pointer, unsigned number) const {
    const std::string name = std::string(pointer) + std::to_string(number);
    return "  " + name + " = getelementptr i8, ptr " + pointer + ", i64 " +
           std::to_string(number * GetParam().bytes) + "\n";
  }
  std::string load(unsigned number) const {
    const std::string n = std::to_string(number);
    return member("%src", number) + "  %v" + n + " = load " + GetParam().type + ", ptr %src" + n +
           ", align 1\n";
  }
  /// Stores a member that is made of two loaded ones.
  std::string store(unsigned number, unsigned a, unsigned b) const {
    const std::string n = std::to_string(number);
    const bool is_number = GetParam().type[0] == 'i';
    return member("%dst", number) + "  %r" + n + " = " + (is_number ? "sub " : "fsub ") + GetParam().type +
           " %v" + std::to_string(a) + ", %v" + std::to_string(b) + "\n  store " + GetParam().type + " %r" +
           n + ", ptr %dst" + n + ", align 1\n";
  }
  static std::string guarded(const std::string& body) {
    return "  %c = icmp slt i32 %a, 3\n  br i1 %c, label %then, label %end\nthen:\n" + body +
           "  br label %end\nend:\n";
  }
  /// Each member is the difference of two.
  std::string whole() const {
    const unsigned count = GetParam().members;
    std::string body;
    for (unsigned i = 0; i < count; ++i) body += load(i);
    for (unsigned i = 0; i < count; ++i) body += store(i, i, (i + 1) % count);
    return body;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, WidenStructures,
                         ::testing::Values(StructureType{"i8", 1, 3}, StructureType{"i8", 1, 4},
                                           StructureType{"i16", 2, 2}, StructureType{"i32", 4, 2},
                                           StructureType{"i32", 4, 3}, StructureType{"float", 4, 4},
                                           StructureType{"i64", 8, 2}, StructureType{"double", 8, 3},
                                           StructureType{"i64", 8, 4}));

TEST_P(WidenStructures, AllMembers) {
  check(whole(), size());
  check(guarded(whole()), size());
  parse(whole(), size());
  const Widened widened(*module_, {{8, 8}, false, Body::row, true});
  EXPECT_EQ(widened.wide().gathers, 0u);
  EXPECT_EQ(widened.wide().lane_loops, 0u);
}

/// The last work-item's last member lies before memory that must not be touched.
TEST_P(WidenStructures, SomeMembers) {
  std::string body;
  const unsigned last = GetParam().members - 1;
  for (unsigned i = 1; i < GetParam().members; ++i) body += load(i);
  body += store(last, last, 1);
  check(guarded(body), size());
  check(load(0) + store(0, 0, 0), size());
}

/// What comes between two members decides which values they have.
TEST_P(WidenStructures, MembersApart) {
  const auto clear_of = [](const std::string& pointer) {
    return std::string("  store ") + GetParam().type + (GetParam().type[0] == 'i' ? " 1" : " 1.0") +
           ", ptr " + pointer + ", align 1\n";
  };
  std::string body;
  for (unsigned i = 0; i < GetParam().members; ++i) body += load(i);
  for (unsigned i = 0; i < GetParam().members; ++i) body += store(i, i, 0) + (i == 1 ? clear_of("%dst") : "");
  check(body, size());
  // The loads behind it find what has been stored.
  std::string mixed = "  %src = getelementptr i8, ptr %dst, i64 0\n" + load(0) +
                      "  %second = getelementptr i8, ptr %dst, i64 " + std::to_string(GetParam().bytes) +
                      "\n" + clear_of("%second");
  for (unsigned i = 1; i < GetParam().members; ++i) mixed += load(i);
  for (unsigned i = 0; i < GetParam().members; ++i) mixed += store(i, i, 1);
  size_t at = 0;
  while ((at = mixed.find("%src", at)) != std::string::npos) mixed.replace(at, 4, "%own");
  check(mixed, size());
}

TEST_P(WidenStructures, BehindIndicesThatWrapAround) {
  for (const int offset : {-3, -100}) {
    std::string body = "  %index = add i32 %id, " + std::to_string(offset) +
                       "\n  %wide = zext i32 %index to i64\n  %near = icmp ult i64 %wide, 1000000\n"
                       "  br i1 %near, label %then, label %end\nthen:\n  %back = sub i64 %wide, " +
                       std::to_string(offset) + "\n  %far = mul i64 %back, " + std::to_string(size()) +
                       "\n  %own = getelementptr i8, ptr %mine, i64 %far\n"
                       "  %to = getelementptr i8, ptr %out, i64 %far\n" +
                       whole() + "  br label %end\nend:\n";
    for (const auto& [from, to] : {std::pair("%src", "%own"), std::pair("%dst", "%to")})
      for (size_t at = 0; (at = body.find(from, at)) != std::string::npos;) body.replace(at, 4, to);
    check(body, size());
  }
}

/// The active lanes promise more than the lane at whose address the vector begins.
TEST_F(Widen, AlignmentOfInactiveLanes) {
  parse("  %v = load i32, ptr %src, align 64\n  store i32 %v, ptr %dst, align 4\n", 4);
  for (const bool all_active : {false, true}) {
    Widened widened(*module_, {{8, 8}, false, Body::row, all_active});
    ASSERT_EQ(widened.error(), "");
    const bool is_aligned = widened.text().find("align 64") != std::string::npos;
    EXPECT_EQ(is_aligned, all_active) << widened.text();
  }
}

TEST_F(Widen, IndexedGather) {
  check(R"(
    %n = and i32 %a, 63
    %i = zext i32 %n to i64
    %p = getelementptr i64, ptr %in, i64 %i
    %v = load i64, ptr %p
    %q = getelementptr i32, ptr %in, i64 %i
    %w = load i32, ptr %q
    %k = zext i32 %w to i64
    %s = add i64 %v, %k
    store i64 %s, ptr %dst, align 4
  )",
        8);
}

/// Indices that are taken apart and clamped are strided in some waves, and then they serve the address alone.
TEST_F(Widen, IndicesUnderSeveralGuards) {
  for (const char* low : {"%u", "7", "15", "-1"}) {
    check(std::string("  %apart = and i32 %id, ") + low + R"(
    %shifted = add i32 %apart, 3
    %least = call i32 @llvm.umax.i32(i32 %shifted, i32 5)
    %n = call i32 @llvm.umin.i32(i32 %least, i32 60)
    %i = zext i32 %n to i64
    %p = getelementptr i32, ptr %in, i64 %i
    %v = load i32, ptr %p
    store i32 %v, ptr %dst, align 4
  )",
          4, "declare i32 @llvm.umax.i32(i32, i32)\ndeclare i32 @llvm.umin.i32(i32, i32)\n");
  }
}

TEST_F(Widen, VariablesOnTheStack) {
  check(R"(
    %array = alloca [8 x i32]
    %i = and i32 %a, 7
    %j = and i32 %b, 7
    %p = getelementptr i32, ptr %array, i32 %i
    %q = getelementptr i32, ptr %array, i32 %j
    store i32 %id, ptr %p
    store i32 %u, ptr %q
    %v = load i32, ptr %p
    store i32 %v, ptr %dst
  )");
}

// ---- intrinsics and vectors

TEST_F(Widen, Intrinsics) {
  check(R"(
    %1 = call i32 @llvm.ctpop.i32(i32 %a)
    %2 = call i32 @llvm.ctlz.i32(i32 %b, i1 false)
    %3 = call i32 @llvm.cttz.i32(i32 %a, i1 false)
    %4 = call i32 @llvm.bitreverse.i32(i32 %1)
    %5 = call i32 @llvm.bswap.i32(i32 %b)
    %6 = call i32 @llvm.fshl.i32(i32 %2, i32 %3, i32 %a)
    %7 = call i32 @llvm.abs.i32(i32 %a, i1 false)
    %8 = call i32 @llvm.smax.i32(i32 %7, i32 %b)
    %9 = call i32 @llvm.umin.i32(i32 %8, i32 %5)
    %10 = call i32 @llvm.uadd.sat.i32(i32 %9, i32 %a)
    %11 = call i32 @llvm.ssub.sat.i32(i32 %10, i32 %b)
    %12 = xor i32 %11, %6
    %13 = add i32 %12, %4
    store i32 %13, ptr %dst
  )",
        4,
        "declare i32 @llvm.ctpop.i32(i32)\ndeclare i32 @llvm.ctlz.i32(i32, i1)\n"
        "declare i32 @llvm.cttz.i32(i32, i1)\ndeclare i32 @llvm.bitreverse.i32(i32)\n"
        "declare i32 @llvm.bswap.i32(i32)\ndeclare i32 @llvm.fshl.i32(i32, i32, i32)\n"
        "declare i32 @llvm.abs.i32(i32, i1)\ndeclare i32 @llvm.smax.i32(i32, i32)\n"
        "declare i32 @llvm.umin.i32(i32, i32)\ndeclare i32 @llvm.uadd.sat.i32(i32, i32)\n"
        "declare i32 @llvm.ssub.sat.i32(i32, i32)\n");
}

TEST_F(Widen, FloatingPoint) {
  check(R"(
    %s = sitofp i32 %a to float
    %t = sitofp i32 %b to float
    %1 = call float @llvm.fabs.f32(float %s)
    %2 = call float @llvm.sqrt.f32(float %1)
    %3 = call float @llvm.fma.f32(float %2, float %t, float %s)
    %4 = call float @llvm.floor.f32(float %3)
    %5 = fdiv float %4, 3.0
    %6 = fneg float %5
    %7 = call float @llvm.roundeven.f32(float %6)
    %8 = fcmp olt float %7, %t
    %9 = select i1 %8, float %7, float %2
    %10 = call i32 @llvm.fptosi.sat.i32.f32(float %9)
    %d = fpext float %5 to double
    %e = call double @llvm.ceil.f64(double %d)
    %11 = call i32 @llvm.fptoui.sat.i32.f64(double %e)
    %12 = xor i32 %10, %11
    store i32 %12, ptr %dst
  )",
        4,
        "declare float @llvm.fabs.f32(float)\ndeclare float @llvm.sqrt.f32(float)\n"
        "declare float @llvm.fma.f32(float, float, float)\ndeclare float @llvm.floor.f32(float)\n"
        "declare float @llvm.roundeven.f32(float)\ndeclare i32 @llvm.fptosi.sat.i32.f32(float)\n"
        "declare double @llvm.ceil.f64(double)\ndeclare i32 @llvm.fptoui.sat.i32.f64(double)\n");
}

TEST_F(Widen, PackedValues) {
  check(R"(
    %v = bitcast i64 %x to <4 x i16>
    %w = load <4 x i16>, ptr %src, align 2
    %1 = add <4 x i16> %v, %w
    %2 = shufflevector <4 x i16> %1, <4 x i16> %w, <4 x i32> <i32 5, i32 0, i32 poison, i32 3>
    %3 = insertelement <4 x i16> %2, i16 77, i64 2
    %4 = extractelement <4 x i16> %3, i64 3
    %c = icmp ult i32 %a, 4
    %5 = select i1 %c, <4 x i16> %3, <4 x i16> %v
    %d = icmp slt <4 x i16> %5, %w
    %6 = select <4 x i1> %d, <4 x i16> %1, <4 x i16> %5
    %7 = insertelement <4 x i16> %6, i16 %4, i64 0
    %i = and i32 %b, 3
    %8 = extractelement <4 x i16> %7, i32 %i
    %9 = insertelement <4 x i16> %7, i16 %8, i32 %i
    %s = sext <4 x i1> %d to <4 x i16>
    %10 = xor <4 x i16> %9, %s
    %11 = call <4 x i16> @llvm.umax.v4i16(<4 x i16> %10, <4 x i16> <i16 1, i16 2, i16 3, i16 4>)
    %uu = bitcast i32 %u to <2 x i16>
    %12 = shufflevector <2 x i16> %uu, <2 x i16> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 1>
    %13 = sub <4 x i16> %11, %12
    store <4 x i16> %13, ptr %dst, align 2
  )",
        8, "declare <4 x i16> @llvm.umax.v4i16(<4 x i16>, <4 x i16>)\n");
}

TEST_F(Widen, WideIntegers) {
  check(R"(
    %p = zext i64 %x to i128
    %q = shl i128 %p, 70
    %r = or i128 %q, %p
    %s = mul i128 %r, %q
    %c = icmp ugt i128 %s, %r
    %t = select i1 %c, i128 %s, i128 %r
    store i128 %t, ptr %dst, align 1
  )",
        16);
}

// ---- target operations

constexpr const char* operation_declarations = R"(
  declare i32 @hsail.workitemid(i32) speculatable willreturn nounwind memory(none)
  declare i32 @hsail.laneid() speculatable willreturn nounwind memory(none)
  declare float @hsail.flush.f32(float) speculatable willreturn nounwind memory(none)
  declare <2 x float> @hsail.flush.f32.v2(<2 x float>) speculatable willreturn nounwind memory(none)
  declare float @hsail.arithmetic.f32(i32, i32, i32, float, float, float) speculatable willreturn nounwind memory(none)
  declare float @hsail.f16.to.f32(i16) speculatable willreturn nounwind memory(none)
  declare <2 x float> @hsail.f16.to.f32.v2(<2 x i16>) speculatable willreturn nounwind memory(none)
  declare i16 @hsail.f32.to.f16(float) speculatable willreturn nounwind memory(none)
  declare float @hsail.native(i32, float) speculatable willreturn nounwind memory(none)
  declare i32 @hsail.atomic.i32(i32, i32, i32, i32, ptr, i32, i32) convergent nounwind
  declare i64 @hsail.atomic.i64(i32, i32, i32, i32, ptr, i64, i64) convergent nounwind
  declare i64 @hsail.signal(i32, i64, i64, i64) convergent nounwind
  declare void @hsail.exceptions(i32, i64, i64, i64) convergent nounwind
  declare i32 @hsail.activelanecount(i32) convergent willreturn nounwind memory(none)
  declare i32 @hsail.activelaneid() convergent willreturn nounwind memory(none)
  declare i64 @hsail.activelanemask(i32, i32) convergent willreturn nounwind memory(none)
  declare i64 @hsail.activelanepermute(i64, i32, i64, i32) convergent willreturn nounwind memory(none)
  declare i32 @llvm.fptosi.sat.i32.f32(float)
)";

TEST_F(Widen, WorkItemIds) {
  check(R"(
    %x0 = call i32 @hsail.workitemid(i32 0)
    %y0 = call i32 @hsail.workitemid(i32 1)
    %l = call i32 @hsail.laneid()
    %1 = mul i32 %x0, 3
    %2 = xor i32 %1, %l
    store i32 %2, ptr %dst
  )",
        4, operation_declarations);
}

TEST_F(Widen, ArithmeticOperations) {
  check(R"(
    %s = sitofp i32 %a to float
    %t = uitofp i32 %u to float
    %1 = call float @hsail.flush.f32(float %s)
    %2 = call float @hsail.arithmetic.f32(i32 3, i32 1, i32 1, float %1, float %t, float %s)
    %h = trunc i32 %b to i16
    %3 = call float @hsail.f16.to.f32(i16 %h)
    %4 = insertelement <2 x float> poison, float %3, i32 0
    %5 = insertelement <2 x float> %4, float %2, i32 1
    %6 = call <2 x float> @hsail.flush.f32.v2(<2 x float> %5)
    store <2 x float> %6, ptr %dst
  )",
        8, operation_declarations);
}

TEST_F(Widen, HalfPrecisionAndNativeOperations) {
  check(R"(
    %h = trunc i32 %b to i16
    %1 = call float @hsail.f16.to.f32(i16 %h)
    %p = bitcast i32 %a to <2 x i16>
    %2 = call <2 x float> @hsail.f16.to.f32.v2(<2 x i16> %p)
    %3 = extractelement <2 x float> %2, i32 1
    %4 = fadd float %1, %3
    %5 = call float @hsail.native(i32 3, float %4)
    %6 = call i16 @hsail.f32.to.f16(float %5)
    store i16 %6, ptr %dst
    %same = uitofp i32 %u to float
    %7 = call float @hsail.native(i32 2, float %same)
    %own = getelementptr i8, ptr %dst, i64 2
    %8 = call i16 @hsail.f32.to.f16(float %7)
    store i16 %8, ptr %own
  )",
        4, operation_declarations);
}

/// The vector form has one operation for all elements of all lanes of a part.
TEST_F(Widen, OperationsOnVectors) {
  using ::testing::HasSubstr;
  parse(R"(
    %p = bitcast i32 %a to <2 x i16>
    %1 = call <2 x float> @hsail.f16.to.f32.v2(<2 x i16> %p)
    %2 = extractelement <2 x float> %1, i32 1
    %3 = call float @hsail.native(i32 1, float %2)
    %4 = call i16 @hsail.f32.to.f16(float %3)
    store i16 %4, ptr %dst
  )",
        4, operation_declarations);
  Widened widened(*module_, {{16, 8}});
  ASSERT_EQ(widened.error(), "");
  const std::string text = widened.text();
  for (const char* expected : {"call <16 x float> @hsail.f16.to.f32.v16(<16 x i16>",
                               "call <8 x float> @hsail.native.v8(i32 1, <8 x float>",
                               "call <8 x i16> @hsail.f32.to.f16.v8(<8 x float>"})
    EXPECT_THAT(text, HasSubstr(expected));
}

TEST_F(Widen, OperationsOfSingleLanes) {
  check(R"(
    %c = icmp slt i32 %a, 4
    br i1 %c, label %then, label %end
  then:
    %old = call i32 @hsail.atomic.i32(i32 1, i32 2, i32 3, i32 4, ptr %in, i32 %id, i32 0)
    store i32 %old, ptr %dst
    %where = getelementptr i8, ptr %dst, i64 4
    %number = ptrtoint ptr %where to i64
    call void @hsail.exceptions(i32 5, i64 %number, i64 %x, i64 0)
    br label %end
  end:
  )",
        12, operation_declarations);
}

struct AtomicForm {
  unsigned operation;
  bool is_reduced;    ///< whether a wave accesses memory once if nobody uses the old value
  bool finds_others;  ///< whether it also does if they do
};

class WidenAtomics : public Widen, public ::testing::WithParamInterface<AtomicForm> {};
INSTANTIATE_TEST_SUITE_P(Operations, WidenAtomics,
                         ::testing::Values(AtomicForm{HSA_BRIG_ATOMIC_OPERATION_ADD, true, true},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_SUB, true, true},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_AND, true, false},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_OR, true, false},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_XOR, true, false},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_MIN, true, false},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_MAX, true, false},
                                           AtomicForm{HSA_BRIG_ATOMIC_OPERATION_EXCH, false, false}));

/// All lanes have one address, at first with and then without use of what was there.
TEST_P(WidenAtomics, OneAddress) {
  for (const unsigned type : {HSA_BRIG_TYPE_U32, HSA_BRIG_TYPE_S32}) {
    const std::string what = std::to_string(GetParam().operation) + ", i32 " + std::to_string(type);
    const auto call = [&](const std::string& offset, const std::string& operand) {
      return "  %p" + offset + " = getelementptr i8, ptr %in, i64 " + offset + "\n  %v" + offset +
             " = call i32 @hsail.atomic.i32(i32 " + what + ", i32 1, i32 5, ptr %p" + offset + ", i32 " +
             operand + ", i32 0)\n";
    };
    const std::string begin = "  %c = icmp slt i32 %a, 3\n  br i1 %c, label %then, label %end\nthen:\n";
    const std::string end = "  br label %end\nend:\n", store = "  store i32 %v16, ptr %dst\n";
    const std::string without = begin + call("0", "%b") + call("4", "%u") + end;
    const std::string with = begin + call("16", "%b") + store + end;
    check(without, 4, operation_declarations);
    check(with, 4, operation_declarations);
    for (const bool is_used : {false, true}) {
      parse(is_used ? with : without, 4, operation_declarations);
      const Widened widened(*module_, {{8, 8}, false, Body::row});
      const bool is_reduced = is_used ? GetParam().finds_others : GetParam().is_reduced;
      EXPECT_EQ(widened.wide().lane_loops, is_reduced ? 0u : is_used ? 1u : 2u) << what;
    }
  }
}

/// With 64 bits, and for each lane an address of its own.
TEST_P(WidenAtomics, OtherForms) {
  const std::string what =
      std::to_string(GetParam().operation) + ", i32 " + std::to_string(HSA_BRIG_TYPE_U64);
  check("  %v = call i64 @hsail.atomic.i64(i32 " + what + ", i32 1, i32 5, ptr %in, i64 %x, i64 0)\n" +
            "  store i64 %v, ptr %dst\n  %w = call i64 @hsail.atomic.i64(i32 " + what +
            ", i32 1, i32 5, ptr %dst, i64 %x, i64 0)\n",
        8, operation_declarations);
}

/// Addresses of single lanes are computed from bytes, by the whole wave and by a part of it.
TEST_F(Widen, AtomicsAtAddressesFromNarrowValues) {
  const std::string what =
      std::to_string(HSA_BRIG_ATOMIC_OPERATION_ADD) + ", i32 " + std::to_string(HSA_BRIG_TYPE_U32);
  const auto count = [&](const std::string& n) {
    return "  %byte" + n + " = load i8, ptr %src\n  %wide" + n + " = zext i8 %byte" + n + " to i32\n  %next" +
           n + " = add i32 %wide" + n + ", " + n + "\n  %some" + n + " = and i32 %next" + n +
           ", 127\n  %high" + n + " = add i32 %some" + n + ", 128\n  %long" + n + " = zext i32 %high" + n +
           " to i64\n  %low" + n + " = zext i32 %some" + n + " to i64\n  %p" + n +
           " = getelementptr i32, ptr %in, i64 %low" + n + "\n  %v" + n +
           " = call i32 @hsail.atomic.i32(i32 " + what + ", i32 1, i32 5, ptr %p" + n +
           ", i32 1, i32 0)\n  %q" + n + " = getelementptr i32, ptr %in, i64 %long" + n + "\n  %w" + n +
           " = call i32 @hsail.atomic.i32(i32 " + what + ", i32 1, i32 5, ptr %q" + n + ", i32 %b, i32 0)\n";
  };
  check(count("1") + "  %c = icmp slt i32 %a, 3\n  br i1 %c, label %then, label %end\nthen:\n" + count("2") +
            "  br label %end\nend:\n",
        4, operation_declarations);
}

TEST_F(Widen, ActiveLanes) {
  check(R"(
    %1 = call i32 @hsail.activelanecount(i32 1)
    %2 = call i32 @hsail.activelaneid()
    %3 = call i64 @hsail.activelanemask(i32 1, i32 0)
    %4 = call i64 @hsail.activelanemask(i32 1, i32 1)
    %5 = mul i32 %1, 256
    %6 = add i32 %5, %2
    store i32 %6, ptr %dst
    %p = getelementptr i8, ptr %dst, i64 4
    %7 = xor i64 %3, %4
    store i64 %7, ptr %p
    %l = call i32 @hsail.laneid()
    %l64 = zext i32 %l to i64
    %8 = mul i64 %l64, 77
    %9 = add i64 %8, 5
    %asks = and i32 %b, 1
    %10 = call i64 @hsail.activelanepermute(i64 %9, i32 %a, i64 %x, i32 %asks)
    %q = getelementptr i8, ptr %dst, i64 12
    store i64 %10, ptr %q
    %odd = trunc i32 %l to i1
    br i1 %odd, label %then, label %end
  then:
    %11 = call i32 @hsail.activelanecount(i32 3)
    %12 = call i64 @hsail.activelanemask(i32 3, i32 0)
    %r = getelementptr i8, ptr %dst, i64 20
    store i32 %11, ptr %r
    %s = getelementptr i8, ptr %dst, i64 24
    store i64 %12, ptr %s
    br label %end
  end:
  )",
        32, operation_declarations);
}

TEST_F(Widen, SaysWhyItRefuses) {
  using ::testing::HasSubstr;
  EXPECT_THAT(error_of("store i1 %active, ptr %dst\n"), HasSubstr("no place in memory"));
  EXPECT_THAT(error_of("%v = atomicrmw add ptr %dst, i32 1 monotonic\n"), HasSubstr("access to memory"));
  EXPECT_EQ(error_of("store i32 1, ptr %dst\n"), "");
}

// ---- machine code

TEST_F(Widen, SelectsInstructionsOfAvx512) {
  using ::testing::HasSubstr;
  using ::testing::Not;
  parse(R"(
    %v = load float, ptr %src
    %c = fcmp olt float %v, 2.0
    br i1 %c, label %then, label %end
  then:
    %n = and i32 %a, 63
    %i = zext i32 %n to i64
    %p = getelementptr float, ptr %in, i64 %i
    %w = load float, ptr %p
    %s = fadd float %v, %w
    store float %s, ptr %dst
    %byte = trunc i32 %a to i8
    %far = mul i64 %off, 3
    %q = getelementptr i8, ptr %mine, i64 %far
    store i32 %b, ptr %q
    br label %end
  end:
  )",
        4);
  Widened widened(*module_, {{32, 16}, true, Body::row, false});
  ASSERT_EQ(widened.error(), "");
  EXPECT_EQ(widened.wide().gathers, 1u);
  EXPECT_EQ(widened.wide().scatters, 1u);
  EXPECT_EQ(widened.wide().lane_loops, 0u);
  auto module = widened.take_module();
  module->getFunction("f")->eraseFromParent();
  const std::string code = assembly(*module, "x86-64-v4");
  for (const char* expected : {"vgather", "vpscatter", "vmovups\t", "{%k1}", "zmm", "kor"})
    EXPECT_THAT(code, HasSubstr(expected));
  EXPECT_THAT(code, Not(HasSubstr("vpextr"))) << code;
}

TEST_F(Widen, SelectsInstructionsOfAvx2) {
  using ::testing::HasSubstr;
  parse(R"(
    %v = load float, ptr %src
    %c = fcmp olt float %v, 2.0
    br i1 %c, label %then, label %end
  then:
    %n = and i32 %a, 63
    %i = zext i32 %n to i64
    %p = getelementptr float, ptr %in, i64 %i
    %w = load float, ptr %p
    %s = fadd float %v, %w
    store float %s, ptr %dst
    br label %end
  end:
  )",
        4);
  Widened widened(*module_, {{32, 8}, false, Body::row, false});
  ASSERT_EQ(widened.error(), "");
  auto module = widened.take_module();
  module->getFunction("f")->eraseFromParent();
  const std::string code = assembly(*module, "x86-64-v3");
  for (const char* expected : {"vpgatherdd", "vmaskmovps", "ymm"})
    EXPECT_THAT(code, HasSubstr(expected)) << code;
}

TEST_F(Widen, PartialContiguousAccess) {
  check(R"(
    %v = load i32, ptr %src
    %w = add i32 %v, %id
    store i32 %w, ptr %dst
  )");
}

}  // namespace
}  // namespace heddle::testing
