// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families of instructions become in PTX, and what is refused.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <hsa/hsa_brig_modifiers.h>

#include "codeobject/ptx_kernel.h"
#include "ptxas.h"

namespace heddle::testing {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string module_with(const std::string& body, const char* profile = "full") {
  return std::string("module &m:1:2:$") + profile + ":$large:$near;\n" + body;
}

/// Returns a kernel with the address of its data in $d0 and the work-item's absolute ID in $s0.
std::string kernel(const std::string& code) {
  return "prog kernel &k(kernarg_u64 %data)\n{\n  ld_kernarg_align(8)_u64 $d0, [%data];\n" + code + "};\n";
}

PtxProgram compiled(const std::string& text, const char* isa = "heddle:nvptx-sm_90") {
  PtxProgram program = finalize_ptx(text, "test.hsail", isa);
  EXPECT_TRUE(program.object) << program.diagnostics;
  if (program.object && has_ptxas()) {
    const std::string architecture = std::string(isa).substr(std::string("heddle:nvptx-").size());
    EXPECT_EQ(run_ptxas(program.ptx, architecture == "sm_70" ? "sm_75" : architecture), "") << program.ptx;
  }
  return program;
}

/// Returns the PTX of one entry of kernel 0.
std::string entry_of(const PtxProgram& program, bool native) {
  const std::string name = native ? ptx_kernel::native_entry_name(0) : ptx_kernel::linear_entry_name(0);
  const size_t begin = program.ptx.find(".entry " + name + "(");
  if (begin == std::string::npos) return "";
  return program.ptx.substr(begin, program.ptx.find("\n}\n", begin) - begin);
}

size_t count_of(const std::string& text, const char* part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// Seed 61000299 of `heddle fuzz-exec`: what the program says in place of a NaN went through a
/// multiplication, which made the GPU's own NaN of it.
TEST(Ptx, keeps_numbers_that_are_selected_in_place_of_nans) {
  const PtxProgram program = compiled(module_with(
      kernel("ld_global_f32 $s1, [$d0];\nadd_f32 $s2, $s1, 0f00000000;\nclass_b1_f32 $c0, $s2, 3;\n"
             "cmov_b32 $s2, $c0, 0x7fc00000, $s2;\nst_global_u32 $s2, [$d0+4];\nret;\n")));
  EXPECT_THAT(program.ptx, HasSubstr("2143289344"));  // the quiet bit
  EXPECT_THAT(program.ptx, Not(HasSubstr("mul.rn.f32"))) << program.ptx;
}

// ---- one family after the other

struct Family {
  const char* name;
  const char* profile;
  const char* code;
  const char* ptx;  ///< a regular expression
};

constexpr Family families[] = {
    {"loads_of_constants", "full",
     "ld_global_align(4)_const_u32 $s1, [$d0];\n st_global_align(4)_u32 $s1, [$d0+8];\n", "ld.global.nc.b32"},
    {"flushing_sums", "base",
     "ld_global_align(4)_f32 $s1, [$d0];\n add_ftz_f32 $s1, $s1, $s1;\n st_global_align(4)_f32 $s1, [$d0];\n",
     "add.rn.ftz.f32"},
    {"rounded_products", "full",
     "ld_global_align(8)_f64 $d1, [$d0];\n mul_up_f64 $d1, $d1, $d1;\n st_global_align(8)_f64 $d1, [$d0];\n",
     "mul.rp.f64"},
    {"sums_of_products", "full",
     "ld_global_align(4)_f32 $s1, [$d0];\n mul_f32 $s2, $s1, $s1;\n add_f32 $s2, $s2, $s1;\n "
     "st_global_align(4)_f32 $s2, "
     "[$d0];\n",
     "mul.rn.f32[^;]*;[^;]*;?[^;]*add.rn.f32"},
    {"minima", "full",
     "ld_global_align(4)_f32 $s1, [$d0];\n ld_global_align(4)_f32 $s2, [$d0+4];\n min_f32 $s1, $s1, $s2;\n "
     "st_global_align(4)_f32 $s1, [$d0];\n",
     "min.f32"},
    {"native_sines", "full",
     "ld_global_align(4)_f32 $s1, [$d0];\n nsin_f32 $s1, $s1;\n st_global_align(4)_f32 $s1, [$d0];\n",
     "sin.approx.f32"},
    {"relaxed_atomics_of_agents", "full", "atomicnoret_add_global_rlx_agent_u32 [$d0], 3;\n",
     "atom.relaxed.gpu.global.add.u32"},
    {"ordered_atomics_of_agents", "full",
     "atomic_max_global_scar_agent_s64 $d1, [$d0], 3;\n st_global_align(8)_u64 $d1, [$d0+8];\n",
     "fence.sc.gpu;[^;]*atom.acq_rel.gpu.global.max.s64"},
    {"compare_and_swap", "full",
     "atomic_cas_global_scar_wg_b32 $s1, [$d0], 3, 4;\n st_global_align(4)_u32 $s1, [$d0+8];\n",
     "atom.acq_rel.cta.global.cas.b32"},
    {"atomics_of_systems", "full", "atomicnoret_or_global_rlx_system_b32 [$d0], 3;\n",
     "atom.relaxed.sys.global.or.b32"},
    {"loads_that_acquire", "full",
     "atomic_ld_global_scacq_agent_b32 $s1, [$d0];\n st_global_align(4)_u32 $s1, [$d0+8];\n",
     "ld.acquire.gpu"},
    {"fences", "full", "memfence_scar_agent;\n", "fence.sc.gpu"},
    {"barriers", "full", "barrier;\n", "barrier.sync"},
    {"lanes", "full", "laneid_u32 $s1;\n st_global_align(4)_u32 $s1, [$d0];\n", "%laneid"},
    {"clocks", "full", "clock_u64 $d1;\n st_global_align(8)_u64 $d1, [$d0];\n", "%globaltimer"},
    {"traps", "full", "debugtrap_u32 7;\n", "exit;"},
};

class PtxFamilies : public ::testing::TestWithParam<Family> {};

TEST_P(PtxFamilies, BecomeTheirInstructions) {
  const PtxProgram program = compiled(module_with(kernel(GetParam().code), GetParam().profile));
  EXPECT_THAT(entry_of(program, true) + entry_of(program, false), ContainsRegex(GetParam().ptx))
      << program.ptx;
  EXPECT_THAT(program.ptx, Not(ContainsRegex("[^a-z.]trap;"))) << "a trap of the GPU ends all its queues";
}

INSTANTIATE_TEST_SUITE_P(All, PtxFamilies, ::testing::ValuesIn(families),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- entries

TEST(PtxEntries, ReadTheirIdsFromTheGpuOrDivideThemOut) {
  const PtxProgram program =
      compiled(module_with(kernel("workitemid_u32 $s0, 1;\n st_global_align(4)_u32 $s0, [$d0];\n")));
  EXPECT_THAT(entry_of(program, true), HasSubstr("%tid.y"));
  EXPECT_THAT(entry_of(program, true), Not(HasSubstr("div.")));
  EXPECT_THAT(entry_of(program, false), Not(HasSubstr("%tid.y")));
  EXPECT_THAT(entry_of(program, false), HasSubstr("div.u32"));
  ASSERT_TRUE(program.object);
  const codeobject::Kernel& described = program.object->kernels.at(0);
  EXPECT_EQ(described.lanes, 32u);
  EXPECT_EQ(program.ptx.compare(described.groups_entry, 30, ".visible .entry hsail_native_0"), 0);
  EXPECT_EQ(program.ptx.compare(described.wave_entry, 30, ".visible .entry hsail_linear_0"), 0);
  EXPECT_EQ(program.object->text.back(), std::byte{0});
}

bool has_single_entry(const std::string& text, const char* options = "") {
  const PtxProgram program = finalize_ptx(text, "test.hsail", "heddle:nvptx-sm_90", options);
  EXPECT_TRUE(program.object) << program.diagnostics;
  if (!program.object) return false;
  const bool is_told = (program.object->kernels.at(0).flags & codeobject::kernel_has_single_entry) != 0;
  EXPECT_EQ(program.ptx.find(".entry hsail_single_0(") != std::string::npos, is_told);
  return is_told;
}

TEST(PtxEntries, OfSingleGroupsTellOfTheirEnd) {
  const std::string plain = module_with(kernel("st_global_u32 1, [$d0];\nret;\n"));
  EXPECT_TRUE(has_single_entry(plain));
  const std::string ptx = compiled(plain).ptx;
  EXPECT_THAT(ptx, ContainsRegex("barrier.sync[^}]*st.release.sys.b64[^}]*ret;"));
  EXPECT_EQ(count_of(ptx, "st.release.sys.b64"), 1u);
  // Its only group is number 0.
  const std::string with_id = kernel("workgroupid_u32 $s0, 0;\nst_global_u32 $s0, [$d0];\nret;\n");
  EXPECT_EQ(count_of(compiled(module_with(with_id)).ptx, "%ctaid.x;"), 2u) << "in the other two entries";
}

TEST(PtxEntries, OfSingleGroupsAreNotMadeWhereTheEndIsNotSimple) {
  const std::string plain = module_with(kernel("st_global_u32 1, [$d0];\nret;\n"));
  EXPECT_FALSE(has_single_entry(plain, "-O0"));
  EXPECT_FALSE(has_single_entry(plain, "-check-addresses"));
  EXPECT_FALSE(has_single_entry(
      module_with(kernel("pragma \"heddle.early_return\";\nst_global_u32 1, [$d0];\nret;\n"))));
  EXPECT_FALSE(has_single_entry(module_with(kernel("signalnoret_st_screl_b64_sig64 $d0, 1;\nret;\n"))));
  EXPECT_FALSE(
      has_single_entry(module_with(kernel("atomicnoret_add_global_rlx_system_u32 [$d0], 1;\nret;\n"))))
      << "it asks the host";
  EXPECT_FALSE(has_single_entry(
      module_with(kernel("@wait:\natomic_ld_global_scacq_agent_b32 $s1, [$d0];\ncmp_eq_b1_u32 $c0, $s1, 0;\n"
                         "cbr_b1 $c0, @wait;\nret;\n"))))
      << "it waits for another group";
  EXPECT_FALSE(has_single_entry(module_with("prog kernel &k(kernarg_u8 %data[1025])\n{\n  ret;\n};\n")));
}

TEST(PtxEntries, OfSingleGroupsAreForSmallKernels) {
  std::string large;
  for (int i = 0; i < 1500; ++i) large += "atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n";
  EXPECT_FALSE(has_single_entry(module_with(kernel(large + "ret;\n"))));
  const std::string function =
      "function &f()(arg_u64 %at) {\nld_arg_align(8)_u64 $d0, [%at];\n" + large + "ret;\n};\n";
  EXPECT_FALSE(has_single_entry(module_with(
      function + kernel("{ arg_u64 %at; st_arg_align(8)_u64 $d0, [%at]; call &f()(%at); }\nret;\n"))))
      << "what it calls may be inlined";
}

/// The barrier at the end must not be one with those of the kernel.
TEST(PtxEntries, OfSingleGroupsAreForKernelsWhoseWorkItemsReachAllBarriers) {
  const std::string test = "workitemid_u32 $s0, 0;\ncmp_gt_b1_u32 $c0, $s0, 7;\n";
  const std::string store = "st_global_u32 1, [$d0];\n";
  const std::string functions =
      "function &meet()() { barrier; };\n"
      "function &maybe()(arg_u32 %n) {\nld_arg_align(4)_u32 $s0, [%n];\ncmp_gt_b1_u32 $c0, $s0, 7;\n"
      "cbr_b1 $c0, @end;\nbarrier;\n@end:\nret;\n};\n";
  const auto has = [&](const std::string& code) {
    return has_single_entry(module_with(functions + kernel(test + code)));
  };
  EXPECT_TRUE(has("cbr_b1 $c0, @skip;\n" + store + "@skip:\nbarrier;\n" + store + "barrier;\nret;\n"));
  EXPECT_TRUE(has("barrier;\ncbr_b1 $c0, @end;\n" + store + "@end:\nret;\n"));
  EXPECT_TRUE(has("{ call &meet()(); }\n" + store + "ret;\n"));
  EXPECT_FALSE(has("cbr_b1 $c0, @end;\nbarrier;\n" + store + "@end:\nret;\n"));
  EXPECT_FALSE(has("cbr_b1 $c0, @go_on;\nret;\n@go_on:\nbarrier;\n" + store + "ret;\n"));
  EXPECT_FALSE(has("barrier;\ncbr_b1 $c0, @go_on;\nret;\n@go_on:\nbarrier;\n" + store + "ret;\n"));
  EXPECT_FALSE(has("cbr_b1 $c0, @end;\n{ call &meet()(); }\n@end:\nret;\n"));
  EXPECT_FALSE(has("{ arg_u32 %n; st_arg_align(4)_u32 $s0, [%n]; call &maybe()(%n); }\n" + store + "ret;\n"));
}

/// Neither the context nor what the entries compute may stay in memory: that is what makes kernels slow.
TEST(PtxEntries, KeepNothingInLocalMemory) {
  const PtxProgram program =
      compiled(module_with(kernel("workitemabsid_u32 $s0, 0;\n cvt_u64_u32 $d1, $s0;\n add_u64 $d0, $d0, "
                                  "$d1;\n st_global_u8 1, [$d0];\n")));
  EXPECT_THAT(program.ptx, Not(HasSubstr(".local")));
}

TEST(PtxEntries, PassLargeKernargsByAddress) {
  const std::string head = "prog kernel &k(align(8) kernarg_u64 %data[";
  const std::string tail =
      "])\n{\n ld_kernarg_align(8)_u64 $d0, [%data];\n st_global_align(8)_u64 $d0, [$d0];\n};\n";
  const PtxProgram small = compiled(module_with(head + "8" + tail));
  EXPECT_THAT(small.ptx, HasSubstr("hsail_native_0_param_0[64]"));
  EXPECT_TRUE(ptx_kernel::passes_kernarg_by_value(small.object->kernels.at(0)));
  const PtxProgram large = compiled(module_with(head + "1000" + tail));
  EXPECT_THAT(large.ptx, HasSubstr(".param .u64 hsail_native_0_param_0"));
  EXPECT_FALSE(ptx_kernel::passes_kernarg_by_value(large.object->kernels.at(0)));
}

/// The linear entry has flat blocks, so that only the packet knows the sizes of the work-group.
TEST(PtxEntries, ReadTheSizesOfWorkGroupsFromTheGpuWhereBlocksHaveTheirShape) {
  const PtxProgram program =
      compiled(module_with(kernel(" workgroupsize_u32 $s0, 1;\n st_global_align(4)_u32 $s0, [$d0];\n")));
  EXPECT_THAT(entry_of(program, true), HasSubstr("%ntid.y"));
  EXPECT_THAT(entry_of(program, false), Not(HasSubstr("%ntid")));
  EXPECT_EQ(count_of(program.ptx, "%ntid.y;"), 2u) << "the entry for single work-groups reads it, too";
}

TEST(PtxEntries, KnowTheSizesThatDirectivesGive) {
  const PtxProgram program =
      compiled(module_with("prog kernel &k()\n{\n requiredworkgroupsize 64, 2, 1;\n ret;\n};\n"));
  EXPECT_THAT(entry_of(program, true), ContainsRegex("\\.reqntid 64, ?2, ?1"));
  EXPECT_THAT(entry_of(program, false), HasSubstr(".maxntid 128"));
}

/// A work-group that waits for another one needs that to begin before it.
TEST(PtxEntries, NumberGroupsThatWaitForOthersInTheOrderInWhichTheyBegin) {
  const PtxProgram program =
      compiled(module_with(kernel("@again:\n atomic_ld_global_scacq_agent_b32 $s1, [$d0];\n cmp_eq_b1_u32 "
                                  "$c0, $s1, 0;\n cbr_b1 $c0, @again;\n")));
  ASSERT_TRUE(program.object);
  const codeobject::Kernel& described = program.object->kernels.at(0);
  EXPECT_NE(described.flags & codeobject::kernel_takes_tickets, 0u);
  EXPECT_EQ(described.groups_entry, codeobject::no_entry);
  EXPECT_EQ(entry_of(program, true), "");
  EXPECT_THAT(entry_of(program, false), HasSubstr("atom.relaxed.gpu.add.u64"));
}

/// Reports whether a kernel is described as one that reads what differs between its dispatches.
bool reads_dispatch(const std::string& code) {
  const PtxProgram program = compiled(module_with(kernel(code)));
  EXPECT_TRUE(program.object);
  return (program.object->kernels.at(0).flags & codeobject::kernel_reads_dispatch) != 0;
}

TEST(PtxEntries, SayWhetherTheyReadWhatDiffersBetweenDispatches) {
  EXPECT_FALSE(reads_dispatch(
      "workitemabsid_u32 $s0, 0;\n gridsize_u32 $s1, 1;\n add_u32 $s0, $s0, $s1;\n grouptotalsize_u32 "
      "$s1;\n add_u32 $s0, $s0, $s1;\n st_global_align(4)_u32 $s0, [$d0];\n barrier;\n"));
  EXPECT_TRUE(reads_dispatch("packetid_u64 $d1;\n st_global_align(8)_u64 $d1, [$d0];\n"));
  EXPECT_TRUE(reads_dispatch("packetcompletionsig_sig64 $d1;\n st_global_align(8)_u64 $d1, [$d0];\n"));
  EXPECT_TRUE(reads_dispatch("clock_u64 $d1;\n st_global_align(8)_u64 $d1, [$d0];\n"));
  EXPECT_TRUE(reads_dispatch("debugtrap_u32 1;\n")) << "the work-item tells the host which it is";
  EXPECT_FALSE(reads_dispatch("packetid_u64 $d1;\n st_global_align(8)_u64 7, [$d0];\n")) << "nobody uses it";
}

/// Loops with a known number of iterations are unrolled, after which the active lanes are constant.
TEST(PtxLanes, AreKnownInUnrolledLoops) {
  const PtxProgram program = compiled(module_with(
      "prog kernel &k(kernarg_u64 %out)\n{\n requireddim 1;\n requiredworkgroupsize 256, 1, 1;\n"
      " ld_kernarg_align(8)_u64 $d0, [%out];\n workitemid_u32 $s0, 0;\n laneid_u32 $s1;\n mov_b32 $s2, 1;\n"
      "@step:\n sub_u32 $s3, $s1, $s2;\n cmp_lt_b1_u32 $c0, $s1, $s2;\n"
      " activelanepermute_width(all)_b32 $s4, $s0, $s3, 0, $c0;\n add_u32 $s0, $s0, $s4;\n"
      " shl_u32 $s2, $s2, 1;\n cmp_lt_b1_u32 $c0, $s2, 32;\n cbr_width(all)_b1 $c0, @step;\n"
      " st_global_align(4)_u32 $s0, [$d0];\n};\n"));
  const std::string entry = entry_of(program, true);
  EXPECT_THAT(entry, Not(HasSubstr("vote.sync"))) << entry;
  size_t reads = 0;
  for (size_t at = entry.find("shfl.sync"); at != std::string::npos; at = entry.find("shfl.sync", at + 1))
    ++reads;
  EXPECT_EQ(reads, 5u) << "one for each step, and none for the upper half of a value";
}

// ---- what the host does

/// Reports whether a kernel is described as one that may ask the host.
bool asks_host(const std::string& code) {
  const PtxProgram program = compiled(module_with(kernel(code)));
  return program.object && (program.object->kernels.at(0).flags & codeobject::kernel_asks_host) != 0;
}

TEST(PtxHost, IsAskedByKernelsThatSayIt) {
  EXPECT_TRUE(asks_host("atomic_add_global_rlx_system_u32 $s1, [$d0], 1;\n"));
  EXPECT_TRUE(asks_host("atomic_cas_scar_system_b64 $d1, [$d0], $d0, 1;\n"));
  EXPECT_TRUE(asks_host("signalnoret_add_rlx_s64_sig64 $d0, 1;\n"));
  EXPECT_TRUE(asks_host("ldqueuewriteindex_global_rlx_u64 $d1, [$d0];\n"));
  EXPECT_FALSE(asks_host("atomic_add_global_rlx_agent_u32 $s1, [$d0], 1;\n"));
  EXPECT_FALSE(asks_host("atomic_ld_global_rlx_system_b32 $s1, [$d0];\n"));
  EXPECT_FALSE(asks_host("atomicnoret_st_global_rlx_system_b32 [$d0], $s0;\n"));
  EXPECT_FALSE(asks_host("ld_global_u32 $s1, [$d0];\n"));
}

TEST(PtxMemory, AtomicsOfAllScopesAskTheHostBesideThoseOfSystemScope) {
  const auto asks = [](const char* other) {
    const PtxProgram program = compiled(
        module_with(kernel("atomic_add_global_rlx_agent_u32 $s1, [$d0], 1;\n") +
                    "prog kernel &other(kernarg_u64 %data)\n{\n  ld_kernarg_align(8)_u64 $d0, [%data];\n" +
                    other + "};\n"));
    return program.object && (program.object->kernels.at(0).flags & codeobject::kernel_asks_host) != 0;
  };
  EXPECT_TRUE(asks("atomicnoret_or_global_rlx_system_b32 [$d0], 1;\n"));
  EXPECT_TRUE(asks("atomicnoret_or_rlx_system_b32 [$d0], 1;\n"));
  EXPECT_FALSE(asks("atomicnoret_or_global_rlx_wg_b32 [$d0], 1;\n"));
  EXPECT_FALSE(asks("atomicnoret_st_global_rlx_system_b32 [$d0], 1;\n"));
}

/// The GPU need not have access to the index.
TEST(PtxHost, OperatesOnTheIndicesOfQueues) {
  const PtxProgram program =
      compiled(module_with(kernel("addqueuewriteindex_global_scar_u64 $d1, [$d0], 1;\n "
                                  "stqueuereadindex_global_screl_u64 [$d0], $d1;\n "
                                  "ldqueuereadindex_global_scacq_u64 $d2, [$d0];\n "
                                  "st_global_align(8)_u64 $d2, [$d0];\n")));
  const std::string entry = entry_of(program, true);
  const auto requests = [&](ptx_kernel::MailboxSlot::Kind kind, int operation) {
    const std::string stored = "{" + std::to_string(kind) + ", " + std::to_string(operation) + "}";
    return entry.find(stored) != std::string::npos;
  };
  using enum ptx_kernel::MailboxSlot::Kind;
  EXPECT_TRUE(requests(queue_write_index, HSA_BRIG_ATOMIC_OPERATION_ADD)) << entry;
  EXPECT_TRUE(requests(queue_read_index, HSA_BRIG_ATOMIC_OPERATION_ST)) << entry;
  EXPECT_TRUE(requests(queue_read_index, HSA_BRIG_ATOMIC_OPERATION_LD)) << entry;
}

// ---- active lanes

TEST(PtxLanes, AreTrackedThroughBranches) {
  const PtxProgram program =
      compiled(module_with(kernel("workitemid_u32 $s0, 0;\n cmp_gt_b1_u32 $c0, $s0, 7;\n cbr_b1 $c0, "
                                  "@skip;\n activelanecount_u32_b1 $s1, 1;\n "
                                  "st_global_align(4)_u32 $s1, [$d0];\n@skip:\n activelaneid_u32 $s2;\n "
                                  "st_global_align(4)_u32 $s2, [$d0+4];\n")));
  const std::string entry = entry_of(program, true);
  // One ballot at the branch, one for each operation; the lanes meet again behind it.
  EXPECT_THAT(entry, HasSubstr("vote.sync.ballot.b32"));
  EXPECT_THAT(entry, HasSubstr("bar.warp.sync"));
  EXPECT_THAT(entry, HasSubstr("popc.b32"));
  EXPECT_THAT(entry, Not(HasSubstr("activemask")));
}

TEST(PtxLanes, AreNotTrackedWhereNothingDependsOnThem) {
  const PtxProgram program =
      compiled(module_with(kernel("workitemid_u32 $s0, 0;\n cmp_gt_b1_u32 $c0, $s0, 7;\n cbr_b1 $c0, "
                                  "@skip;\n st_global_align(4)_u32 1, [$d0];\n"
                                  "@skip:\n ret;\n")));
  for (const bool native : {true, false}) EXPECT_THAT(entry_of(program, native), Not(HasSubstr(".sync")));
}

TEST(PtxLanes, FollowLoopsSwitchesAndCalls) {
  const PtxProgram program = compiled(module_with(
      "function &count(arg_u32 %r)() { activelanecount_u32_b1 $s0, 1; st_arg_u32 $s0, [%r]; };\n" +
      kernel("workitemid_u32 $s0, 0;\n@loop:\n { arg_u32 %r; call &count(%r)(); ld_arg_u32 $s1, [%r]; }\n "
             "st_global_align(4)_u32 $s1, [$d0];\n sub_u32 $s0, $s0, 1;\n cmp_lt_b1_u32 $c0, $s0, 40;\n "
             "cbr_b1 $c0, @loop;\n and_b32 $s0, $s0, 3;\n sbr_u32 $s0 [@even, @odd, @end];\n@even:\n br "
             "@end;\n@odd:\n activelaneid_u32 $s1;\n "
             "st_global_align(4)_u32 $s1, [$d0];\n@end:\n wavebarrier;\n")));
  EXPECT_THAT(program.ptx, HasSubstr("match.any.sync.b32"));
}

TEST(PtxLanes, WaitAtFbarriers) {
  const PtxProgram program =
      compiled(module_with("prog kernel &k()\n{\n fbarrier %f;\n initfbar %f;\n barrier;\n joinfbar %f;\n "
                           "waitfbar %f;\n leavefbar %f;\n "
                           "barrier;\n releasefbar %f;\n};\n"));
  EXPECT_THAT(program.ptx, HasSubstr("atom.acq_rel.cta.cas.b64"));
  EXPECT_THAT(program.ptx, HasSubstr("nanosleep.u32"));
}

// ---- lock-step

std::string lockstep_kernel(const std::string& code) {
  return "prog kernel &k(kernarg_u64 %data)\n{\n  pragma \"heddle.lockstep\", 32;\n  ld_kernarg_align(8)_u64 "
         "$d0, [%data];\n" +
         code + "};\n";
}

TEST(PtxLockstep, LanesMeetAroundStoresAndAtomics) {
  const PtxProgram program =
      compiled(module_with(lockstep_kernel("ld_global_align(4)_u32 $s1, [$d0];\n"
                                           "st_global_align(4)_u32 $s1, [$d0+4];\n"
                                           "ld_global_align(4)_u32 $s2, [$d0+8];\n"
                                           "atomic_add_global_rlx_agent_u32 $s3, [$d0+12], $s2;\n"
                                           "st_global_align(4)_u32 $s3, [$d0+16];\n")));
  // In this order, with nothing else that accesses memory between the accesses and the meetings.
  EXPECT_THAT(
      entry_of(program, true),
      ContainsRegex("ld.global[^;]*;[^@]*bar.warp.sync[^@]*st.global[^@]*bar.warp.sync[^@]*ld.global[^@]*"
                    "bar.warp.sync[^@]*atom.relaxed[^@]*bar.warp.sync[^@]*st.global"));
}

TEST(PtxLockstep, FunctionsKeepItForTheirCallers) {
  const auto with = [](const std::string& pragma) {
    return compiled(module_with("function &f()(arg_u64 %p)\n{\n  ld_arg_align(8)_u64 $d0, [%p];\n"
                                "  st_global_align(4)_u32 1, [$d0];\n};\n"
                                "prog kernel &k(kernarg_u64 %data)\n{\n" +
                                pragma +
                                "  ld_kernarg_align(8)_u64 $d0, [%data];\n  {\n    arg_u64 %p;\n"
                                "    st_arg_align(8)_u64 $d0, [%p];\n    call &f()(%p);\n  }\n};\n"))
        .ptx;
  };
  EXPECT_THAT(with("  pragma \"heddle.lockstep\", 32;\n"),
              ContainsRegex("bar.warp.sync[^@]*st.global[^@]*bar.warp.sync"));
  EXPECT_THAT(with(""), Not(HasSubstr("bar.warp.sync")));
}

/// Lanes that have ended must not be waited for, and must not wait: the others may be in a barrier.
TEST(PtxLockstep, LanesEndWithoutWaitingForOthers) {
  const PtxProgram program = compiled(
      module_with(lockstep_kernel("workitemid_u32 $s0, 0;\n cmp_gt_b1_u32 $c0, $s0, 7;\n cbr_b1 $c0, @end;\n"
                                  "barrier;\n@end:\n ret;\n")));
  EXPECT_THAT(program.ptx, HasSubstr("barrier.sync"));
  EXPECT_THAT(program.ptx, Not(HasSubstr("bar.warp.sync")));
}

// ---- barriers and work-items that end

/// Returns a kernel whose work-items may return early, with their IDs in $s0.
std::string early_kernel(const std::string& code) {
  return "prog kernel &k(kernarg_u64 %data)\n{\n  pragma \"heddle.early_return\";\n"
         "  ld_kernarg_align(8)_u64 $d0, [%data];\n  workitemid_u32 $s0, 0;\n" +
         code + "};\n";
}

/// A loop that counts $s0 down, with a barrier in it, and a store behind it.
constexpr char loop_with_barrier[] =
    "@next:\n  barrier;\n  sub_u32 $s0, $s0, 1;\n  cmp_gt_b1_s32 $c0, $s0, 0;\n  cbr_b1 $c0, @next;\n"
    "  st_global_align(4)_u32 $s0, [$d0];\n";

bool counts_waves(const PtxProgram& program) {
  return program.ptx.find("hsail_native_0_waves") != std::string::npos;
}

/// Lanes that have left the loop wait behind it for the others of their wave, which wait in the barrier.
TEST(PtxBarriers, CountWavesWhereLanesWaitForThoseInABarrier) {
  const PtxProgram program = compiled(module_with(early_kernel(loop_with_barrier)));
  EXPECT_TRUE(counts_waves(program));
  const std::string entry = entry_of(program, true);
  // The barrier of the GPU only where the kernel begins, and a lane that ends is counted.
  EXPECT_EQ(count_of(entry, "barrier.sync"), 1u) << entry;
  EXPECT_THAT(entry, HasSubstr("atom.acq_rel.cta.cas.b64"));
  EXPECT_THAT(entry, HasSubstr("atom.acq_rel.cta.add.u32"));
  EXPECT_THAT(entry, HasSubstr("nanosleep.u32"));
}

TEST(PtxBarriers, CountWavesInFunctionsAsInKernels) {
  const PtxProgram program = compiled(
      module_with("function &meet()() { pragma \"heddle.early_return\"; barrier; };\n" +
                  kernel("  workitemid_u32 $s0, 0;\n@next:\n  { call &meet()(); }\n  sub_u32 $s0, $s0, 1;\n"
                         "  cmp_gt_b1_s32 $c0, $s0, 0;\n  cbr_b1 $c0, @next;\n"
                         "  st_global_align(4)_u32 $s0, [$d0];\n")));
  EXPECT_TRUE(counts_waves(program));
}

TEST(PtxBarriers, AreThoseOfTheGpuWhereNoLaneWaits) {
  const auto uses_gpu = [](const std::string& text) {
    const PtxProgram program = compiled(module_with(text));
    return !counts_waves(program) && program.ptx.find("bar.warp.sync") == std::string::npos &&
           program.ptx.find("barrier.sync") != std::string::npos;
  };
  const std::string returns = "  cmp_gt_b1_u32 $c0, $s0, 7;\n  cbr_b1 $c0, @end;\n";
  EXPECT_TRUE(uses_gpu(early_kernel(returns + "  barrier;\n@end:\n  ret;\n")));
  // All work-items leave the loop together.
  EXPECT_TRUE(uses_gpu(early_kernel(returns + "  ld_global_align(4)_u32 $s0, [$d0];\n" + loop_with_barrier +
                                    "@end:\n  ret;\n")));
  // Nobody returns early.
  EXPECT_TRUE(uses_gpu(kernel(std::string("  workitemid_u32 $s0, 0;\n") + loop_with_barrier)));
}

/// Each set of lanes would count for the whole wave.
TEST(PtxBarriers, AreThoseOfTheGpuWhereSeveralSetsOfLanesArrive) {
  const PtxProgram program = compiled(module_with(
      early_kernel("  cmp_gt_b1_u32 $c0, $s0, 7;\n  cbr_b1 $c0, @other;\n  barrier;\n  br @both;\n"
                   "@other:\n  barrier;\n@both:\n  st_global_align(4)_u32 $s0, [$d0];\n")));
  EXPECT_FALSE(counts_waves(program));
}

// ---- memory and functions

TEST(PtxMemory, AddressesOfVariablesAreWordsOfATable) {
  const PtxProgram program =
      compiled(module_with("prog global_u32 &x;\nprog readonly_u32 &y = 3;\n" +
                           kernel("ld_readonly_align(4)_u32 $s1, [&y];\n st_global_align(4)_u32 $s1, [&x];\n "
                                  "st_global_align(4)_u32 $s1, [&x];\n")));
  ASSERT_TRUE(program.object);
  EXPECT_THAT(program.ptx, HasSubstr(".const .align 8 .b8 hsail_addresses[16]"));
  EXPECT_EQ(program.object->data.size(), 16u);
  ASSERT_EQ(program.object->relocations.size(), 2u);
  for (const codeobject::Relocation& relocation : program.object->relocations) {
    EXPECT_EQ(relocation.where, codeobject::Relocation::Where::data);
    EXPECT_EQ(relocation.what, codeobject::Relocation::What::variable);
  }
}

TEST(PtxMemory, GroupMemoryIsThatOfTheLaunch) {
  const PtxProgram used =
      compiled(module_with("prog kernel &k(kernarg_u64 %data)\n{\n group_u32 %g[64];\n workitemid_u32 $s0, "
                           "0;\n shl_u32 $s1, $s0, 2;\n "
                           "st_group_align(4)_u32 $s0, [%g][$s1];\n};\n"));
  EXPECT_THAT(used.ptx, ContainsRegex("\\.extern \\.shared \\.align 256 \\.b8 hsail_group"));
  EXPECT_THAT(used.ptx, HasSubstr("st.shared.b32"));
}

TEST(PtxMemory, FlatAddressesOfGroupMemoryAreThoseOfItsWindow) {
  const PtxProgram program = compiled(
      module_with("prog kernel &k(kernarg_u64 %data)\n{\n group_u32 %g[64];\n ld_kernarg_align(8)_u64 $d0, "
                  "[%data];\n lda_group_u32 "
                  "$s0, [%g][4];\n stof_group_u64_u32 $d1, $s0;\n st_global_align(8)_u64 $d1, [$d0];\n};\n"));
  EXPECT_THAT(entry_of(program, true), HasSubstr("cvta.shared.u64"));
}

TEST(PtxMemory, UnalignedAccessesAreTested) {
  const PtxProgram program =
      compiled(module_with(kernel("ld_global_u32 $s1, [$d0+1];\n st_global_align(4)_u32 $s1, [$d0];\n")));
  EXPECT_THAT(entry_of(program, true), HasSubstr("ld.global.b8"));
  EXPECT_THAT(entry_of(program, true), HasSubstr("ld.global.b32"));
}

/// Returns a module whose kernel adds up numbers in a loop; `address` makes $d3 the address of one, from $d2,
/// which is that of a number in a list.
std::string sum_of(const std::string& address) {
  return module_with(
      kernel("  ld_global_align(4)_u32 $s1, [$d0]; mov_b32 $s2, 0; add_u64 $d2, $d0, 8;\n@next:\n" + address +
             "  ld_global_align(4)_u32 $s3, [$d3]; add_u32 $s2, $s2, $s3; add_u64 $d2, $d2, 4;\n"
             "  sub_u32 $s1, $s1, 1; cmp_ne_b1_u32 $c0, $s1, 0; cbr_b1 $c0, @next;\n"
             "  st_global_align(4)_u32 $s2, [$d0+4];\n"));
}
TEST(PtxLoops, StandInARowAndThoseThatGatherAreLeftToPtxas) {
  const auto plain = compiled(sum_of("  mov_b64 $d3, $d2;\n"));
  EXPECT_EQ(count_of(entry_of(plain, true), "ld.global.b32"), 1 + 1 + 8u);  // the length, the rest, the loop
  EXPECT_EQ(count_of(entry_of(plain, true), "nounroll"), 2u);
  const auto gather =
      compiled(sum_of("  ld_global_align(4)_u32 $s4, [$d2]; cvt_u64_u32 $d3, $s4; add_u64 $d3, $d3, $d0;\n"));
  EXPECT_EQ(count_of(entry_of(gather, true), "ld.global.b32"), 1 + 2 + 2 * 4u);
  EXPECT_EQ(count_of(entry_of(gather, true), "nounroll"), 1u);  // that of the rest, which stays
}

/// Returns the PTX of the native entry of a kernel of this repository.
std::string native_entry_of(const char* file) {
  std::ifstream in(std::filesystem::path(HEDDLE_SOURCE) / file);
  std::stringstream text;
  text << in.rdbuf();
  return entry_of(compiled(text.str()), true);
}

/// The address of the row, and in each copy of the body that of an entry and that of what the entry refers
/// to. LLVM would advance pointers to the entries instead, which takes more registers.
TEST(PtxLoops, KeepTheirIndices) {
  EXPECT_EQ(count_of(native_entry_of("bench/kernels/spmv.hsail"), "mul.wide.u32"), 1 + 2 * (1 + 4u));
}

TEST(PtxFunctions, CallThemselvesAndOthersByHandle) {
  const PtxProgram program = compiled(module_with(R"(
function &fac(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @one;
  sub_u32 $s1, $s0, 1;
  { arg_u32 %m; arg_u32 %q; st_arg_u32 $s1, [%m]; call &fac(%q)(%m); ld_arg_u32 $s1, [%q]; }
  mul_u32 $s0, $s0, $s1;
  st_arg_u32 $s0, [%r];
  ret;
@one:
  st_arg_u32 1, [%r];
};
indirect function &twice(arg_u32 %r)(arg_u32 %n) { ld_arg_u32 $s0, [%n]; add_u32 $s0, $s0, $s0; st_arg_u32 $s0, [%r]; };
signature &s(arg_u32 %r)(arg_u32 %n);
prog kernel &k(kernarg_u64 %data)
{
  ld_kernarg_align(8)_u64 $d0, [%data];
  ld_global_align(4)_u32 $s0, [$d0];
  { arg_u32 %m; arg_u32 %q; st_arg_u32 $s0, [%m]; call &fac(%q)(%m); ld_arg_u32 $s1, [%q]; }
  ld_global_align(8)_u64 $d1, [$d0+8];
  { arg_u32 %m; arg_u32 %q; st_arg_u32 $s1, [%m]; icall_u64 $d1(%q)(%m) &s; ld_arg_u32 $s1, [%q]; }
  st_global_align(4)_u32 $s1, [$d0];
};
)"));
  ASSERT_TRUE(program.object);
  EXPECT_THAT(program.ptx, ContainsRegex("hsail_functions\\[1\\] = \\{hsail_function_0\\}"));
  EXPECT_THAT(program.ptx, HasSubstr(".callprototype"));
  EXPECT_NE(program.object->kernels.at(0).flags & codeobject::kernel_dynamic_private, 0u);
  EXPECT_NE(program.ptx.substr(program.object->functions.at(0).entry).find("hsail_function_0("),
            std::string::npos);
}

TEST(PtxFunctions, AllocatePrivateMemory) {
  const PtxProgram program =
      compiled(module_with(kernel("ld_global_align(4)_u32 $s0, [$d0];\n alloca_align(4)_u32 $s1, $s0;\n "
                                  "st_private_align(4)_u32 $s0, [$s1];\n "
                                  "stof_private_u64_u32 $d1, $s1;\n st_global_align(8)_u64 $d1, [$d0];\n")));
  ASSERT_TRUE(program.object);
  EXPECT_NE(program.object->kernels.at(0).flags & codeobject::kernel_dynamic_private, 0u);
  EXPECT_THAT(program.ptx, Not(HasSubstr("alloca"))) << "the assembler of CUDA 13.0 miscompiles it";
}

TEST(PtxFunctions, AskTheHostForSignals) {
  const PtxProgram program = compiled(module_with(
      kernel("signalnoret_add_scar_s64_sig64 $d0, 1;\n signal_wait_eq_scacq_s64_sig64 $d1, $d0, 0;\n "
             "addqueuewriteindex_global_scar_u64 $d2, [$d0], 1;\n st_global_align(8)_u64 $d2, [$d0];\n")));
  EXPECT_THAT(program.ptx, HasSubstr("st.release.sys.b64"));
  EXPECT_THAT(program.ptx, HasSubstr("ld.acquire.sys.b64"));
}

// ---- refusals

struct Refusal {
  const char* name;
  const char* module;
  const char* id;
};

const Refusal refusals[] = {
    {"small_machine_model", "module &m:1:2:$full:$small:$near;\nprog kernel &k() { ret; };\n",
     "FINALIZER-unsupported-model"},
    {"detected_exceptions",
     "module &m:1:2:$full:$large:$near;\nprog kernel &k() { enabledetectexceptions 1; ret; };\n",
     "FINALIZER-unsupported-exceptions"},
    {"profile_events",
     "module &m:1:2:$full:$large:$near;\nprog kernel &k() { pragma \"hsa.tools.profile.event.trigger\", 7; "
     "ret; };\n",
     "FINALIZER-unsupported-event"},
};

class PtxRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(PtxRefusals, HaveNames) {
  const PtxProgram program = finalize_ptx(GetParam().module, "test.hsail", "heddle:nvptx-sm_70");
  EXPECT_FALSE(program.object);
  EXPECT_THAT(program.ids, Contains(GetParam().id)) << program.diagnostics;
}

INSTANTIATE_TEST_SUITE_P(All, PtxRefusals, ::testing::ValuesIn(refusals),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::testing
