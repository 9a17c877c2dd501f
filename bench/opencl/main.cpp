// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the workloads in OpenCL C on the first CPU device.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "opencl_session.h"
#include "workloads/host.h"

namespace {

using namespace comparison;

class LoadedInOpenCl : public bench::Loaded {
 public:
  LoadedInOpenCl(Device& device, const bench::Workload& workload, const std::string& path)
      : device_(device), program_(device, path) {
    for (const auto& buffer : workload.buffers)
      buffers_.push_back(std::make_unique<Memory>(device, buffer.initial));
    for (const auto& launch : workload.launches) prepare(launch);
  }

  void run() override {
    for (const auto& dispatch : dispatches_) dispatch.kernel->enqueue(device_, dispatch.size, dispatch.group);
    check(clFinish(device_.queue), "clFinish");
  }

  bench::Bytes contents(size_t buffer) override { return buffers_[buffer]->contents(device_); }

 private:
  struct Dispatch {
    std::unique_ptr<Kernel> kernel;
    size_t size[3], group[3];
  };

  void prepare(const bench::Launch& launch) {
    Dispatch dispatch{std::make_unique<Kernel>(program_, launch.kernel), {}, {}};
    for (const auto& argument : launch.arguments)
      std::visit([&](const auto& value) { append(*dispatch.kernel, value); }, argument);
    std::copy(std::begin(launch.grid.size), std::end(launch.grid.size), dispatch.size);
    std::copy(std::begin(launch.grid.group), std::end(launch.grid.group), dispatch.group);
    dispatches_.push_back(std::move(dispatch));
  }

  void append(Kernel& kernel, const bench::BufferArgument& buffer) {
    kernel.append(&buffers_[buffer.index]->handle, sizeof(cl_mem));
  }
  template <typename T>
  void append(Kernel& kernel, const T& value) {
    kernel.append(&value, sizeof value);
  }

  Device& device_;
  Program program_;
  std::vector<std::unique_ptr<Memory>> buffers_;
  std::vector<Dispatch> dispatches_;
};

class OpenCl : public bench::Host {
 public:
  explicit OpenCl(const bench::Options& options)
      : folder_(options.kernels.empty() ? BENCH_ROOT "/bench/kernels" : options.kernels) {
    if (!options.isa.empty()) throw std::runtime_error("OpenCL offers no choice of ISAs");
  }
  std::string name() const override { return device_.name(); }
  std::unique_ptr<bench::Loaded> load(const bench::Workload& workload) override {
    return std::make_unique<LoadedInOpenCl>(device_, workload, folder_ + "/" + workload.name + ".cl");
  }

 private:
  Device device_;
  std::string folder_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  try {
    OpenCl opencl(options);
    return bench::serve(opencl, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-opencl: %s\n", error.what());
    return 1;
  }
}
