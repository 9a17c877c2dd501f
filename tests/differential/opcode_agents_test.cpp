// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel for each opcode of the tables. Each ISA compiles and runs the kernel, or refuses it at
// finalization with the instruction's name and location. The tables of the finalizer and of the interpreter
// decide which of the two happens, not a list here.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "../agents/cuda/fake/dump_folder.h"
#include "agents.h"
#include "finalizer/finalize.h"
#include "finalizer/lower/table.h"
#include "hsail/assemble/assemble.h"
#include "hsail/isa/names.h"
#include "interpreter/interpreter.h"

namespace heddle::testing {
namespace {

struct Row {
  const char* opcode;
  /// The statements of a kernel in which $d0 = address of 256 bytes, $d1 = a signal of value 1, $d2 = a
  /// queue, $d3 = 5, $s1 = 7, $s2 = 3, $s3 = 1.5f, $c1 = true, %f is an fbarrier, and %g, %p and %s are
  /// variables in group, private and spill memory.
  const char* body;
  hsa_status_t ends = HSA_STATUS_SUCCESS;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.opcode; }

const Row rows[] = {
    {"abs", "abs_s32 $s4, $s1;"},
    {"activelanecount", "activelanecount_u32_b1 $s4, $c1;"},
    {"activelaneid", "activelaneid_u32 $s4;"},
    {"activelanemask", "activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), $c1;"},
    {"activelanepermute", "activelanepermute_b32 $s4, $s1, 0, $s2, 0;"},
    {"add", "add_u32 $s4, $s1, $s2;"},
    {"addqueuewriteindex", "addqueuewriteindex_scar_u64 $d4, [$d2], 0;"},
    {"alloca", "alloca_align(8)_u32 $s4, 16; st_private_u32 7, [$s4];"},
    {"and", "and_b32 $s4, $s1, $s2;"},
    {"arrivefbar", "initfbar %f; joinfbar %f; arrivefbar %f; leavefbar %f; releasefbar %f;"},
    {"atomic", "atomic_add_global_rlx_agent_u32 $s4, [$d0], 1;"},
    {"atomicnoret", "atomicnoret_add_global_rlx_agent_u32 [$d0], 1;"},
    {"barrier", "barrier;"},
    {"bitalign", "bitalign_b32 $s4, $s1, $s2, 3;"},
    {"bitextract", "bitextract_u32 $s4, $s1, 1, 2;"},
    {"bitinsert", "bitinsert_u32 $s4, $s1, $s2, 1, 2;"},
    {"bitmask", "bitmask_b32 $s4, 1, 2;"},
    {"bitrev", "bitrev_b32 $s4, $s1;"},
    {"bitselect", "bitselect_b32 $s4, $s1, $s2, $s3;"},
    {"borrow", "borrow_u32 $s4, $s1, $s2;"},
    {"br", "br @over; st_global_u32 7, [$d0]; @over:"},
    {"bytealign", "bytealign_b32 $s4, $s1, $s2, 3;"},
    {"call", "{ arg_u32 %r; arg_u32 %a; st_arg_u32 $s1, [%a]; call &twice(%r)(%a); ld_arg_u32 $s4, [%r]; }"},
    {"carry", "carry_u32 $s4, $s1, $s2;"},
    {"casqueuewriteindex", "casqueuewriteindex_rlx_u64 $d4, [$d2], 0, 0;"},
    {"cbr", "cbr_b1 $c1, @over; st_global_u32 7, [$d0]; @over:"},
    {"ceil", "ceil_f32 $s4, $s3;"},
    {"class", "class_b1_f32 $c2, $s3, 3;"},
    {"cleardetectexcept", "cleardetectexcept_u32 31;"},
    {"clock", "clock_u64 $d4;"},
    {"cmov", "cmov_b32 $s4, $c1, $s1, $s2;"},
    {"cmp", "cmp_lt_b1_u32 $c2, $s1, $s2;"},
    {"combine", "combine_v2_b64_b32 $d4, ($s1, $s2);"},
    {"copysign", "copysign_f32 $s4, $s3, $s1;"},
    {"cuid", "cuid_u32 $s4;"},
    {"currentworkgroupsize", "currentworkgroupsize_u32 $s4, 0;"},
    {"currentworkitemflatid", "currentworkitemflatid_u32 $s4;"},
    {"cvt", "cvt_f32_u32 $s4, $s1;"},
    {"debugtrap", "debugtrap_u32 1;", HSA_STATUS_ERROR_EXCEPTION},
    {"dim", "dim_u32 $s4;"},
    {"div", "div_u32 $s4, $s1, $s2;"},
    {"expand", "expand_v2_b32_b64 ($s4, $s5), $d3;"},
    {"firstbit", "firstbit_u32_u32 $s4, $s1;"},
    {"floor", "floor_f32 $s4, $s3;"},
    {"fma", "fma_f32 $s4, $s3, $s3, $s3;"},
    {"fract", "fract_f32 $s4, $s3;"},
    {"ftos", "lda_private_u32 $s4, [%p]; stof_private_u64_u32 $d4, $s4; ftos_private_u32_u64 $s5, $d4;"},
    {"getdetectexcept", "getdetectexcept_u32 $s4;"},
    {"gridgroups", "gridgroups_u32 $s4, 0;"},
    {"gridsize", "gridsize_u32 $s4, 0;"},
    {"groupbaseptr", "groupbaseptr_u32 $s4;"},
    {"groupstaticsize", "groupstaticsize_u32 $s4;"},
    {"grouptotalsize", "grouptotalsize_u32 $s4;"},
    {"icall", "mov_u64 $d4, addr(&later); { icall_u64 $d4()() &nothing; }"},
    {"imagefence", "imagefence;"},
    {"initfbar", "initfbar %f; releasefbar %f;"},
    {"joinfbar", "initfbar %f; joinfbar %f; leavefbar %f; releasefbar %f;"},
    {"kernargbaseptr", "kernargbaseptr_u64 $d4;"},
    {"laneid", "laneid_u32 $s4;"},
    {"lastbit", "lastbit_u32_u32 $s4, $s1;"},
    {"ld", "ld_global_u32 $s4, [$d0];"},
    {"lda", "lda_group_u32 $s4, [%g];"},
    {"ldf", "ldf_u32 $s4, %f;"},
    {"ldimage", "cbr_b1 $c1, @over; ldimage_v4_1d_f32_roimg_u32 ($s4, $s5, $s6, $s7), $d3, $s1; @over:"},
    {"ldqueuereadindex", "ldqueuereadindex_rlx_u64 $d4, [$d2];"},
    {"ldqueuewriteindex", "ldqueuewriteindex_scacq_u64 $d4, [$d2];"},
    {"leavefbar", "initfbar %f; joinfbar %f; leavefbar %f; releasefbar %f;"},
    {"lerp", "lerp_u8x4 $s4, $s1, $s2, $s3;"},
    {"mad", "mad_u32 $s4, $s1, $s2, $s3;"},
    {"mad24", "mad24_u32 $s4, $s1, $s2, $s3;"},
    {"mad24hi", "mad24hi_u32 $s4, $s1, $s2, $s3;"},
    {"max", "max_u32 $s4, $s1, $s2;"},
    {"maxcuid", "maxcuid_u32 $s4;"},
    {"maxwaveid", "maxwaveid_u32 $s4;"},
    {"memfence", "memfence_scar_agent;"},
    {"min", "min_u32 $s4, $s1, $s2;"},
    {"mov", "mov_b32 $s4, $s1;"},
    {"mul", "mul_u32 $s4, $s1, $s2;"},
    {"mul24", "mul24_u32 $s4, $s1, $s2;"},
    {"mul24hi", "mul24hi_u32 $s4, $s1, $s2;"},
    {"mulhi", "mulhi_u32 $s4, $s1, $s2;"},
    {"ncos", "ncos_f32 $s4, $s3;"},
    {"neg", "neg_s32 $s4, $s1;"},
    {"nexp2", "nexp2_f32 $s4, $s3;"},
    {"nfma", "nfma_f32 $s4, $s3, $s3, $s3;"},
    {"nlog2", "nlog2_f32 $s4, $s3;"},
    {"nop", "nop;"},
    {"not", "not_b32 $s4, $s1;"},
    {"nrcp", "nrcp_f32 $s4, $s3;"},
    {"nrsqrt", "nrsqrt_f32 $s4, $s3;"},
    {"nsin", "nsin_f32 $s4, $s3;"},
    {"nsqrt", "nsqrt_f32 $s4, $s3;"},
    {"nullptr", "nullptr_group_u32 $s4;"},
    {"or", "or_b32 $s4, $s1, $s2;"},
    {"pack", "pack_u8x4_u32 $s4, $s1, $s2, 1;"},
    {"packcvt", "packcvt_u8x4_f32 $s4, $s3, $s3, $s3, $s3;"},
    {"packetcompletionsig", "packetcompletionsig_sig64 $d4;"},
    {"packetid", "packetid_u64 $d4;"},
    {"popcount", "popcount_u32_b32 $s4, $s1;"},
    {"queryimage", "cbr_b1 $c1, @over; queryimage_1d_width_u32_roimg $s4, $d3; @over:"},
    {"querysampler", "cbr_b1 $c1, @over; querysampler_addressing_u32 $s4, $d3; @over:"},
    {"rdimage", "cbr_b1 $c1, @over; rdimage_v4_1d_f32_roimg_f32 ($s4, $s5, $s6, $s7), $d3, $d4, $s3; @over:"},
    {"releasefbar", "initfbar %f; releasefbar %f;"},
    {"rem", "rem_u32 $s4, $s1, $s2;"},
    {"ret", "cbr_b1 $c1, @over; ret; @over:"},
    {"rint", "rint_f32 $s4, $s3;"},
    {"sad", "sad_u32_u32 $s4, $s1, $s2, $s3;"},
    {"sadhi", "sadhi_u16x2_u8x4 $s4, $s1, $s2, $s3;"},
    {"sbr", "mov_b32 $s4, 1; sbr_u32 $s4 [@over, @over]; @over:"},
    {"scall", "{ scall_u32 1()() [&later, &later]; }"},
    {"segmentp", "segmentp_group_b1_u64 $c2, $d0;"},
    {"setdetectexcept", "setdetectexcept_u32 0;"},
    {"shl", "shl_u32 $s4, $s1, 3;"},
    {"shr", "shr_u32 $s4, $s1, 3;"},
    {"shuffle", "shuffle_u8x4 $s4, $s1, $s2, 0x55;"},
    {"signal", "signal_wait_eq_rlx_s64_sig64 $d4, $d1, 1;"},
    {"signalnoret", "signalnoret_add_rlx_s64_sig64 $d1, 0;"},
    {"sqrt", "sqrt_f32 $s4, $s3;"},
    {"st", "st_spill_u32 $s1, [%s];"},
    {"stimage", "cbr_b1 $c1, @over; stimage_v4_1d_f32_woimg_u32 ($s3, $s3, $s3, $s3), $d3, $s1; @over:"},
    {"stof", "lda_private_u32 $s4, [%p]; stof_private_u64_u32 $d4, $s4;"},
    {"stqueuereadindex", "stqueuereadindex_screl_u64 [$d2], 0;"},
    {"stqueuewriteindex", "stqueuewriteindex_rlx_u64 [$d2], 0;"},
    {"sub", "sub_u32 $s4, $s1, $s2;"},
    {"trunc", "trunc_f32 $s4, $s3;"},
    {"unpack", "unpack_u32_u8x4 $s4, $s1, 1;"},
    {"unpackcvt", "unpackcvt_f32_u8x4 $s4, $s1, 1;"},
    {"unpackhi", "unpackhi_u8x4 $s4, $s1, $s2;"},
    {"unpacklo", "unpacklo_u8x4 $s4, $s1, $s2;"},
    {"waitfbar", "initfbar %f; joinfbar %f; waitfbar %f; leavefbar %f; releasefbar %f;"},
    {"wavebarrier", "wavebarrier;"},
    {"waveid", "waveid_u32 $s4;"},
    {"workgroupid", "workgroupid_u32 $s4, 0;"},
    {"workgroupsize", "workgroupsize_u32 $s4, 0;"},
    {"workitemabsid", "workitemabsid_u32 $s4, 0;"},
    {"workitemflatabsid", "workitemflatabsid_u32 $s4;"},
    {"workitemflatid", "workitemflatid_u32 $s4;"},
    {"workitemid", "workitemid_u32 $s4, 0;"},
    {"xor", "xor_b32 $s4, $s1, $s2;"},
};

constexpr uint32_t reached_the_end = 0x600d;
constexpr uint32_t loc_line = 77;

std::string text_of(const Row& row) {
  const std::string body = row.body;
  const bool image = body.find("image") != std::string::npos || body.find("sampler") != std::string::npos;
  const bool fbarrier = body.find("%f") != std::string::npos;
  return fmt::format(R"(module &m:1:2:$full:$large:$near;
{}
function &twice(arg_u32 %r)(arg_u32 %a) {{ ld_arg_u32 $s0, [%a]; add_u32 $s0, $s0, $s0; st_arg_u32 $s0, [%r]; }};
indirect function &later()() {{ nop; }};
signature &nothing()();
prog kernel &k(kernarg_u64 %out, kernarg_u64 %signal, kernarg_u64 %queue)
{{
  {} group_u32 %g; private_u32 %p; spill_u32 %s;
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%signal];
  ld_kernarg_align(8)_u64 $d2, [%queue];
  mov_b64 $d3, 5; mov_b32 $s1, 7; mov_b32 $s2, 3; mov_b32 $s3, 1.5f; mov_b1 $c1, 1;
  loc {} 3 "row.cl";
  {}
  st_global_align(4)_u32 {}, [$d0+4];
}};
)",
                     image ? "extension \"IMAGE\";" : "", fbarrier ? "fbarrier %f;" : "", loc_line, row.body,
                     reached_the_end);
}

struct Result {
  finalizer::FinalizeResult result = finalizer::FinalizeResult::failed;
  codeobject::CodeObject object;
  Diagnostics diagnostics;
  std::vector<std::byte> lowered;
};

class Opcodes : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    const std::string text = text_of(GetParam());
    Diagnostics diagnostics("row.hsail", text);
    std::vector<std::byte> brig;
    ASSERT_TRUE(assemble::assemble(text, "row.hsail", brig, diagnostics)) << diagnostics.print() << text;
    ASSERT_EQ(program_.add(brig::Module::open(brig, diagnostics), diagnostics), link::Program::AddResult::ok);
    ASSERT_TRUE(program_.resolve(diagnostics)) << diagnostics.print();
  }

  Result finalize(const std::string& isa) {
    Result made;
    finalizer::FinalizeOptions options = finalizer::parse_options(nullptr);
    const cuda::fake::DumpFolder folder;
    options.dump_folder = folder.path();
    made.result = finalizer::finalize(program_, HSAIL_CODE_OBJECT_BOTH, finalizer::find_isa(isa), options,
                                      nullptr, made.object, made.diagnostics);
    made.lowered = folder.lowered();
    return made;
  }

  /// Returns the offsets of the instructions that the ISA's own table lacks.
  std::vector<uint64_t> lacking(const std::string& isa) const {
    std::vector<uint64_t> offsets;
    if (isa.find(":hsail:") != std::string::npos) {
      const auto image = interpreter::DecodedProgram::prepare(program_);
      for (const auto& found : interpreter::unsupported(*image)) offsets.push_back(found.instruction);
      return offsets;
    }
    const brig::Module& module = program_.modules()[0];
    for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
      if (module.is_instruction(at) &&
          !finalizer::lowering_of(module.code_as<hsa_brig_inst_base_t>(at).opcode))
        offsets.push_back(at);
    return offsets;
  }

  void expect_refused(const Result& made, const std::vector<uint64_t>& offsets) {
    EXPECT_EQ(made.result, finalizer::FinalizeResult::failed);
    ASSERT_EQ(made.diagnostics.all().size(), offsets.size()) << made.diagnostics.print();
    const brig::Module& module = program_.modules()[0];
    for (size_t i = 0; i < offsets.size(); ++i) {
      const Diagnostic& said = made.diagnostics.all()[i];
      EXPECT_EQ(said.id, "FINALIZER-unsupported-instruction");
      EXPECT_EQ(said.location.section, "hsa_code");
      EXPECT_EQ(said.location.offset, offsets[i]);
      EXPECT_EQ(said.location.line, loc_line) << "the place that loc says";
      EXPECT_NE(said.message.find("row.cl:77"), std::string::npos) << said.message;
      const auto opcode = module.code_as<hsa_brig_inst_base_t>(static_cast<brig::Offset>(offsets[i])).opcode;
      EXPECT_NE(said.message.find(isa::opcode_name(opcode)), std::string::npos) << said.message;
    }
  }

  void expect_run(const Agent& agent, const Result& made) {
    const std::span<const std::byte> brig = program_.modules()[0].bytes();
    AgentCode code(agent, made.object, {{brig.begin(), brig.end()}}, made.lowered);
    ASSERT_TRUE(code.good());
    AgentQueue queue(agent);
    hsa_signal_t signal{};
    ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &signal), HSA_STATUS_SUCCESS);
    SharedVector<uint32_t> out(64);
    EXPECT_EQ(
        code.run("&k", {address_of(out), signal.handle, reinterpret_cast<uint64_t>(queue.get())}, line(1, 1)),
        GetParam().ends)
        << agent.isa;
    EXPECT_EQ(out[1], GetParam().ends == HSA_STATUS_SUCCESS ? reached_the_end : 0) << agent.isa;
    EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS);
  }

  link::Program program_{link::Program::Options{}};
};
INSTANTIATE_TEST_SUITE_P(All, Opcodes, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.opcode); });

TEST_P(Opcodes, RunOrAreRefusedAtFinalization) {
  for (const Agent& agent : executing_agents()) {
    const std::vector<uint64_t> offsets = lacking(agent.isa);
    const Result made = finalize(agent.isa);
    if (!offsets.empty()) {
      expect_refused(made, offsets);
      continue;
    }
    ASSERT_EQ(made.result, finalizer::FinalizeResult::ok) << agent.isa << made.diagnostics.print();
    expect_run(agent, made);
  }
}

/// The kernel contains the opcode that its row names.
TEST_P(Opcodes, AreInTheirKernel) {
  const brig::Module& module = program_.modules()[0];
  unsigned found = 0;
  for (brig::Offset at = module.code_begin(); at != module.code_end(); at = module.next_code(at))
    if (module.is_instruction(at))
      found += isa::opcode_name(module.code_as<hsa_brig_inst_base_t>(at).opcode) == GetParam().opcode;
  EXPECT_GE(found, 1u);
}

TEST(OpcodeTable, HasARowForEachInstruction) {
  std::map<std::string, unsigned> count;
  for (const Row& row : rows) ++count[row.opcode];
  for (const isa::Instruction& instruction : isa::instructions())
    EXPECT_EQ(count[std::string(isa::text(instruction.mnemonic))], 1u) << isa::text(instruction.mnemonic);
  EXPECT_EQ(count.size(), isa::instructions().size());
}

}  // namespace
}  // namespace heddle::testing
