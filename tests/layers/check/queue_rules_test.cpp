// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about the indices and doorbells of queues, and about when packets are written.
#include <thread>

#include "fixture.h"

namespace heddle::check::test {
namespace {

class QueueRules : public Checked {
 protected:
  static hsa_barrier_and_packet_t barrier() {
    hsa_barrier_and_packet_t packet{};
    packet.header = header(HSA_PACKET_TYPE_BARRIER_AND);
    return packet;
  }
};

TEST_F(QueueRules, WriteIndexThatGoesBack) {
  make_gated_queue();
  EXPECT_EQ(said([&] { hsa_queue_store_write_index_relaxed(queue_, 4); }), "");
  EXPECT_THAT(said([&] { hsa_queue_store_write_index_relaxed(queue_, 3); }), HasSubstr(rule("write-index")));
  EXPECT_THAT(said([&] { (void)hsa_queue_cas_write_index_relaxed(queue_, 3, 2); }),
              HasSubstr(rule("write-index")));
}

TEST_F(QueueRules, ReadIndexOfAnAgent) {
  make_gated_queue();
  EXPECT_THAT(
      said([&] { hsa_queue_store_read_index_relaxed(queue_, hsa_queue_load_read_index_relaxed(queue_)); }),
      HasSubstr(rule("read-index")));
}

TEST_F(QueueRules, TwoProducersOfAQueueForOne) {
  make_gated_queue(HSA_QUEUE_TYPE_SINGLE);
  const hsa_barrier_and_packet_t packet = barrier();
  const uint64_t mine = hsa_queue_add_write_index_relaxed(queue_, 1);
  const auto reserve = [&] {
    std::thread other([&] { (void)hsa_queue_add_write_index_relaxed(queue_, 1); });
    other.join();
  };
  EXPECT_THAT(said(reserve), HasSubstr(rule("single-producer")));
  write(&packet, mine);
  write(&packet, mine + 1);
  ring(mine + 1);
  // The doorbell has been rung for all packets of the first thread: now it is the other one's turn.
  EXPECT_EQ(said(reserve), "");
}

TEST_F(QueueRules, DoorbellOfAPacketThatIsNotReserved) {
  make_gated_queue();
  EXPECT_THAT(said([&] { ring(1); }), HasSubstr(rule("doorbell-not-reserved")));
}

TEST_F(QueueRules, DoorbellsInTheWrongOrder) {
  make_gated_queue(HSA_QUEUE_TYPE_SINGLE);
  const hsa_barrier_and_packet_t packet = barrier();
  const uint64_t first = hsa_queue_add_write_index_relaxed(queue_, 2);
  write(&packet, first);
  write(&packet, first + 1);
  EXPECT_EQ(said([&] { ring(first + 1); }), "");
  EXPECT_THAT(said([&] { ring(first); }), HasSubstr(rule("doorbell-order")));
}

TEST_F(QueueRules, MorePacketsThanTheQueueHolds) {
  make_gated_queue();
  const uint64_t first = hsa_queue_add_write_index_relaxed(queue_, 2 * uint64_t{queue_->size});
  EXPECT_THAT(said([&] { ring(first + queue_->size + 1); }), HasSubstr(rule("queue-overflow")));
}

TEST_F(QueueRules, DoorbellBeforeTheHeader) {
  make_gated_queue();
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  EXPECT_THAT(said([&] { ring(index); }), HasSubstr(rule("packet-invalid")));
}

TEST_F(QueueRules, HeaderBeforeTheRest) {
  make_gated_queue();
  const hsa_barrier_and_packet_t packet = barrier();
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  write(&packet, index);
  EXPECT_EQ(said([&] { (void)hsa_queue_load_read_index_relaxed(queue_); }), "");
  auto* slot = static_cast<hsa_barrier_and_packet_t*>(queue_->base_address) + index % queue_->size;
  slot->dep_signal[0] = gate_;
  EXPECT_THAT(said([&] { ring(index); }), HasSubstr(rule("packet-changed")));
}

// The rules do not rely on what programs, or kernels, can overwrite.
TEST_F(QueueRules, AHeaderThatIsOverwritten) {
  make_gated_queue();
  const hsa_queue_t before = *queue_;
  const hsa_barrier_and_packet_t packet = barrier();
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
  write(&packet, index);
  std::memset(static_cast<void*>(queue_), 0xff, sizeof *queue_);
  const auto ring_doorbell = [&](uint64_t packet) {
    hsa_signal_store_screlease(before.doorbell_signal, static_cast<hsa_signal_value_t>(packet));
  };
  EXPECT_EQ(said([&] { ring_doorbell(index); }), "");
  EXPECT_THAT(said([&] { ring_doorbell(index + 1); }), HasSubstr(rule("doorbell-not-reserved")));
  EXPECT_EQ(said([&] { EXPECT_SUCCESS(hsa_queue_destroy(queue_)); }), "");
  queue_ = nullptr;
}

TEST_F(QueueRules, SoftQueuesBelongToTheProgram) {
  const hsa_signal_t doorbell = signal(0);
  hsa_queue_t* soft = nullptr;
  EXPECT_EQ(said([&] {
              EXPECT_SUCCESS(hsa_soft_queue_create(data_region_, 16, HSA_QUEUE_TYPE_MULTI,
                                                   HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &soft));
              const uint64_t index = hsa_queue_add_write_index_relaxed(soft, 1);
              auto* slot = static_cast<hsa_agent_dispatch_packet_t*>(soft->base_address) + index;
              slot->header = header(HSA_PACKET_TYPE_AGENT_DISPATCH);
              hsa_signal_store_screlease(doorbell, static_cast<hsa_signal_value_t>(index));
              slot->header = HSA_PACKET_TYPE_INVALID;
              hsa_queue_store_read_index_screlease(soft, index + 1);
              hsa_signal_store_screlease(doorbell, 1000);
              EXPECT_SUCCESS(hsa_queue_destroy(soft));
              EXPECT_SUCCESS(hsa_signal_destroy(doorbell));
            }),
            "");
}

}  // namespace
}  // namespace heddle::check::test
