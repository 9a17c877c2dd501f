// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs each kernel of the corpus on each agent, compiled without and with optimisation. CTest repeats this
// for waves of other lengths.
#include <hsa/hsa.h>

#include <memory>
#include <set>

#include "kernels/kernel_agents.h"
#include "modules.h"

namespace heddle::corpus {
namespace {

struct Setting {
  size_t agent;  // of kernel_agents()
  int level;
};

std::string name_of(const Setting& setting) {
  return std::string(setting.agent == 0 ? "cpu" : "interpreter") + "O" + std::to_string(setting.level);
}

/// No kernel of a module is without a case.
void expect_complete(const Module& module, const testing::DeviceProgram& device) {
  std::set<std::string> cases;
  for (const Case& one : module.cases) cases.insert("&" + std::string(one.kernel));
  for (const std::string& kernel : device.loaded().kernels()) EXPECT_EQ(cases.count(kernel), 1U) << kernel;
  EXPECT_EQ(cases.size(), module.cases.size()) << "two cases of one kernel";
}

/// Returns the program of a module, which stays until another one is asked for.
testing::DeviceProgram& program(const Module& module, const Setting& setting) {
  static std::unique_ptr<testing::DeviceProgram> current;
  static std::string loaded;
  const std::string file =
      KERNEL_FOLDER "/" + std::string(module.name) + "-O" + std::to_string(setting.level) + ".brig";
  if (loaded != file + name_of(setting)) {
    current.reset();
    current = std::make_unique<testing::DeviceProgram>(testing::kernel_agents().at(setting.agent), file);
    loaded = file + name_of(setting);
    if (current->is_loaded()) expect_complete(module, *current);
  }
  return *current;
}

class Kernel : public ::testing::Test {
 public:
  Kernel(const Module& module, const Case& one, Setting setting)
      : module_(module), case_(one), setting_(setting) {}

 private:
  void TestBody() override {
    testing::DeviceProgram& device = program(module_, setting_);
    ASSERT_TRUE(device.is_loaded());
    Bench bench(device, case_.kernel);
    case_.check(bench);
  }

  const Module& module_;
  const Case& case_;
  Setting setting_;
};

unsigned lanes_of(const tools::KernelAgent& agent) {
  uint32_t lanes = 0;
  EXPECT_EQ(hsa_agent_get_info(agent.handle, HSA_AGENT_INFO_WAVEFRONT_SIZE, &lanes), HSA_STATUS_SUCCESS);
  return lanes;
}

void register_module(const Module& module, const Setting& setting) {
  const std::string suite = std::string(module.name) + "/" + name_of(setting);
  for (const Case& one : module.cases)
    ::testing::RegisterTest(suite.c_str(), one.kernel, nullptr, nullptr, __FILE__, __LINE__,
                            [&module, &one, setting] { return new Kernel(module, one, setting); });
}

void register_all(const std::vector<Module>& modules) {
  for (const Module& module : modules)
    for (size_t agent = 0; agent < testing::kernel_agents().size(); ++agent) {
      if (module.lanes != 0 && module.lanes != lanes_of(testing::kernel_agents()[agent])) continue;
      for (const int level : {0, 2}) register_module(module, {agent, level});
    }
}

}  // namespace
}  // namespace heddle::corpus

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  using namespace heddle::corpus;
  const std::vector<Module> modules = {atomics(), control(), conversions(), groups(),   integers(),
                                       memory(),  vectors(), device(),      language(), waves()};
  register_all(modules);
  return RUN_ALL_TESTS();
}
