// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that ask the host, from the queue to the answer.
#include <gtest/gtest.h>
#include <hsa/hsa_brig_modifiers.h>

#include "agents/common/host_agent.h"
#include "codeobject/ptx_kernel.h"
#include "gpu_fixture.h"
#include "gpu_thread.h"

namespace heddle::cuda::test {
namespace {

using fake::ask_host;
using ptx_kernel::Hidden;
using ptx_kernel::MailboxSlot;

/// Each work-item subtracts 1 from the first signal; the last one also waits until the second one is 5, and
/// then stores 6 there.
constexpr char uses_signals[] = R"(
prog kernel &k(kernarg_sig64 %out, kernarg_sig64 %in) {
  ld_kernarg_sig64 $d0, [%out];
  ld_kernarg_sig64 $d1, [%in];
  signalnoret_sub_rlx_s64_sig64 $d0, 1;
  workitemflatabsid_u32 $s0;
  cmp_ne_b1_u32 $c0, $s0, 63;
  cbr_b1 $c0, @end;
  signal_wait_eq_scacq_s64_sig64 $d2, $d1, 5;
  signalnoret_st_screl_b64_sig64 $d1, 6;
@end:
  ret;
};
)";

class MailboxOfQueue : public GpuTest {
 protected:
  void TearDown() override {
    fake_control().instead = nullptr;
    GpuTest::TearDown();
  }
  /// Runs something in place of a kernel that may ask the host.
  void submit(std::function<void(const Hidden&)> body, Signal* done) {
    fake_control().instead = std::move(body);
    code = load(code_of("prog kernel &k() { ret; };", 0, codeobject::kernel_asks_host));
    queue.submit(dispatch(code->kernel_object(0), 64, 64, done));
  }

  std::shared_ptr<agents::LoadedCode> code;
};

TEST_F(MailboxOfQueue, serves_kernels_that_use_signals) {
  start();
  Signal out(64), in(1), done;
  struct {
    uint64_t out, in;
  } arguments = {out.handle().handle, in.handle().handle};
  code = load(code_of(uses_signals, sizeof arguments, codeobject::kernel_asks_host));
  auto packet = dispatch(code->kernel_object(0), 64, 64, &done);
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  EXPECT_TRUE(out.becomes(0));
  EXPECT_EQ(done.load(), 1);
  in.store(5);
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(in.load(), 6);
  processor.reset();
}

TEST_F(MailboxOfQueue, serves_many_dispatches_one_after_the_other) {
  start();
  uint64_t count = 0;
  Signal done(100);
  fake_control().instead = [&](const Hidden& hidden) {
    ask_host(&hidden, {MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, 0, 8,
                       reinterpret_cast<uint64_t>(&count), 1, 0});
  };
  code = load(code_of("prog kernel &k() { ret; };", 0, codeobject::kernel_asks_host));
  for (int i = 0; i < 100; ++i) queue.submit(dispatch(code->kernel_object(0), 64, 64, &done));
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(count, 100u);
  processor.reset();
}

TEST_F(MailboxOfQueue, is_not_there_for_kernels_that_ask_nothing) {
  start();
  Signal done;
  uint64_t mailbox = 1;
  fake_control().instead = [&](const Hidden& hidden) { mailbox = hidden.mailbox; };
  code = load(code_of("prog kernel &k() { ret; };", 0));
  queue.submit(dispatch(code->kernel_object(0), 64, 64, &done));
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(mailbox, 0u);
  processor.reset();
}

TEST_F(MailboxOfQueue, fails_with_a_wrong_request_and_names_the_kernel) {
  start();
  Signal done;
  bool stopped = false;
  submit(
      [&](const Hidden& hidden) {
        stopped = fake::is_stopped_while_asking(
            hidden, {MailboxSlot::atomic, HSA_BRIG_ATOMIC_OPERATION_ADD, 0, 8, 64, 1, 0});
      },
      &done);
  const auto failed = error();
  EXPECT_EQ(failed.status, HSA_STATUS_ERROR_FATAL);
  EXPECT_EQ(failed.message,
            "kernel &k: memory fault at 0x40, in an atomic operation that the host carries out");
  EXPECT_EQ(done.load(), 1);
  processor.reset();
  EXPECT_TRUE(stopped);
}

TEST_F(MailboxOfQueue, lets_go_of_a_kernel_that_waits_when_the_queue_is_inactivated) {
  start();
  Signal done, never;
  bool stopped = false;
  submit(
      [&](const Hidden& hidden) {
        stopped = fake::is_stopped_while_asking(
            hidden,
            {MailboxSlot::signal, HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, 1, 8, never.handle().handle, 0, 0});
      },
      &done);
  never.wait_until_watched();
  processor->inactivate();
  EXPECT_EQ(done.load(), 1);
  EXPECT_EQ(never.get()->waiters, 0u);
  EXPECT_TRUE(stopped);
  processor.reset();
}

}  // namespace
}  // namespace heddle::cuda::test
