// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated tables beside those of the instructions: control directives, image geometries, and tables by
// opcode.
#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/control_directive.h"
#include "hsail/isa/image_geometry.h"
#include "hsail/isa/names.h"
#include "hsail/isa/opcode_table.h"

namespace heddle::isa {
namespace {

TEST(ControlDirectives, AreThoseThatHaveAName) {
  for (unsigned control = 0; control < 100; ++control)
    EXPECT_EQ(control_directive(control) != nullptr, !name(Names::control_directive, control).empty())
        << control;
  EXPECT_EQ(control_directive(HSA_BRIG_CONTROL_DIRECTIVE_NONE), nullptr);
  EXPECT_EQ(control_directive(HSA_BRIG_CONTROL_DIRECTIVE_FIRST_USER_DEFINED), nullptr);
}

TEST(ControlDirectives, SayWhatTheyTake) {
  const ControlDirective& dim = *control_directive(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM);
  EXPECT_EQ(dim.operands, 1);
  EXPECT_EQ(dim.type, HSA_BRIG_TYPE_U32);
  EXPECT_FALSE(dim.takes_wavesize);
  EXPECT_FALSE(dim.takes(0));
  EXPECT_TRUE(dim.takes(1) && dim.takes(2) && dim.takes(3));
  EXPECT_FALSE(dim.takes(4));
  EXPECT_EQ(dim.merge, DirectiveMerge::agree);
  const ControlDirective& grid = *control_directive(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE);
  EXPECT_EQ(grid.operands, 3);
  EXPECT_EQ(grid.type, HSA_BRIG_TYPE_U64);
  EXPECT_TRUE(grid.takes_wavesize);
  EXPECT_TRUE(grid.takes(UINT64_MAX));
  const ControlDirective& align = *control_directive(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN);
  EXPECT_TRUE(align.takes(1) && align.takes(64) && align.takes(256));
  EXPECT_FALSE(align.takes(0) || align.takes(48) || align.takes(512));
  EXPECT_EQ(control_directive(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS)->operands, 0);
}

TEST(ImageGeometries, AreThoseThatHaveAName) {
  for (unsigned geometry = 0; geometry < 100; ++geometry)
    EXPECT_EQ(image_geometry(geometry) != nullptr, !name(Names::image_geometry, geometry).empty())
        << geometry;
}

TEST(ImageGeometries, SayTheirSizes) {
  const ImageGeometry& array = *image_geometry(HSA_EXT_BRIG_IMAGE_GEOMETRY_2DADEPTH);
  EXPECT_TRUE(array.has_height && array.has_array && array.holds_depth);
  EXPECT_FALSE(array.has_depth);
  EXPECT_EQ(array.coordinates, 3);
  const ImageGeometry& buffer = *image_geometry(HSA_EXT_BRIG_IMAGE_GEOMETRY_1DB);
  EXPECT_FALSE(buffer.has_height || buffer.has_depth || buffer.has_array || buffer.holds_depth);
  EXPECT_EQ(buffer.coordinates, 1);
}

TEST(OpcodeTables, HaveAValueForEachInstruction) {
  OpcodeTable<int> table;
  for (unsigned opcode = 0; opcode < instructions().size(); ++opcode)
    table.row(opcode) = static_cast<int>(opcode) + 1;
  for (unsigned opcode = 0; opcode < instructions().size(); ++opcode) {
    ASSERT_NE(table.find(opcode), nullptr);
    EXPECT_EQ(*table.find(opcode), static_cast<int>(opcode) + 1);
  }
  EXPECT_EQ(table.find(static_cast<unsigned>(instructions().size())), nullptr);
  EXPECT_EQ(table.find(HSA_BRIG_OPCODE_FIRST_USER_DEFINED), nullptr);
}

#ifndef NDEBUG
TEST(OpcodeTablesDeathTest, RefuseRowsForOpcodesThatAreNotDescribed) {
  OpcodeTable<int> table;
  EXPECT_DEATH(table.row(static_cast<unsigned>(instructions().size())) = 1, "no block of isa");
}
#endif

}  // namespace
}  // namespace heddle::isa
