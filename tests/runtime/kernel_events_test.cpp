// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profile events that kernels trigger by a pragma (PRM 13.4.2.1.1, Runtime 3.5.5), on every kernel agent that
// executes: each active work-item triggers an event of its own.
#include <bit>
#include <optional>
#include <set>

#include "events.h"
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

constexpr auto application_type = HSA_EXT_PROFILE_EVENT_PRODUCER_APPLICATION;
constexpr uint64_t hsail = 0;
/// Events of the kernels below.
enum Event : uint64_t { ids = 1, values = 2, odd = 3, steps = 4, called = 5, chosen = 100 };

constexpr const char* text = R"(module &m:1:2:$full:$large:$default;
prog function &callee()(arg_u32 %id) {
  ld_arg_u32 $s0, [%id];
  pragma "hsa.tools.profile.event.trigger", 5, $s0;
  cmp_lt_b1_u32 $c0, $s0, 8;
  cbr_b1 $c0, @small;
  ret;
@small:
  pragma "hsa.tools.profile.event.trigger", 5, $s0;
};
prog kernel &ids() {
  pragma "hsa.tools.profile.event.trigger", 1, &__hsa.tools.profile.workitemflatabsid,
    &__hsa.tools.profile.queueid, &__hsa.tools.profile.packetid;
};
prog kernel &old_names() {
  pragma "hsa.tools.profiling.event.trigger", 1, "hsa.workitemflatabsid", "hsa.queueid", "hsa.packetid";
};
prog kernel &values() {
  workitemabsid_u32 $s1, 0;
  cvt_f32_u32 $s2, $s1;
  cvt_f64_u32 $d2, $s1;
  mul_u32 $s3, $s1, 0xffffffff;
  pragma "hsa.tools.profile.event.trigger", 2, $s1, 1099511627777, s32(-7), s64(-8), 1.5f, 2.5, "a \"b\"\n",
    $s2, $d2, $s3, $d9, WAVESIZE;
};
prog kernel &odd() {
  workitemabsid_u32 $s0, 0;
  and_b32 $s1, $s0, 1;
  cmp_eq_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @end;
  pragma "hsa.tools.profile.event.trigger", 3, $s0;
@end:
};
prog kernel &steps() {
  workitemabsid_u32 $s0, 0;
  rem_u32 $s1, $s0, 5;
  mov_b32 $s2, 0;
@loop:
  cmp_ge_b1_u32 $c0, $s2, $s1;
  cbr_b1 $c0, @end;
  pragma "hsa.tools.profile.event.trigger", 4, $s0, $s2;
  add_u32 $s2, $s2, 1;
  br @loop;
@end:
};
prog kernel &calls() {
  workitemabsid_u32 $s0, 0;
  rem_u32 $s1, $s0, 3;
  cmp_ne_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @end;
  { arg_u32 %in;
    st_arg_u32 $s0, [%in];
    call &callee ()(%in); }
@end:
};
prog kernel &chosen() {
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  add_u64 $d0, $d0, 100;
  pragma "hsa.tools.profile.event.trigger", $d0;
};
prog kernel &barrier() {
  workitemabsid_u32 $s0, 0;
  pragma "hsa.tools.profile.event.trigger", 3, $s0;
  barrier;
  pragma "hsa.tools.profile.event.trigger", 4, $s0, u32(0);
};
)";

using Type = hsa_ext_profile_event_metadata_type_t;

class KernelEvents : public OnAgent {
 protected:
  void SetUp() override {
    OnAgent::SetUp();
    ASSERT_SUCCESS(hsa_ext_profile_event_init_producer(application_type, hsail));
    ASSERT_SUCCESS(hsa_ext_profile_event_init());
    kernels_.emplace(agent_, text);
    queue_.emplace(agent_);
  }
  void TearDown() override {
    queue_.reset();
    kernels_.reset();
    EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
    OnAgent::TearDown();
  }
  /// Registers an event of HSAIL with fields a, b, c, ...
  static void define(uint64_t event, const std::vector<Type>& types) {
    std::vector<std::string> names;
    for (size_t i = 0; i < types.size(); ++i) names.emplace_back(1, static_cast<char>('a' + i));
    std::vector<FieldDescription> fields;
    for (size_t i = 0; i < types.size(); ++i)
      fields.push_back({names[i].c_str(), 1, static_cast<uint32_t>(types[i])});
    EXPECT_SUCCESS(hsa_ext_profile_event_register_application_event(hsail, event, "event", 5, "triggered", 9,
                                                                    fields.data(), fields.size()));
  }
  /// Dispatches a kernel, waits for its completion, and returns the events that there are then.
  std::vector<ProfileEvent> run(const char* kernel, uint32_t grid, uint16_t group) {
    return run(kernels_->packet(kernel, grid, group));
  }
  std::vector<ProfileEvent> run(hsa_kernel_dispatch_packet_t packet) {
    const hsa_signal_t done = signal(1);
    packet.completion_signal = done;
    queue_->submit(packet);
    EXPECT_TRUE(becomes(done, 0));
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    return take_events();
  }
  /// Expects one event for each work-item of a grid, and returns how often each value of the field occurs.
  static std::map<uint64_t, size_t> count(const std::vector<ProfileEvent>& events, const char* field) {
    std::map<uint64_t, size_t> counts;
    for (const ProfileEvent& event : events) ++counts[event.numbers.at(field)];
    return counts;
  }

  std::optional<Kernels> kernels_;
  std::optional<TestQueue> queue_;
};

constexpr Type u32 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT32,
               u64 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_UINT64,
               i32 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT32,
               i64 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_INT64,
               f32 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_FLOAT,
               f64 = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_DOUBLE,
               string = HSA_EXT_PROFILE_EVENT_METADATA_TYPE_STRING;

/// Each work-item of 1003, in groups of 64 of which the last is not full, and in two dimensions.
TEST_P(KernelEvents, EachWorkItemTriggersOne) {
  define(ids, {u64, u64, u64});
  uint64_t packet = 0;
  for (const char* kernel : {"&ids", "&old_names"}) {
    uint64_t before = 0, after = 0;
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    const auto events = run(kernel, 1003, 64);
    EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    ASSERT_EQ(events.size(), 1003u) << kernel;
    EXPECT_EQ(count(events, "a").size(), 1003u) << "each work-item has its ID";
    EXPECT_EQ(count(events, "a").rbegin()->first, 1002u);
    for (const ProfileEvent& event : events) {
      EXPECT_EQ(event.type, static_cast<uint32_t>(application_type));
      EXPECT_EQ(event.producer, hsail);
      EXPECT_EQ(event.id, ids);
      EXPECT_EQ(event.name, "event");
      EXPECT_EQ(event.numbers.at("b"), queue_->get()->id);
      EXPECT_EQ(event.numbers.at("c"), packet);
      EXPECT_GE(event.timestamp, before);
      EXPECT_LE(event.timestamp, after);
    }
    ++packet;
  }
  auto plane = kernels_->packet("&ids", 21, 4);
  plane.setup = 2;
  plane.grid_size_y = 5;
  plane.workgroup_size_y = 3;
  const auto counts = count(run(plane), "a");
  EXPECT_EQ(counts.size(), 21u * 5);
  EXPECT_EQ(counts.rbegin()->first, 21u * 5 - 1);
}

TEST_P(KernelEvents, ValuesHaveTheTypesOfTheFields) {
  define(values, {u32, u64, i32, i64, f32, f64, string, f32, f64, i32, u64, u64});
  const auto events = run("&values", 100, 33);
  ASSERT_EQ(events.size(), 100u);
  for (const ProfileEvent& event : events) {
    const auto item = static_cast<uint32_t>(event.numbers.at("a"));
    EXPECT_LT(item, 100u);
    EXPECT_EQ(event.numbers.at("b"), 1099511627777u);
    EXPECT_EQ(static_cast<int32_t>(event.numbers.at("c")), -7);
    EXPECT_EQ(static_cast<int64_t>(event.numbers.at("d")), -8);
    EXPECT_EQ(event.numbers.at("e"), std::bit_cast<uint32_t>(1.5f));
    EXPECT_EQ(event.numbers.at("f"), std::bit_cast<uint64_t>(2.5));
    EXPECT_EQ(event.texts.at("g"), "a \"b\"\n");
    EXPECT_EQ(event.numbers.at("h"), std::bit_cast<uint32_t>(static_cast<float>(item)));
    EXPECT_EQ(event.numbers.at("i"), std::bit_cast<uint64_t>(static_cast<double>(item)));
    EXPECT_EQ(static_cast<uint32_t>(event.numbers.at("j")), 0 - item);
    EXPECT_EQ(event.numbers.at("k"), 0u) << "a register that nothing has written";
    EXPECT_EQ(event.numbers.at("l"), agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE));
  }
  EXPECT_EQ(count(events, "a").size(), 100u);
}

TEST_P(KernelEvents, OnlyActiveWorkItemsTrigger) {
  define(odd, {u32});
  const auto counts = count(run("&odd", 203, 50), "a");
  EXPECT_EQ(counts.size(), 101u);
  for (const auto& [item, times] : counts) {
    EXPECT_EQ(item % 2, 1u);
    EXPECT_EQ(times, 1u) << item;
  }
}

TEST_P(KernelEvents, WorkItemsLeaveLoopsAtDifferentTimes) {
  define(steps, {u32, u32});
  std::map<uint64_t, std::vector<uint64_t>> seen;
  for (const ProfileEvent& event : run("&steps", 103, 32))
    seen[event.numbers.at("a")].push_back(event.numbers.at("b"));
  for (uint64_t item = 0; item < 103; ++item) {
    ASSERT_EQ(seen[item].size(), item % 5) << item;
    for (uint64_t step = 0; step < item % 5; ++step)
      EXPECT_EQ(seen[item][step], step) << "the events of a work-item are in its order";
  }
}

TEST_P(KernelEvents, FunctionsTriggerForTheirCallers) {
  define(called, {u32});
  const auto counts = count(run("&calls", 64, 64), "a");
  EXPECT_EQ(counts.size(), 22u);
  for (const auto& [item, times] : counts) {
    EXPECT_EQ(item % 3, 0u);
    EXPECT_EQ(times, item < 8 ? 2u : 1u) << item;
  }
}

TEST_P(KernelEvents, ARegisterChoosesTheEvent) {
  for (uint64_t item : {0, 2, 5}) define(chosen + item, {});
  std::multiset<uint64_t> triggered;
  for (const ProfileEvent& event : run("&chosen", 8, 8)) {
    triggered.insert(event.id);
    EXPECT_FALSE(event.has_metadata);
  }
  EXPECT_EQ(triggered, (std::multiset<uint64_t>{chosen, chosen + 2, chosen + 5}))
      << "an event that is not registered is none";
}

TEST_P(KernelEvents, BarriersSeparateEvents) {
  define(odd, {u32});
  define(steps, {u32, u32});
  const auto events = run("&barrier", 64, 64);
  ASSERT_EQ(events.size(), 128u);
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].id, i < 64 ? odd : steps);
}

TEST_P(KernelEvents, DisabledEventsAreNotTriggered) {
  define(odd, {u32});
  ASSERT_SUCCESS(hsa_ext_profile_event_disable_for_producer(application_type, hsail));
  EXPECT_TRUE(run("&odd", 8, 8).empty());
  ASSERT_SUCCESS(hsa_ext_profile_event_enable_for_producer(application_type, hsail));
  EXPECT_EQ(run("&odd", 8, 8).size(), 4u);
  ASSERT_SUCCESS(hsa_ext_profile_event_deregister_application_event(hsail, odd));
  EXPECT_TRUE(run("&odd", 8, 8).empty());
}

/// The behaviour is undefined: heddle drops such events.
TEST_P(KernelEvents, ValuesOfOtherTypesThanTheFields) {
  define(odd, {u64});
  EXPECT_TRUE(run("&odd", 8, 8).empty()) << "a u32 for a u64";
  define(steps, {u32});
  EXPECT_TRUE(run("&steps", 8, 8).empty()) << "two values for one field";
  define(called, {string});
  EXPECT_TRUE(run("&calls", 8, 8).empty()) << "a number for a string";
}

INSTANTIATE_TEST_SUITE_P(Agents, KernelEvents, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// The events of kernels have to be asked for.
TEST(KernelEventsOfNobody, NothingIsCollected) {
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_ext_profile_event_init_all_of_producer_type(HSA_EXT_PROFILE_EVENT_PRODUCER_RUNTIME_API));
  ASSERT_SUCCESS(hsa_ext_profile_event_init());
  bool supported = false;
  EXPECT_SUCCESS(hsa_ext_profile_event_producer_supports_events(application_type, hsail, &supported));
  EXPECT_TRUE(supported);
  EXPECT_EQ(hsa_ext_profile_event_enable_for_producer(application_type, hsail),
            HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS)
      << "it was not marked";
  ASSERT_SUCCESS(hsa_ext_profile_event_shut_down());
  ASSERT_SUCCESS(hsa_shut_down());
}

}  // namespace
}  // namespace heddle::runtime::test
