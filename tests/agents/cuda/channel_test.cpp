// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of requests to the process of a GPU, here to a thread.
#include "agents/cuda/remote/channel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "agents/cuda/remote/host_files.h"
#include "agents/cuda/remote/wire.h"

namespace heddle::cuda::remote {
namespace {

/// A channel whose other end a thread serves: it notes the numbers that it gets, and answers with twice the
/// number. Numbers above 1000 are errors.
class ChannelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    channel = Channel::create([this] { return alive.load(); });
    ASSERT_NE(channel, nullptr);
  }
  void TearDown() override {
    if (!server.joinable()) return;
    ending = true;
    server.join();
  }
  void start() {
    server = std::thread([this] {
      ChannelHost host(SharedPages::open(Descriptor(dup(channel->file())), sizeof(ChannelMemory)));
      const auto execute = [this](uint16_t function, Reader& request, Writer& answer) {
        const auto number = request.take<uint64_t>();
        request.take_bytes();
        if (!request.is_whole() || function != 7) return Status::invalid_value;
        noted.push_back(number);
        answer.put(2 * number);
        return number > 1000 ? Status::illegal_address : Status::success;
      };
      while (!ending)
        if (!host.serve_once(execute)) std::this_thread::yield();
    });
  }
  static Writer request(uint64_t number, size_t padding = 0) {
    Writer writer;
    const std::vector<std::byte> bytes(padding);
    writer.put(number);
    writer.put_bytes(bytes.data(), bytes.size());
    return writer;
  }
  std::optional<Status> call(uint64_t number, uint64_t* answer, size_t padding = 0) {
    return channel->call(7, request(number, padding).bytes(),
                         [&](Reader& reader) { *answer = reader.take<uint64_t>(); });
  }

  std::unique_ptr<Channel> channel;
  std::atomic<bool> alive{true}, ending{false};
  std::vector<uint64_t> noted;
  std::thread server;
};

TEST_F(ChannelTest, carries_out_everything_in_order_also_around_the_end_of_the_ring) {
  start();
  std::vector<uint64_t> expected;
  for (uint64_t i = 0; i < 900; ++i) {
    expected.push_back(i);
    if (i % 10 == 9) {
      uint64_t answer = 0;
      ASSERT_EQ(call(i, &answer, i * 7 % 3000), Status::success);
      EXPECT_EQ(answer, 2 * i);
    } else {
      ASSERT_TRUE(channel->post(7, request(i, i * 13 % 5000).bytes()));
    }
  }
  uint64_t answer = 0;
  ASSERT_EQ(call(1000, &answer, Channel::largest_request - 16), Status::success);
  expected.push_back(1000);
  EXPECT_EQ(noted, expected);
}

TEST_F(ChannelTest, does_nothing_that_was_posted_behind_an_error_and_tells_of_it) {
  start();
  uint64_t answer = 0;
  ASSERT_TRUE(channel->post(7, request(1).bytes()));
  ASSERT_TRUE(channel->post(7, request(1001).bytes()));
  ASSERT_TRUE(channel->post(7, request(2).bytes()));
  EXPECT_EQ(call(3, &answer), Status::illegal_address);
  EXPECT_EQ(call(4, &answer), Status::illegal_address) << "it is not forgotten";
  EXPECT_EQ(noted, (std::vector<uint64_t>{1, 1001, 3, 4}));
  channel->forget_error();
  ASSERT_TRUE(channel->post(7, request(5).bytes()));
  EXPECT_EQ(call(6, &answer), Status::success);
  EXPECT_EQ(noted.back(), 6u);
}

TEST_F(ChannelTest, returns_the_errors_of_calls_and_goes_on) {
  start();
  uint64_t answer = 0;
  EXPECT_EQ(call(1001, &answer), Status::illegal_address);
  EXPECT_EQ(answer, 2002u);
  EXPECT_EQ(call(1, &answer), Status::success);
  EXPECT_EQ(channel->call(8, request(1).bytes(), [](Reader&) {}), Status::invalid_value);
}

TEST_F(ChannelTest, does_not_wait_for_the_dead) {
  alive = false;
  uint64_t answer = 0;
  EXPECT_EQ(call(1, &answer), std::nullopt);
  bool posted = true;
  for (int i = 0; i < 1000 && posted; ++i) posted = channel->post(7, request(1, 1000).bytes());
  EXPECT_FALSE(posted) << "the ring is full at some time";
}

TEST(Message, that_is_too_short_gives_zeros) {
  Writer writer;
  writer.put_text("abc");
  Reader whole(writer.bytes());
  EXPECT_EQ(whole.take_text(), "abc");
  EXPECT_TRUE(whole.is_whole());
  EXPECT_EQ(whole.take<uint32_t>(), 0u);
  EXPECT_FALSE(whole.is_whole());
  writer.clear();
  writer.put(UINT64_MAX);  // a length
  Reader cut(writer.bytes());
  EXPECT_TRUE(cut.take_bytes().empty());
  EXPECT_FALSE(cut.is_whole());
}

TEST(Wire, knows_which_functions_say_all) {
  static_assert(is_plain<int*, DeviceAttribute, DeviceNumber>);
  static_assert(is_plain<MemoryHandle*, size_t, const MemoryProperties*, unsigned long long>);
  static_assert(is_plain<Function*, Module, const char*>);
  static_assert(!is_plain<void*, size_t, unsigned> && !is_plain<char*, int> &&
                !is_plain<Status, const char**>);
  static_assert(!is_plain<GraphExec, GraphNode, const KernelNode*>);
}

TEST(HostFiles, finds_what_lies_in_one_file) {
  HostFiles files;
  const auto at = [](uint64_t address) { return reinterpret_cast<const void*>(address); };
  files.add(at(0x10000), 0x2000, {5, 0x1000});
  files.add(at(0x12000), 0x1800, {5, 0x3000});  // the next piece of the same allocation
  files.add(at(0x14000), 0x1000, {5, 0x9000});
  const auto found = files.find(0x11000, 0x3000);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, 5);
  EXPECT_EQ(found->offset, 0x2000u);
  EXPECT_TRUE(files.find(0x13000, 0x1000)) << "whole pages";
  EXPECT_FALSE(files.find(0x13000, 0x1001)) << "what follows lies elsewhere";
  EXPECT_FALSE(files.find(0xf000, 1));
  EXPECT_FALSE(files.find(0x15000, 1));
  files.remove(at(0x12000));
  EXPECT_FALSE(files.find(0x11000, 0x2000));
  EXPECT_TRUE(files.find(0x11000, 0x1000));
}

TEST(SharedPages, are_the_same_memory_wherever_the_file_is_mapped) {
  SharedPages pages = SharedPages::create(5000);
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages.size(), 8192u);
  static_cast<char*>(pages.base())[4999] = 'x';
  const SharedPages again = SharedPages::open(Descriptor(dup(pages.file())), 5000);
  ASSERT_TRUE(again);
  EXPECT_NE(again.base(), pages.base());
  EXPECT_EQ(static_cast<char*>(again.base())[4999], 'x');
  EXPECT_FALSE(SharedPages::open(Descriptor(), 4096));
}

}  // namespace
}  // namespace heddle::cuda::remote
