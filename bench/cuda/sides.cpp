// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/sides.h"

#include <dlfcn.h>

#include <algorithm>

namespace bench {
namespace {

/// The bytes of an argument, and its size. The address of a buffer is taken from `buffers`.
struct Value {
  alignas(8) std::byte bytes[8];
  size_t size;
};

Value value_of(const Argument& argument, const std::vector<void*>& buffers) {
  Value value{};
  const auto set = [&](const auto& what) {
    std::memcpy(value.bytes, static_cast<const void*>(std::addressof(what)), sizeof what);
    value.size = sizeof what;
  };
  if (const auto* buffer = std::get_if<BufferArgument>(&argument))
    set(buffers[buffer->index]);
  else
    std::visit(
        [&](const auto& scalar) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(scalar)>, BufferArgument>) set(scalar);
        },
        argument);
  return value;
}

class OnHeddle final : public LoadedWorkload {
 public:
  OnHeddle(HeddleSide& heddle, const Workload& workload)
      : heddle_(heddle), kernels_(heddle.load(workload.name)) {
    for (const Buffer& buffer : workload.buffers) {
      buffers_.push_back(heddle.allocate(std::max<size_t>(buffer.initial.size(), 16)));
      sizes_.push_back(buffer.initial.size());
      HeddleSide::copy(buffers_.back(), buffer.initial.data(), buffer.initial.size());
    }
    for (const Launch& launch : workload.launches) prepare(launch);
  }
  ~OnHeddle() override {
    for (void* buffer : buffers_) HeddleSide::release(buffer);
  }
  OnHeddle(const OnHeddle&) = delete;
  OnHeddle& operator=(const OnHeddle&) = delete;

  void run(unsigned times) override {
    for (unsigned time = 0; time < times; ++time)
      for (size_t i = 0; i < packets_.size(); ++i)
        heddle_.enqueue(packets_[i].kernel, packets_[i].grid, packets_[i].arguments->data(),
                        time + 1 == times && i + 1 == packets_.size());
    heddle_.finish();
  }
  Bytes contents(size_t buffer) override {
    Bytes bytes(sizes_[buffer]);
    HeddleSide::copy(bytes.data(), buffers_[buffer], bytes.size());
    return bytes;
  }

 private:
  struct Packet {
    examples::Kernel kernel;
    Grid grid;
    std::unique_ptr<examples::Arguments> arguments;
  };

  void prepare(const Launch& launch) {
    const examples::Kernel kernel = kernels_->kernel("&" + launch.kernel);
    auto arguments = std::make_unique<examples::Arguments>(heddle_.agent(), kernel);
    for (const Argument& argument : launch.arguments) {
      const Value value = value_of(argument, buffers_);
      arguments->append(value.bytes, value.size);
    }
    packets_.push_back({kernel, launch.grid, std::move(arguments)});
  }

  HeddleSide& heddle_;
  std::unique_ptr<HeddleKernels> kernels_;
  std::vector<void*> buffers_;
  std::vector<size_t> sizes_;
  std::vector<Packet> packets_;
};

class OnCuda final : public LoadedWorkload {
 public:
  OnCuda(const Cuda& cuda, const Workload& workload) : cuda_(cuda), launches_(workload.launches) {
    for (const Buffer& buffer : workload.buffers) {
      void*& memory = buffers_.emplace_back();
      CUDA(cuda, allocate, &memory, std::max<size_t>(buffer.initial.size(), 16));
      sizes_.push_back(buffer.initial.size());
      CUDA(cuda, copy, memory, buffer.initial.data(), buffer.initial.size());
    }
    CUDA(cuda, wait);
    for (const Launch& launch : launches_) {
      auto& values = values_.emplace_back();
      for (const Argument& argument : launch.arguments) values.push_back(value_of(argument, buffers_));
    }
  }
  ~OnCuda() override {
    for (void* buffer : buffers_) cuda_.release(buffer, nullptr);
  }
  OnCuda(const OnCuda&) = delete;
  OnCuda& operator=(const OnCuda&) = delete;

  void run(unsigned times) override {
    for (unsigned time = 0; time < times; ++time)
      for (size_t i = 0; i < launches_.size(); ++i) launch(launches_[i], values_[i]);
    CUDA(cuda_, wait);
  }
  Bytes contents(size_t buffer) override {
    Bytes bytes(sizes_[buffer]);
    CUDA(cuda_, copy, bytes.data(), buffers_[buffer], bytes.size());
    CUDA(cuda_, wait);
    return bytes;
  }

 private:
  void launch(const Launch& launch, std::vector<Value>& values) const {
    void* addresses[16] = {};
    for (size_t i = 0; i < values.size(); ++i) addresses[i] = values[i].bytes;
    CudaLaunch made{launch.kernel.c_str(), {}, {}, addresses};
    for (int i = 0; i < 3; ++i) {
      made.grid[i] = launch.grid.size[i] / launch.grid.group[i];
      made.block[i] = launch.grid.group[i];
    }
    CUDA(cuda_, launch, static_cast<const CudaLaunch*>(&made));
  }

  const Cuda& cuda_;
  std::vector<Launch> launches_;
  std::vector<void*> buffers_;
  std::vector<size_t> sizes_;
  std::vector<std::vector<Value>> values_;
};

}  // namespace

Cuda::Cuda(const std::string& library, int gpu) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto function =
      opened ? reinterpret_cast<CudaSideFunction>(dlsym(opened, cuda_side_symbol)) : nullptr;
  if (!function) throw examples::Error(dlerror());
  side_ = function();
  CUDA(*this, open, gpu);
}

void Cuda::release(void* device_memory, void* pinned_memory) const noexcept {
  const char* const device = device_memory ? side_->release(device_memory) : nullptr;
  const char* const pinned = pinned_memory ? side_->release_pinned(pinned_memory) : nullptr;
  for (const char* wrong : {device, pinned})
    if (wrong) std::fprintf(stderr, "bench-cuda: memory cannot be freed: %s\n", wrong);
}

std::unique_ptr<LoadedWorkload> load(HeddleSide& heddle, const Workload& workload) {
  return std::make_unique<OnHeddle>(heddle, workload);
}

std::unique_ptr<LoadedWorkload> load(const Cuda& cuda, const Workload& workload) {
  return std::make_unique<OnCuda>(cuda, workload);
}

}  // namespace bench
