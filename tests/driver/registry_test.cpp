// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of agents, and what clients see of the agents (MVA 2.5).
#include "driver/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "logged.h"
#include "mock_agent.h"

namespace heddle::driver {
namespace {

using test::logged;
using test::says;
using test::sound_config;
using test::sound_interface;

// GoogleTest keeps the order of declaration only within one file, so clients may exist when these cases run.
// They therefore use a registry of their own.
struct RegistryTest : testing::Test {
  Registry registry;
  hsa_generic_driver_config out{};

  bool accepts(const hsa_agent_driver_config& config) {
    return registry.register_agent(&sound_interface(), &config, &out) != nullptr;
  }
};

TEST_F(RegistryTest, gives_distinct_ids) {
  hsa_agent_driver_config config = sound_config();
  std::set<uint16_t> ids;
  for (uint32_t i = 0; i < 10; ++i) {
    config.agent_id = i;
    ASSERT_TRUE(accepts(config));
    EXPECT_TRUE(ids.insert(out.device_driver_id).second);
    EXPECT_NE(out.device_driver_id, 0);
  }
  EXPECT_EQ(out.major, static_cast<uint32_t>(HSAM_VERSION_MAJOR));
  EXPECT_FALSE(accepts(config)) << "agent_id used twice";
}

TEST_F(RegistryTest, refuses_drivers_written_for_a_newer_version) {
  hsa_agent_driver_config config = sound_config();
  config.minor = HSAM_VERSION_MINOR + 1;
  EXPECT_FALSE(accepts(config));
  config.major = HSAM_VERSION_MAJOR + 1;
  config.minor = 0;
  EXPECT_FALSE(accepts(config));
  config.major = HSAM_VERSION_MAJOR;
  EXPECT_TRUE(accepts(config));
}

TEST_F(RegistryTest, refuses_malformed_descriptions) {
  EXPECT_EQ(registry.register_agent(nullptr, nullptr, nullptr), nullptr);
  const hsa_agent_driver_config sound = sound_config();
  const std::vector<void (*)(hsa_agent_driver_config&)> faults = {
      [](auto& c) { c.name = nullptr; },        [](auto& c) { c.tail_size = 8; },
      [](auto& c) { c.regions = nullptr; },     [](auto& c) { c.isa_count = 0; },
      [](auto& c) { c.queue_max_size = 1000; }, [](auto& c) { c.queue_min_size = 2048; },
      [](auto& c) { c.queues_max = 0; },        [](auto& c) { c.destination_private_size = 1u << 30; }};
  for (auto fault : faults) {
    hsa_agent_driver_config config = sound;
    fault(config);
    EXPECT_FALSE(accepts(config));
  }
  hsa_agent_driver_interface interface = sound_interface();
  interface.queue_new = nullptr;
  EXPECT_EQ(registry.register_agent(&interface, &sound, &out), nullptr);
  EXPECT_TRUE(accepts(sound));
}

TEST_F(RegistryTest, takes_shorter_structs_of_older_drivers) {
  hsa_agent_driver_config config = sound_config();
  config.wants_signal_messages = 1;
  config.tail_size = offsetof(hsa_agent_driver_config, wants_signal_messages);
  ASSERT_TRUE(accepts(config));
}

TEST_F(RegistryTest, says_which_struct_is_too_short) {
  hsa_agent_driver_config config = sound_config();
  hsa_agent_driver_interface interface = sound_interface();
  config.tail_size = 8;
  EXPECT_TRUE(says(logged([&] { EXPECT_FALSE(accepts(config)); }),
                   {"agent 'mock' is refused", "tail_size of its hsa_agent_driver_config is 8"}));
  config = sound_config();
  interface.tail_size = 0;
  EXPECT_TRUE(
      says(logged([&] { EXPECT_EQ(registry.register_agent(&interface, &config, &out), nullptr); }),
           {"tail_size of its hsa_agent_driver_interface is 0", "sizeof(hsa_agent_driver_interface)"}));
}

TEST_F(RegistryTest, takes_agents_with_agent_dispatch_alone) {
  hsa_agent_driver_config config = sound_config();
  config.features = HSA_AGENT_FEATURE_AGENT_DISPATCH;
  config.isas = nullptr;
  config.isa_count = 0;
  hsa_agent_driver_interface interface = sound_interface();
  interface.code_load = nullptr;
  interface.code_unload = nullptr;
  interface.code_kernel = nullptr;
  interface.queue_new = nullptr;
  EXPECT_TRUE(says(logged([&] { EXPECT_EQ(registry.register_agent(&interface, &config, &out), nullptr); }),
                   {"it takes packets, but queue_new"}));
  interface.queue_new = sound_interface().queue_new;
  EXPECT_NE(registry.register_agent(&interface, &config, &out), nullptr);
}

TEST_F(RegistryTest, refuses_kernel_agents_that_cannot_load_code) {
  const hsa_agent_driver_config config = sound_config();
  const std::vector<void (*)(hsa_agent_driver_interface&)> faults = {
      [](auto& i) { i.code_load = nullptr; }, [](auto& i) { i.code_unload = nullptr; },
      [](auto& i) { i.code_kernel = nullptr; }};
  for (auto fault : faults) {
    hsa_agent_driver_interface interface = sound_interface();
    fault(interface);
    EXPECT_TRUE(says(logged([&] { EXPECT_EQ(registry.register_agent(&interface, &config, &out), nullptr); }),
                     {"it dispatches kernels, but code_load, code_unload or code_kernel is missing"}));
  }
}

/// Plugins are opened once in a process, so this needs one of its own.
TEST(Plugins, that_register_nothing_are_reported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(Client::open() ? 0 : 1), testing::ExitedWithCode(0),
              "libheddle-agent-silent.so has registered no agent");
}

TEST(AgentSelection, names_plugins) {
  EXPECT_TRUE(AgentSelection(nullptr).names("cpu"));
  EXPECT_FALSE(AgentSelection("").names("null"));
  AgentSelection two("null,interpreter");
  EXPECT_TRUE(two.names("null") && two.names("interpreter"));
  EXPECT_FALSE(two.names("cpu") || two.names("nul") || two.everything());
  EXPECT_TRUE(AgentSelection("cpu,all").names("whatever"));
}

TEST(Agents, are_those_asked_for_and_the_host_is_first) {
  auto client = Client::open();
  ASSERT_TRUE(client);
  auto agents = (*client)->agents();
  EXPECT_STREQ(agents.front()->config().name, "host");
  for (uint32_t i = 0; i < agents.size(); ++i) EXPECT_EQ(agents[i]->index(), i);
  auto count = [&](std::string_view name) {
    return std::count_if(agents.begin(), agents.end(), [&](auto* a) { return a->config().name == name; });
  };
  EXPECT_EQ(count("first"), 1);
  EXPECT_EQ(count("second"), 1);
  // The null agent comes from the plugin. The file that is no library and the file that does not exist did no
  // harm.
  EXPECT_EQ(std::count_if(agents.begin(), agents.end(), [](auto* a) { return a->driver_name() == "null"; }),
            1);
  // The CPU plugin was not asked for, so at most its host agent is present.
  for (auto* agent : agents) EXPECT_FALSE(agent->driver_name() == "cpu" && agent->dispatches_kernels());
  for (auto* agent : agents) EXPECT_GE(agent->config().queue_min_size, 8u);
}

TEST(Agents, share_regions_of_host_memory_and_no_others) {
  auto client = Client::open();
  ASSERT_TRUE(client);
  auto agents = (*client)->agents();
  auto* first = *std::find_if(agents.begin(), agents.end(),
                              [](auto* a) { return a->config().name == std::string("first"); });
  auto* second = *std::find_if(agents.begin(), agents.end(),
                               [](auto* a) { return a->config().name == std::string("second"); });
  ASSERT_EQ(first->regions().size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first->regions()[i], second->regions()[i]);
  EXPECT_NE(first->regions()[3], second->regions()[3]);
  EXPECT_EQ(first->regions()[3]->agents.size(), 1u);
  for (uint32_t i = 0; i < (*client)->regions().size(); ++i) EXPECT_EQ((*client)->regions()[i]->index, i);
}

TEST(Agents, cannot_register_after_the_first_client) {
  ASSERT_TRUE(Client::open());
  hsa_agent_driver_config config = sound_config();
  config.agent_id = 1234;
  hsa_generic_driver_config out{};
  EXPECT_EQ(hsa_register_agent(&sound_interface(), &config, &out), nullptr);
}

}  // namespace
}  // namespace heddle::driver
