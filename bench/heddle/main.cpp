// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the workloads in HSAIL on the first kernel agent; HEDDLE_AGENTS chooses the agents, --isa one of its
// ISAs.
#include <hsail/hsail.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "common/hsa_session.h"
#include "workloads/host.h"

namespace {

using examples::check;

/// Returns the name of an ISA.
std::string isa_name(hsa_isa_t isa) {
  uint32_t length = 0;
  check(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length), "name of an ISA");
  std::string name(length, '\0');
  check(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data()), "name of an ISA");
  return name.substr(0, name.find('\0'));
}

struct Wanted {
  std::string name;
  hsa_isa_t isa{};
  bool found = false;
};

hsa_status_t compare_name(hsa_isa_t isa, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  const std::string name = isa_name(isa);
  // "x86-64-v3:w1" is enough for "heddle:x86-64-v3:w1".
  if (name != wanted.name && name != "heddle:" + wanted.name) return HSA_STATUS_SUCCESS;
  wanted.isa = isa;
  wanted.found = true;
  return HSA_STATUS_INFO_BREAK;
}

examples::Agent first_agent(const std::string& isa) {
  const auto agents = examples::kernel_agents();
  if (agents.empty()) throw std::runtime_error("there is no kernel agent");
  examples::Agent agent = agents.front();
  if (isa.empty()) return agent;
  Wanted wanted{isa};
  const hsa_status_t status = hsa_agent_iterate_isas(agent.handle, compare_name, &wanted);
  if (status != HSA_STATUS_INFO_BREAK) check(status, "hsa_agent_iterate_isas");
  if (!wanted.found) throw std::runtime_error(agent.name + " has no ISA " + isa);
  agent.isa = wanted.isa;
  return agent;
}

/// Returns the BRIG of a text, which must be correct.
std::vector<char> assembled(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto brig = hsail::assemble(text, path);
  if (!brig) throw std::runtime_error(brig.diagnostics());
  const auto checked = hsail::check(brig->bytes());
  if (!checked) throw std::runtime_error(checked.diagnostics());
  const auto* begin = static_cast<const char*>(brig->data());
  return {begin, begin + brig->size()};
}

class LoadedInHsail : public bench::Loaded {
 public:
  LoadedInHsail(const examples::Agent& agent, examples::Queue& queue, const bench::Workload& workload,
                const std::string& path)
      : queue_(queue), executable_(agent, assembled(path)) {
    for (const auto& buffer : workload.buffers) {
      auto& memory = buffers_.emplace_back(
          std::make_unique<examples::Buffer<std::byte>>(agent, std::max<size_t>(buffer.initial.size(), 1)));
      std::memcpy(memory->data(), buffer.initial.data(), buffer.initial.size());
    }
    for (const auto& launch : workload.launches) prepare(agent, launch);
  }

  void run() override {
    for (const auto& packet : packets_) queue_.enqueue(packet.kernel, packet.grid, *packet.arguments);
    queue_.finish();
  }

  bench::Bytes contents(size_t buffer) override {
    return {buffers_[buffer]->begin(), buffers_[buffer]->end()};
  }

 private:
  struct Packet {
    examples::Kernel kernel;
    examples::Grid grid;
    std::unique_ptr<examples::Arguments> arguments;
  };

  void prepare(const examples::Agent& agent, const bench::Launch& launch) {
    const examples::Kernel kernel = executable_.kernel(("&" + launch.kernel).c_str());
    auto arguments = std::make_unique<examples::Arguments>(agent, kernel);
    for (const auto& argument : launch.arguments) {
      if (const auto* buffer = std::get_if<bench::BufferArgument>(&argument)) {
        const void* address = buffers_[buffer->index]->data();
        arguments->append(&address, sizeof address);
      } else {
        std::visit([&](const auto& value) { append_scalar(*arguments, value); }, argument);
      }
    }
    const auto& [size, group] = launch.grid;
    packets_.push_back(
        {kernel, {size[0], size[1], size[2], group[0], group[1], group[2]}, std::move(arguments)});
  }

  static void append_scalar(examples::Arguments&, const bench::BufferArgument&) {}
  template <typename T>
  static void append_scalar(examples::Arguments& arguments, const T& value) {
    arguments.append(&value, sizeof value);
  }

  examples::Queue& queue_;
  examples::Executable executable_;
  std::vector<std::unique_ptr<examples::Buffer<std::byte>>> buffers_;
  std::vector<Packet> packets_;
};

class Heddle : public bench::Host {
 public:
  explicit Heddle(const bench::Options& options)
      : agent_(first_agent(options.isa)), folder_(options.kernels), beside_(options.beside) {}

  std::string name() const override { return isa_name(agent_.isa) + ", " + agent_.name; }

  std::unique_ptr<bench::Loaded> load(const bench::Workload& workload) override {
    return load_from(folder_.empty() ? BENCH_ROOT "/" + workload.hsail : text_in(folder_, workload),
                     workload);
  }

  std::unique_ptr<bench::Loaded> load_beside(const bench::Workload& workload) override {
    return beside_.empty() ? nullptr : load_from(text_in(beside_, workload), workload);
  }

 private:
  static std::string text_in(const std::string& folder, const bench::Workload& workload) {
    return folder + "/" + workload.name + ".hsail";
  }

  std::unique_ptr<bench::Loaded> load_from(const std::string& path, const bench::Workload& workload) {
    return std::make_unique<LoadedInHsail>(agent_, queue_, workload, path);
  }

  examples::Runtime runtime_;
  examples::Agent agent_;
  std::string folder_;
  std::string beside_;
  examples::Queue queue_{agent_};
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  try {
    Heddle heddle(options);
    return bench::serve(heddle, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-heddle: %s\n", error.what());
    return 1;
  }
}
