// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin as the generic driver sees it: the agents that it registers, and a queue through its messages.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include "codeobject/code_object.h"
#include "cpu_fixture.h"

namespace heddle::cpu::test {
namespace {

struct Registered {
  const hsa_agent_driver_interface* messages;
  hsa_agent_driver_config config;
};
std::vector<Registered> registered;
std::map<std::string, std::string> settings;

/// Returns the registered agents. The plugin is opened once, because agents stay registered until the process
/// ends.
const std::vector<Registered>& plugin() {
  static const bool loaded = [] {
    settings = {{"CPU_NAME", "Loom"}, {"CPU_THREADS", "3"}, {"CPU_ISA", "heddle:x86-64-v2:w1"}};
    static hsam_host host = {};
    host.size = sizeof host;
    host.major = HSAM_VERSION_MAJOR;
    host.minor = HSAM_VERSION_MINOR;
    host.register_agent = [](const hsa_agent_driver_interface* messages,
                             const hsa_agent_driver_config* config, hsa_generic_driver_config*) {
      registered.push_back({messages, *config});
      return FakeDriver::get().interface();
    };
    host.log = [](hsam_log_level, const char*, const char*) {};
    host.setting = [](const char* name) -> const char* {
      const auto found = settings.find(name);
      return found == settings.end() ? nullptr : found->second.c_str();
    };
    void* library = dlopen(HEDDLE_CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    if (!library) return false;
    const auto main = reinterpret_cast<hsam_agent_driver_main_t>(dlsym(library, HSAM_AGENT_DRIVER_MAIN));
    EXPECT_NE(main, nullptr);
    EXPECT_EQ(main(&host), 0);
    return true;
  }();
  EXPECT_TRUE(loaded);
  return registered;
}

TEST(CpuPlugin, RegistersTheHostAgentAndAKernelAgent) {
  ASSERT_EQ(plugin().size(), 2u);
  const auto& host = plugin()[0].config;
  EXPECT_EQ(host.features, 0u);
  EXPECT_EQ(host.device, HSA_DEVICE_TYPE_CPU);
  EXPECT_EQ(host.isa_count, 0u);
  const auto& kernel = plugin()[1].config;
  EXPECT_EQ(kernel.features, static_cast<uint32_t>(HSA_AGENT_FEATURE_KERNEL_DISPATCH));
  EXPECT_EQ(kernel.device, HSA_DEVICE_TYPE_CPU);
  EXPECT_STREQ(kernel.name, "Loom");
  EXPECT_EQ(kernel.compute_unit_count, 3u);
  EXPECT_NE(kernel.agent_id, host.agent_id);
  EXPECT_EQ(kernel.queue_max_size, 131072u);
  EXPECT_EQ(kernel.queues_max, 128u);
  ASSERT_GE(kernel.isa_count, 1u);
  EXPECT_STREQ(kernel.isas[0].name, "heddle:x86-64-v2:w1") << "as asked for";
  for (uint32_t i = 0; i < kernel.isa_count; ++i) {
    EXPECT_EQ(std::string(kernel.isas[i].name).substr(0, 15), "heddle:x86-64-v");
    EXPECT_GE(kernel.isas[i].fbarrier_max_size, 32u);
  }
}

/// Which of them there are depends on the processor. The first one is that which the settings ask for.
TEST(CpuPlugin, ListsOtherIsasInTheOrderOfTheirUse) {
  const auto& kernel = plugin().at(1).config;
  const std::array<std::string_view, 9> order = {"v4:w16", "v3:w8", "v3:w32", "v4:w32", "v4:w4",
                                                 "v4:w1",  "v3:w4", "v3:w1",  "v2:w1"};
  const auto* before = order.begin();
  for (uint32_t i = 1; i < kernel.isa_count; ++i) {
    const std::string_view isa = std::string_view(kernel.isas[i].name).substr(strlen("heddle:x86-64-"));
    const auto* place = std::find(before, order.end(), isa);
    ASSERT_NE(place, order.end()) << isa;
    before = place + 1;
  }
}

TEST(CpuPlugin, AHostThatIsTooOldIsRefused) {
  plugin();
  void* library = dlopen(HEDDLE_CPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const auto main = reinterpret_cast<hsam_agent_driver_main_t>(dlsym(library, HSAM_AGENT_DRIVER_MAIN));
  hsam_host host = {};
  host.size = 8;
  EXPECT_NE(main(&host), 0);
  EXPECT_NE(main(nullptr), 0);
}

TEST(CpuPlugin, ExecutesCodeThroughItsMessages) {
  const auto& m = *plugin().at(1).messages;
  int64_t client = 0, code = 0, queue_at_agent = 0;
  ASSERT_EQ(m.client_new(5, nullptr, nullptr, &client), HSAM_Done);

  codeobject::CodeObject object;
  object.has_agent_part = true;
  object.isa = plugin()[1].config.isas[0].name;
  for (int byte : {0x48, 0x8b, 0x07, 0x48, 0x8b, 0x00, 0xff, 0x00, 0xc3})  // ++*kernarg
    object.text.push_back(static_cast<std::byte>(byte));
  codeobject::Kernel kernel;
  kernel.name = "&increment";
  kernel.wave_entry = codeobject::no_entry;
  object.kernels.push_back(kernel);
  const auto file = codeobject::write(object);
  ASSERT_EQ(m.code_load(client, file.data(), file.size(), nullptr, 0, nullptr, &code), HSAM_Done);
  uint64_t handle = 0;
  ASSERT_EQ(m.code_kernel(client, code, 0, &handle), HSAM_Done);
  EXPECT_EQ(m.code_kernel(client, code, 1, &handle), HSAM_Invalid);
  ASSERT_EQ(m.code_load(client, file.data(), 10, nullptr, 0, nullptr, &queue_at_agent), HSAM_Invalid);

  FakeQueue queue;
  const auto doorbell = reinterpret_cast<int64_t>(queue.doorbell());
  ASSERT_EQ(m.queue_new(client, doorbell, queue.id(), queue.info(), nullptr, &queue_at_agent), HSAM_Done);
  uint32_t counter = 0;
  Signal done;
  auto packet = dispatch(handle, 1, 1, &done);
  packet.kernarg_address = &counter;
  queue.submit(packet);
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(counter, 1u);
  EXPECT_EQ(m.code_unload(client, code, nullptr), HSAM_Done);
  EXPECT_EQ(m.queue_inactivate(client, queue_at_agent, nullptr), HSAM_Done);
  EXPECT_EQ(m.queue_remove(client, queue_at_agent, nullptr), HSAM_Done);
  EXPECT_EQ(m.client_remove(client, nullptr), HSAM_Done);
}

TEST(CpuPlugin, TheHostAgentDispatchesNothing) {
  const auto& m = *plugin().at(0).messages;
  FakeQueue queue;
  int64_t out = 0;
  EXPECT_EQ(
      m.queue_new(1, reinterpret_cast<int64_t>(queue.doorbell()), queue.id(), queue.info(), nullptr, &out),
      HSAM_Not_Supported);
  int from = 7, to = 0;
  EXPECT_EQ(m.memory_copy(1, &to, &from, sizeof from, nullptr), HSAM_Done);
  EXPECT_EQ(to, 7);
  EXPECT_EQ(m.memory_copy(1, &to, &from, -1, nullptr), HSAM_Invalid);
}

}  // namespace
}  // namespace heddle::cpu::test
