// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle's side of the comparison with CUDA: a GPU agent, its memory, one queue, and kernels in HSAIL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/hsa_session.h"
#include "workloads/workload.h"

namespace bench {

/// The kernels of one module, loaded.
class HeddleKernels {
 public:
  virtual ~HeddleKernels() = default;
  virtual examples::Kernel kernel(const std::string& name) const = 0;
};

/// The number of GPU agents of the runtime.
unsigned gpu_count();

class HeddleSide {
 public:
  /// Takes GPU number `gpu` of the runtime, which must be initialized; where there is no GPU at all, throws.
  /// `folder` has the kernels: NAME.ISA.hco for an ISA of the agent, or NAME.brig.
  HeddleSide(unsigned gpu, std::string folder);
  ~HeddleSide();
  HeddleSide(const HeddleSide&) = delete;
  HeddleSide& operator=(const HeddleSide&) = delete;

  const examples::Agent& agent() const { return agent_; }
  void* allocate(size_t size) const;  ///< coarse-grained memory of the GPU
  void* allocate_host(size_t size) const;
  static void release(void* memory) { hsa_memory_free(memory); }
  static void copy(void* to, const void* from, size_t size);  ///< hsa_memory_copy
  /// hsa_amd_memory_async_copy to or from memory of the GPU, and an active wait for its end.
  void copy_async(void* to, const void* from, size_t size) const;

  std::unique_ptr<HeddleKernels> load(const std::string& name) const;
  /// Writes a packet that begins when all before it are complete. The last of several tells that it is
  /// complete.
  void enqueue(const examples::Kernel& kernel, const Grid& grid, const void* arguments, bool last);
  /// Waits actively for the packet that was the last.
  void finish() const;

 private:
  examples::Agent agent_{};
  std::string folder_;
  hsa_region_t device_memory_{};
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_{};
};

}  // namespace bench
