// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "agents/common/launcher.h"
#include "agents/cuda/gpu_device.h"
#include "agents/cuda/kernel_batch.h"
#include "agents/cuda/launch_plan.h"
#include "agents/cuda/mailbox.h"
#include "agents/cuda/mailbox_service.h"
#include "agents/cuda/queue_block.h"

namespace heddle::cuda {

/// The way of one queue to its GPU: a stream, in which kernels are launched as graphs, several together where
/// that makes nobody wait (kernel_batch.h), and behind each dispatch, or a row of them that nobody waits for,
/// a write to a word in host memory, from which the host learns that they have ended. Kernels of one
/// work-group make this write themselves, if they can, which is sooner. A thread serves what kernels ask of
/// the host, from the first of them on that may ask.
class QueueLauncher final : public agents::Launcher {
 public:
  /// `device` outlives the launcher.
  static Driven<std::unique_ptr<QueueLauncher>> create(GpuDevice& device, const agents::QueueOwner& owner);
  ~QueueLauncher() override;

  Result<uint32_t, agents::Failure> launch(const agents::KernelDispatch& dispatch, Notice notice) override;
  void notify() noexcept override;
  uint64_t ended() override;
  uint64_t next_notice() const override;
  std::optional<agents::Failure> failure() override { return failure_; }
  void look_for_failure() override;
  void stop() noexcept override;
  void drain() noexcept override;

 private:
  QueueLauncher(GpuDevice& device, const agents::QueueOwner& owner)
      : device_(device),
        owner_(owner),
        generation_(device.context().generation()),
        batch_(device.context()) {}

  struct InFlight {
    std::shared_ptr<Kernel> kernel;
    bool has_notice = false;                        ///< the GPU tells the host when it ends
    bool tells_itself = false;                      ///< and it is the kernel that does so
    std::shared_ptr<const RangeTable> ranges = {};  ///< that the kernel looks at, if it checks addresses
  };
  /// The sizes of a dispatch that depend on its kernel, in bytes.
  struct Sizes {
    uint32_t group = 0;
    uint32_t private_item = 0;
  };
  /// A dispatch that is about to be launched.
  struct Submission {
    const agents::KernelDispatch& dispatch;
    std::shared_ptr<Kernel> kernel;
    Sizes sizes;
    std::span<const std::byte> first_parameter;
    bool notices = false;      ///< the host has to learn of its end
    bool is_accepted = false;  ///< it cannot be refused any more: it has begun, or waits to be launched
  };
  Result<void, agents::Failure> provide_mailbox(const Kernel& kernel);
  Driven<void> provide_stack(const Submission& submission, Function function);
  void take_request_failure();
  void end_what_does_not_stop() noexcept;
  Result<Sizes, agents::Failure> check(const agents::KernelDispatch& dispatch, const Kernel& kernel);
  ptx_kernel::Hidden hidden_of(const agents::KernelDispatch& dispatch, const Kernel& kernel,
                               const Sizes& sizes);
  void add_dispatch(const agents::KernelDispatch& dispatch, ptx_kernel::Hidden& hidden);
  Result<std::span<const std::byte>, agents::Failure> first_parameter(const agents::KernelDispatch& dispatch,
                                                                      const Kernel& kernel);
  Driven<void> add_checks(const Kernel& kernel, ptx_kernel::CheckedHidden& hidden);
  Driven<void> submit(Submission& submission);
  Driven<void> write_progress(uint64_t dispatches);
  Driven<void> launch_kernel(const KernelNode& node, Submission& submission, bool may_wait);
  Driven<void> launch_parts(const LaunchPlan& plan, KernelNode& node, ptx_kernel::Hidden& hidden,
                            Submission& submission);
  Driven<void> launch_single(const LaunchPlan& plan, KernelNode& node, const ptx_kernel::Hidden& hidden,
                             Submission& submission);
  Result<void, agents::Failure> launch_in_flight(Submission& submission);
  Result<void, agents::Failure> launch_waiting(const agents::KernelDispatch& dispatch, Kernel& kernel);
  bool ends_row() const;
  Status stream_status() const;
  std::string suspects() const;
  bool has_checked_addresses() const;
  agents::Failure failure_of(const DriverError& error, std::string_view who) const;

  GpuDevice& device_;
  const agents::QueueOwner owner_;
  const uint64_t generation_;  ///< of the context in which the stream was made
  Stream stream_ = nullptr;
  std::unique_ptr<QueueBlock> block_;
  DeviceAddress ticket_ = 0;                 ///< word of 64 bits
  std::unique_ptr<Mailbox> mailbox_;         ///< null before the first kernel that may ask the host
  std::unique_ptr<MailboxService> service_;  ///< of mailbox_
  uint64_t launched_ = 0;                    ///< dispatches
  uint64_t ended_ = 0;                       ///< that have ended as they should
  uint64_t noticed_ = 0;                     ///< dispatches of whose end the host will learn
  std::vector<std::byte> first_parameter_;   ///< of the latest dispatch; it keeps its memory
  std::deque<InFlight> in_flight_;
  /// The kernel that has ended last, if it has told of its end itself: the GPU may still execute its last
  /// instructions.
  std::shared_ptr<Kernel> retiring_;
  KernelBatch batch_;  ///< kernels of dispatches that are in flight, but have not been launched yet
  std::atomic<uint64_t> stopped_at_{0};  ///< ticks; 0: kernels have not been asked to end
  /// Why the last dispatch, or one of those that waited with it, could not be launched in full, although some
  /// of it may run. Its end will not be seen; it fails when those before it have ended.
  std::optional<agents::Failure> cut_short_;
  std::optional<agents::Failure> failure_;
};

}  // namespace heddle::cuda
