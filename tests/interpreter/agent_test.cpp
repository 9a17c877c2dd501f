// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin as the generic driver sees it: it gets BRIG through code_load and packets through a queue.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "../agents/fake_queue.h"
#include "codeobject/code_object.h"
#include "hsail/assemble/assemble.h"

namespace heddle::testing {
namespace {

using agents::test::dispatch;
using agents::test::FakeDriver;
using agents::test::FakeQueue;
using agents::test::Signal;

struct Registered {
  const hsa_agent_driver_interface* messages = nullptr;
  hsa_agent_driver_config config = {};
};
Registered registered;

const Registered& plugin() {
  static const bool loaded = [] {
    static hsam_host host = {};
    host.size = sizeof host;
    host.major = HSAM_VERSION_MAJOR;
    host.minor = HSAM_VERSION_MINOR;
    host.register_agent = [](const hsa_agent_driver_interface* messages,
                             const hsa_agent_driver_config* config, hsa_generic_driver_config*) {
      registered = {messages, *config};
      return FakeDriver::get().interface();
    };
    host.log = [](hsam_log_level, const char*, const char*) {};
    host.setting = [](const char*) -> const char* { return nullptr; };
    void* library = dlopen(HEDDLE_INTERPRETER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    if (library == nullptr) return false;
    const auto main = reinterpret_cast<hsam_agent_driver_main_t>(dlsym(library, HSAM_AGENT_DRIVER_MAIN));
    return main != nullptr && main(&host) == 0;
  }();
  EXPECT_TRUE(loaded);
  return registered;
}

/// Returns a code object of one module, as the finalizer makes it for the interpreter's ISA.
std::vector<std::byte> code_object(const std::string& text, const std::vector<std::string>& kernels,
                                   const std::vector<std::string>& functions = {},
                                   const std::vector<std::string>& variables = {},
                                   const std::array<uint32_t, 3>& required_group_size = {}) {
  codeobject::CodeObject object;
  object.has_program_part = object.has_agent_part = true;
  object.isa = "heddle:hsail:w1";
  Diagnostics diagnostics("test.hsail", text);
  object.brig.emplace_back();
  EXPECT_TRUE(assemble::assemble("module &m:1:2:$full:$large:$default;\n" + text, "test.hsail",
                                 object.brig[0], diagnostics))
      << diagnostics.print();
  for (const std::string& name : kernels) {
    object.kernels.emplace_back();
    object.kernels.back().name = object.kernels.back().linker_name = name;
    std::copy(required_group_size.begin(), required_group_size.end(),
              object.kernels.back().required_group_size);
    object.kernels.back().groups_entry = object.kernels.back().wave_entry = codeobject::no_entry;
  }
  for (const std::string& name : functions) {
    object.functions.emplace_back();
    object.functions.back().name = object.functions.back().linker_name = name;
  }
  for (const std::string& name : variables) {
    object.variables.emplace_back();
    object.variables.back().name = object.variables.back().linker_name = name;
    object.variables.back().size = 4;
    object.variables.back().align = 4;
  }
  return codeobject::write(object);
}

class InterpreterAgent : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(plugin().messages, nullptr);
    const auto& m = *plugin().messages;
    ASSERT_EQ(m.client_new(1, nullptr, nullptr, &client), HSAM_Done);
    ASSERT_EQ(m.queue_new(client, reinterpret_cast<int64_t>(queue.doorbell()), queue.id(), queue.info(),
                          nullptr, &queue_at_agent),
              HSAM_Done);
  }
  void TearDown() override {
    const auto& m = *plugin().messages;
    EXPECT_EQ(m.queue_inactivate(client, queue_at_agent, nullptr), HSAM_Done);
    EXPECT_EQ(m.queue_remove(client, queue_at_agent, nullptr), HSAM_Done);
    if (code != 0) {
      EXPECT_EQ(m.code_unload(client, code, nullptr), HSAM_Done);
    }
  }
  void load(const std::vector<std::byte>& file, const std::vector<hsam_variable_address>& variables = {}) {
    ASSERT_EQ(plugin().messages->code_load(client, file.data(), file.size(), variables.data(),
                                           static_cast<uint32_t>(variables.size()), nullptr, &code),
              HSAM_Done);
  }
  uint64_t kernel(uint32_t number) {
    uint64_t handle = 0;
    EXPECT_EQ(plugin().messages->code_kernel(client, code, number, &handle), HSAM_Done);
    return handle;
  }
  /// Submits a dispatch without waiting for it.
  void submit(uint64_t kernel_object, uint32_t grid, uint16_t group, const void* kernarg, Signal& done) {
    auto packet = dispatch(kernel_object, grid, group, &done);
    packet.kernarg_address = const_cast<void*>(kernarg);
    queue.submit(packet);
  }

  int64_t client = 0, code = 0, queue_at_agent = 0;
  FakeQueue queue;
};

TEST_F(InterpreterAgent, DescribesItself) {
  const hsa_agent_driver_config& config = plugin().config;
  EXPECT_STREQ(config.name, "heddle HSAIL interpreter");
  EXPECT_EQ(config.features, static_cast<uint32_t>(HSA_AGENT_FEATURE_KERNEL_DISPATCH));
  EXPECT_EQ(config.profile, HSA_PROFILE_FULL);
  ASSERT_EQ(config.isa_count, 9u);
  for (uint32_t i = 0; i < 9; ++i) {
    EXPECT_EQ(config.isas[i].name, "heddle:hsail:w" + std::to_string(1u << i));
    EXPECT_EQ(config.isas[i].wavefront_size, 1u << i);
  }
}

TEST_F(InterpreterAgent, RunsADispatchOverManyGroups) {
  uint32_t factor = 3;
  load(code_object(R"(
    decl prog global_u32 &factor;
    prog kernel &scale(kernarg_u64 %data) {
      ld_kernarg_u64 $d0, [%data];
      workitemabsid_u32 $s0, 0;
      cvt_u64_u32 $d1, $s0;
      shl_u64 $d1, $d1, 2;
      add_u64 $d0, $d0, $d1;
      ld_global_u32 $s1, [$d0];
      ld_global_u32 $s2, [&factor];
      mul_u32 $s1, $s1, $s2;
      st_global_u32 $s1, [$d0];
    };
  )",
                   {"&scale"}, {}, {"&factor"}),
       {{0, reinterpret_cast<uint64_t>(&factor)}});
  std::vector<uint32_t> data(1000);
  std::iota(data.begin(), data.end(), 0);
  uint64_t kernarg[2] = {reinterpret_cast<uint64_t>(data.data())};
  Signal done;
  submit(kernel(0), 1000, 64, kernarg, done);
  ASSERT_TRUE(done.becomes(0));
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(data[i], 3 * i);
}

TEST_F(InterpreterAgent, KernelObjectsAndFunctionHandlesAreWhatCodeSees) {
  load(code_object(R"(
    prog indirect function &f(arg_u32 %r)() { st_arg_u32 42, [%r]; };
    prog kernel &k(kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%out];
      mov_u64 $d1, addr(&k);
      mov_u64 $d2, addr(&f);
      st_v2_global_u64 ($d1, $d2), [$d0];
    };
  )",
                   {"&k"}, {"&f"}));
  uint64_t function = 0;
  ASSERT_EQ(plugin().messages->code_function(client, code, 0, &function), HSAM_Done);
  uint64_t out[2] = {};
  uint64_t kernarg[2] = {reinterpret_cast<uint64_t>(out)};
  Signal done;
  submit(kernel(0), 1, 1, kernarg, done);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(out[0], kernel(0));
  EXPECT_EQ(out[1], function);
  uint64_t none = 0;
  EXPECT_EQ(plugin().messages->code_kernel(client, code, 1, &none), HSAM_Invalid);
  EXPECT_EQ(plugin().messages->code_function(client, code, 1, &none), HSAM_Invalid);
}

TEST_F(InterpreterAgent, FaultsReachTheQueueWithTheirPlace) {
  load(code_object("prog kernel &k() { mov_b64 $d0, 0x7ffffffff000; st_global_u32 1, [$d0]; };", {"&k"}));
  Signal done;
  submit(kernel(0), 64, 64, nullptr, done);
  const auto error = FakeDriver::get().error_of(queue.id());
  EXPECT_EQ(error.status, HSA_STATUS_ERROR_FATAL) << error.message;
  EXPECT_NE(error.message.find("no memory at address 0x7ffffffff000"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("&k"), std::string::npos) << error.message;
  EXPECT_EQ(done.load(), 1) << "the completion signal stays as it was (Runtime 2.5.5.5)";
}

/// Each activation of &down writes to the last word of 320 KB of private memory and reads it back. The
/// argument is the number of nested activations, at least one.
const char* const much_private_memory = R"(
  function &down()(arg_u32 %left, arg_u64 %out) {
    private_u32 %room[80000];
    ld_arg_u32 $s0, [%left]; ld_arg_u64 $d0, [%out];
    st_private_u32 $s0, [%room][319996];
    cmp_le_b1_u32 $c0, $s0, 1; cbr_b1 $c0, @end;
    sub_u32 $s1, $s0, 1;
    { arg_u32 %l; arg_u64 %o; st_arg_u32 $s1, [%l]; st_arg_u64 $d0, [%o]; call &down()(%l, %o); }
  @end:
    ld_private_u32 $s1, [%room][319996];
    atomicnoret_add_global_rlx_agent_u32 [$d0], $s1;
  };
  prog kernel &k(kernarg_u32 %activations, kernarg_u64 %out) {
    { arg_u32 %l; arg_u64 %o; ld_kernarg_u32 $s0, [%activations]; st_arg_u32 $s0, [%l];
      ld_kernarg_u64 $d0, [%out]; st_arg_u64 $d0, [%o]; call &down()(%l, %o); }
  };
)";

TEST_F(InterpreterAgent, GivesAKernelThePrivateMemoryThatItNeeds) {
  load(code_object(much_private_memory, {"&k"}));
  uint32_t sum = 0;
  const struct {
    uint64_t activations;
    uint32_t* out;
  } kernarg = {1, &sum};
  Signal done;
  submit(kernel(0), 3, 3, &kernarg, done);
  ASSERT_TRUE(done.becomes(0)) << FakeDriver::get().error_of(queue.id()).message;
  EXPECT_EQ(sum, 3u);
}

TEST_F(InterpreterAgent, SaysHowMuchPrivateMemoryRepeatedActivationsNeed) {
  load(code_object(much_private_memory, {"&k"}));
  uint32_t sum = 0;
  const struct {
    uint64_t activations;
    uint32_t* out;
  } kernarg = {3, &sum};
  Signal refused;
  submit(kernel(0), 1, 1, &kernarg, refused);
  const auto error = FakeDriver::get().error_of(queue.id());
  EXPECT_EQ(error.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES) << error.message;
  // &k has 16 bytes of arguments, and an activation of &down has 80000 words and 16 bytes of arguments. Two
  // activations need more than one of each and the 256 KiB that the agent adds for recursion.
  EXPECT_NE(
      error.message.find("of &down, needs a private segment of 640048 bytes, but the work-item has 582176"),
      std::string::npos)
      << error.message;
}

TEST_F(InterpreterAgent, GivesAWorkItemThePrivateMemoryThatItsPacketSays) {
  load(code_object(much_private_memory, {"&k"}));
  uint32_t sum = 0;
  const struct {
    uint64_t activations;
    uint32_t* out;
  } kernarg = {3, &sum};
  Signal done;
  auto packet = dispatch(kernel(0), 1, 1, &done);
  packet.kernarg_address = const_cast<void*>(static_cast<const void*>(&kernarg));
  packet.private_segment_size = 16 + 3 * 320016;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0)) << FakeDriver::get().error_of(queue.id()).message;
  EXPECT_EQ(sum, 6u);
}

TEST_F(InterpreterAgent, RefusesDispatchesThatContradictTheControlDirectives) {
  load(code_object(R"(
    prog kernel &k(kernarg_u64 %out) {
      requiredworkgroupsize 64, 1, 1;
      ld_kernarg_u64 $d0, [%out];
      atomicnoret_add_global_rlx_agent_u32 [$d0], 1;
    };
  )",
                   {"&k"}, {}, {}, {64, 1, 1}));
  uint32_t work_items = 0;
  uint64_t kernarg[2] = {reinterpret_cast<uint64_t>(&work_items)};
  Signal accepted, refused;
  submit(kernel(0), 128, 64, kernarg, accepted);
  ASSERT_TRUE(accepted.becomes(0));
  EXPECT_EQ(work_items, 128u);
  submit(kernel(0), 128, 32, kernarg, refused);
  const auto error = FakeDriver::get().error_of(queue.id());
  EXPECT_EQ(error.status, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS) << error.message;
  EXPECT_NE(error.message.find("&k requires a work-group of 64 x 1 x 1"), std::string::npos) << error.message;
  EXPECT_EQ(work_items, 128u) << "nothing of it ran";
  EXPECT_EQ(refused.load(), 1) << "the completion signal stays as it was (Runtime 2.5.5.5)";
}

TEST_F(InterpreterAgent, SignalsWakeKernelsAndHosts) {
  load(code_object(R"(
    prog kernel &relay(kernarg_u64 %in, kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%in];
      ld_kernarg_u64 $d1, [%out];
      mov_sig64 $d0, $d0;
      signal_wait_eq_scacq_s64_sig64 $d2, $d0, 5;
      signalnoret_st_screl_b64_sig64 $d1, 77;
    };
  )",
                   {"&relay"}));
  Signal in, out, done;
  uint64_t kernarg[2] = {in.handle().handle, out.handle().handle};
  submit(kernel(0), 1, 1, kernarg, done);
  EXPECT_EQ(done.load(), 1);
  in.store(5);
  EXPECT_TRUE(out.becomes(77));
  EXPECT_TRUE(done.becomes(0));
}

TEST_F(InterpreterAgent, KernelsReadAndMoveQueueIndices) {
  load(code_object(R"(
    prog kernel &k(kernarg_u64 %queue, kernarg_u64 %out) {
      ld_kernarg_u64 $d0, [%queue];
      ld_kernarg_u64 $d1, [%out];
      addqueuewriteindex_scar_u64 $d2, [$d0], 3;
      casqueuewriteindex_rlx_u64 $d3, [$d0], 13, 20;
      ldqueuewriteindex_scacq_u64 $d4, [$d0];
      stqueuereadindex_screl_u64 [$d0], 5;
      ldqueuereadindex_rlx_u64 $d5, [$d0];
      st_v4_global_u64 ($d2, $d3, $d4, $d5), [$d1];
    };
  )",
                   {"&k"}));
  uint64_t write = 10, read = 1, out[4] = {};
  hsa_user_mode_queue header = {};
  header.write_index_ptr = &write;
  header.read_index_ptr = &read;
  uint64_t kernarg[2] = {reinterpret_cast<uint64_t>(&header), reinterpret_cast<uint64_t>(out)};
  Signal done;
  submit(kernel(0), 1, 1, kernarg, done);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(out[0], 10u);
  EXPECT_EQ(out[1], 13u);
  EXPECT_EQ(out[2], 20u);
  EXPECT_EQ(out[3], 5u);
  EXPECT_EQ(write, 20u);
  EXPECT_EQ(read, 5u);
}

TEST_F(InterpreterAgent, RefusesWhatItCannotLoad) {
  const auto& m = *plugin().messages;
  int64_t out = 0;
  const auto refused = [&](const std::vector<std::byte>& file) {
    return m.code_load(client, file.data(), file.size(), nullptr, 0, nullptr, &out) == HSAM_Invalid;
  };
  EXPECT_TRUE(refused(std::vector<std::byte>(100)));
  EXPECT_TRUE(refused(code_object("prog kernel &k() {};", {"&other"})));
  EXPECT_TRUE(refused(code_object("prog function &f()() {};", {}, {"&f"})));
  codeobject::CodeObject wrong;
  wrong.has_agent_part = true;
  wrong.isa = "heddle:x86-64-v2:w1";
  EXPECT_TRUE(refused(codeobject::write(wrong)));
}

}  // namespace
}  // namespace heddle::testing
