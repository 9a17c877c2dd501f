// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin as the generic driver opens it. The host of the plugin is the test.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hsam/hsam.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "fake_driver.h"

namespace heddle::cuda::test {
namespace {

/// What the plugin has told its host.
struct Told {
  std::vector<std::string> logged;
  std::vector<hsa_agent_driver_config> configs;
  std::vector<hsa_agent_driver_interface> interfaces;
  std::map<std::string, std::string> settings;
};
Told& told() {
  static Told state;
  return state;
}

const hsa_generic_driver_interface* register_agent(const hsa_agent_driver_interface* interface,
                                                   const hsa_agent_driver_config* config,
                                                   hsa_generic_driver_config*) {
  static const hsa_generic_driver_interface driver = {};
  told().configs.push_back(*config);
  told().interfaces.push_back(*interface);
  return &driver;
}

const hsam_host& host() {
  static const hsam_host made = [] {
    hsam_host h = {};
    h.size = sizeof h;
    h.major = HSAM_VERSION_MAJOR;
    h.minor = HSAM_VERSION_MINOR;
    h.register_agent = register_agent;
    h.log = [](hsam_log_level, const char*, const char* message) { told().logged.emplace_back(message); };
    h.setting = [](const char* name) -> const char* {
      const auto found = told().settings.find(name);
      return found == told().settings.end() ? nullptr : found->second.c_str();
    };
    return h;
  }();
  return made;
}

/// Starts the plugin in a process of its own, because it opens a driver once, and has `check` look at what it
/// told. The exit status says whether it returned 0 and check() was content.
template <typename Check>
void expect_start(std::map<std::string, std::string> settings, Check check, void (*prepare)() = [] {}) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        told().settings = settings;
        prepare();
        void* plugin = dlopen(HEDDLE_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        auto main = plugin ? reinterpret_cast<hsam_agent_driver_main_t>(dlsym(plugin, HSAM_AGENT_DRIVER_MAIN))
                           : nullptr;
        std::_Exit(main && main(&host()) == 0 && check() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

bool names_are_those_of_gpus() {
  for (size_t i = 0; i < told().configs.size(); ++i)
    if (told().configs[i].agent_id != i || told().configs[i].name != "Fake GPU " + std::to_string(i))
      return false;
  return true;
}

TEST(Plugin, shows_and_says_nothing_on_a_machine_without_a_gpu) {
  if (access("/proc/driver/nvidia/gpus", F_OK) == 0 || access("/dev/dxg", F_OK) == 0)
    GTEST_SKIP() << "this machine has the driver of a GPU";
  expect_start({}, [] {
    const bool has_opened_the_driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr;
    return told().configs.empty() && told().logged.empty() && !has_opened_the_driver;
  });
}

TEST(Plugin, says_why_it_cannot_use_the_library_that_it_was_told_to) {
  expect_start({{"CUDA_LIBRARY", "/no/such/libcuda.so"}}, [] {
    return told().configs.empty() && told().logged.size() == 1 &&
           told().logged[0].find("/no/such/libcuda.so") != std::string::npos;
  });
}

TEST(Plugin, says_why_a_driver_does_not_start) {
  expect_start(
      {{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}},
      [] {
        return told().configs.empty() && told().logged.size() == 1 &&
               told().logged[0].find("cuInit: fake: unknown error") != std::string::npos;
      },
      [] { fake_control().machine.start = Status::unknown; });
}

TEST(Plugin, shows_an_agent_for_each_gpu) {
  expect_start(
      {{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}},
      [] { return told().logged.empty() && told().configs.size() == 3 && names_are_those_of_gpus(); },
      [] { fake_control().machine.gpus = 3; });
}

TEST(Plugin, that_is_to_use_processes_does_not_open_the_driver_itself) {
  expect_start(
      {{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}, {"CUDA_HELPER", "1"}},
      [] {
        const bool is_open_here = dlopen(HEDDLE_FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD) != nullptr;
        return told().logged.empty() && told().configs.size() == 2 && names_are_those_of_gpus() &&
               told().configs[0].wants_memory_files && told().configs[1].wants_memory_files && !is_open_here;
      },
      [] { setenv("HEDDLE_FAKE_GPUS", "2", 1); });
}

TEST(Plugin, wants_files_of_memory_unless_the_driver_never_leaves_the_process) {
  expect_start({{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}, {"CUDA_HELPER", "0"}},
               [] { return told().configs.size() == 1 && told().configs[0].wants_memory_files; });
  expect_start({{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}, {"CUDA_INPROCESS", "1"}}, [] {
    return told().configs.size() == 1 && !told().configs[0].wants_memory_files && told().logged.empty();
  });
}

TEST(Plugin, that_is_to_stay_and_to_use_processes_stays_and_says_so) {
  expect_start({{"CUDA_LIBRARY", HEDDLE_FAKE_CUDA}, {"CUDA_INPROCESS", "1"}, {"CUDA_HELPER", "1"}}, [] {
    return told().configs.size() == 1 && !told().configs[0].wants_memory_files && told().logged.size() == 1 &&
           told().logged[0].find("HEDDLE_CUDA_INPROCESS") != std::string::npos;
  });
}

}  // namespace
}  // namespace heddle::cuda::test
