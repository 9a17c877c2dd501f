// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of how long dispatches of a device will take.
#include "agents/common/device_dispatches.h"

#include <gtest/gtest.h>

namespace heddle::agents {
namespace {

/// What the device does, as far as the test says.
struct Device {
  uint64_t launched = 0, noticed = 0, ended = 0;
};

class QuietLauncher final : public Launcher {
 public:
  explicit QuietLauncher(Device& device) : device_(device) {}
  Result<uint32_t, Failure> launch(const KernelDispatch&, Notice) override {
    ++device_.launched;
    return uint32_t{32};
  }
  void notify() noexcept override { device_.noticed = device_.launched; }
  uint64_t ended() override { return device_.ended; }
  uint64_t next_notice() const override { return device_.noticed; }
  std::optional<Failure> failure() override { return std::nullopt; }
  void look_for_failure() override {}
  void stop() noexcept override {}
  void drain() noexcept override {}

 private:
  Device& device_;
};

/// A thread polls for dispatches at once that are expected to end in this time, so that poll_until() tells
/// whether anything is expected.
class DispatchesOfADevice : public ::testing::Test {
 protected:
  void launch(std::initializer_list<uint64_t> kernels) {
    for (const uint64_t kernel : kernels) {
      KernelDispatch dispatch = {};
      dispatch.packet.kernel_object = kernel;
      for (uint32_t& size : dispatch.grid_size) size = 1;
      ASSERT_TRUE(dispatches.launch(dispatch, Launcher::Notice::with_a_later).ok());
    }
    dispatches.notify();
  }
  void end_all() {
    device.ended = device.launched;
    while (dispatches.take()) {
    }
    ASSERT_EQ(dispatches.in_flight(), 0u);
  }
  /// The processor may be given to somebody else while a row is launched, whose time then is no short one.
  bool is_expected(std::initializer_list<uint64_t> kernels) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      launch(kernels);
      const bool polls = dispatches.poll_until() != 0;
      end_all();
      if (polls) return true;
    }
    return false;
  }

  Device device;
  DeviceDispatches dispatches{std::make_unique<QuietLauncher>(device)};
};

TEST_F(DispatchesOfADevice, are_not_known_at_first) {
  launch({1, 2, 3});
  EXPECT_EQ(dispatches.poll_until(), 0u);
  EXPECT_NE(dispatches.next_look(), UINT64_MAX);
}

TEST_F(DispatchesOfADevice, are_expected_to_take_as_long_as_the_same_row_before) {
  launch({1, 2, 3});
  end_all();
  EXPECT_TRUE(is_expected({1, 2, 3}));
}

TEST_F(DispatchesOfADevice, are_expected_by_what_others_of_their_kernel_took) {
  launch({1, 1, 1, 1});
  end_all();
  EXPECT_TRUE(is_expected({1, 1, 1}));
  EXPECT_TRUE(is_expected({1}));
}

TEST_F(DispatchesOfADevice, are_not_known_by_rows_with_the_same_kernels_among_others) {
  launch({1, 2});
  end_all();
  launch({2, 1});
  EXPECT_EQ(dispatches.poll_until(), 0u);
}

TEST_F(DispatchesOfADevice, end_one_by_one_where_their_ends_are_told_one_by_one) {
  launch({1});
  launch({2});
  device.ended = 1;
  EXPECT_TRUE(dispatches.take());
  EXPECT_FALSE(dispatches.take());
  device.ended = 2;
  EXPECT_TRUE(dispatches.take());
  EXPECT_FALSE(dispatches.take());
}

TEST_F(DispatchesOfADevice, end_when_the_row_was_seen_to_end_if_nobody_times_them) {
  launch({1, 2, 3});
  device.ended = 3;
  const auto first = dispatches.take(), second = dispatches.take(), third = dispatches.take();
  ASSERT_TRUE(first && second && third);
  EXPECT_NE(first->started, 0u);
  EXPECT_LE(first->started, first->ended);
  for (const auto& later : {*second, *third}) {
    EXPECT_EQ(later.started, first->ended);
    EXPECT_EQ(later.ended, first->ended);
  }
}

TEST_F(DispatchesOfADevice, begin_when_that_before_has_ended) {
  KernelDispatch dispatch = {};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(dispatches.launch(dispatch, Launcher::Notice::at_once).ok());
  device.ended = 1;
  const auto first = dispatches.take();
  const uint64_t between = hsam_timestamp();
  EXPECT_FALSE(dispatches.take());
  device.ended = 2;
  const auto second = dispatches.take();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->started, first->ended);
  EXPECT_GE(second->ended, between);
}

}  // namespace
}  // namespace heddle::agents
