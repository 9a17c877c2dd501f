// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the workloads in ispc.
#include <cstdio>

#include "calls.h"
#include "workloads/host.h"

namespace {

using namespace comparison;

class LoadedInIspc : public bench::Loaded {
 public:
  explicit LoadedInIspc(const bench::Workload& workload) : launches_(workload.launches) {
    for (const auto& buffer : workload.buffers)
      addresses_.push_back(buffers_.emplace_back(buffer.initial).data());
    for (const auto& launch : launches_) calls_.push_back(&call_of(launch.kernel));
  }

  void run() override {
    for (size_t i = 0; i < launches_.size(); ++i) (*calls_[i])(launches_[i], addresses_);
  }

  bench::Bytes contents(size_t buffer) override {
    return {buffers_[buffer].data(), buffers_[buffer].data() + buffers_[buffer].size()};
  }

 private:
  std::vector<bench::Launch> launches_;
  std::vector<bench::PageAligned> buffers_;
  Addresses addresses_;
  std::vector<const Call*> calls_;
};

class Ispc : public bench::Host {
 public:
  std::string name() const override { return BENCH_ISPC_VERSION ", " BENCH_ISPC_TARGET; }
  std::unique_ptr<bench::Loaded> load(const bench::Workload& workload) override {
    return std::make_unique<LoadedInIspc>(workload);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  if (!options.isa.empty() || !options.kernels.empty()) {
    std::fprintf(stderr, "bench-ispc: the kernels and their target were chosen when the program was built\n");
    return 2;
  }
  Ispc ispc;
  return bench::serve(ispc, options);
}
