// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Performance counters by name, and sessions of them, for tests.
#pragma once

#include <hsa/hsa_ext_perf_counter.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"

namespace heddle::runtime::test {

constexpr uint32_t no_counter = UINT32_MAX;

inline uint32_t counter_count() {
  uint32_t count = 0;
  EXPECT_SUCCESS(hsa_ext_perf_counter_get_num(&count));
  return count;
}

template <typename T>
T counter_info(uint32_t counter, hsa_ext_perf_counter_info_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_ext_perf_counter_get_info(counter, attribute, &value));
  return value;
}

/// Returns the name or the description, which `length` and `text` are the attributes of.
inline std::string counter_text(uint32_t counter, hsa_ext_perf_counter_info_t length,
                                hsa_ext_perf_counter_info_t text) {
  std::vector<char> characters(counter_info<uint32_t>(counter, length), 'x');
  EXPECT_SUCCESS(hsa_ext_perf_counter_get_info(counter, text, characters.data()));
  EXPECT_EQ(characters.back(), '\0');
  return characters.data();
}

inline std::string counter_name(uint32_t counter) {
  return counter_text(counter, HSA_EXT_PERF_COUNTER_INFO_NAME_LENGTH, HSA_EXT_PERF_COUNTER_INFO_NAME);
}

using Association = std::pair<hsa_ext_perf_counter_assoc_t, uint64_t>;

inline std::vector<Association> associations(uint32_t counter) {
  std::vector<Association> found;
  EXPECT_SUCCESS(hsa_ext_perf_counter_iterate_associations(
      counter,
      [](hsa_ext_perf_counter_assoc_t type, uint64_t id, void* data) {
        static_cast<std::vector<Association>*>(data)->push_back({type, id});
        return HSA_STATUS_SUCCESS;
      },
      &found));
  return found;
}

inline bool belongs_to(uint32_t counter, const Association& wanted) {
  for (const Association& association : associations(counter))
    if (association == wanted) return true;
  return false;
}

/// Returns the index of the counter with this name and association; no_counter if there is none.
inline uint32_t find_counter(const std::string& name, const Association& of) {
  for (uint32_t i = 0; i < counter_count(); ++i)
    if (counter_name(i) == name && belongs_to(i, of)) return i;
  return no_counter;
}

/// A session context that has these counters enabled.
class CountedSession {
 public:
  explicit CountedSession(std::initializer_list<uint32_t> counters)
      : CountedSession(std::vector<uint32_t>(counters)) {}
  explicit CountedSession(const std::vector<uint32_t>& counters) {
    EXPECT_SUCCESS(hsa_ext_perf_counter_session_context_create(&context_));
    for (uint32_t counter : counters) EXPECT_SUCCESS(hsa_ext_perf_counter_enable(context_, counter));
  }
  ~CountedSession() { EXPECT_SUCCESS(hsa_ext_perf_counter_session_context_destroy(context_)); }
  CountedSession(const CountedSession&) = delete;
  CountedSession& operator=(const CountedSession&) = delete;

  hsa_ext_perf_counter_session_ctx_t context() const { return context_; }
  void enable() { EXPECT_SUCCESS(hsa_ext_perf_counter_session_enable(context_)); }
  void start() { EXPECT_SUCCESS(hsa_ext_perf_counter_session_start(context_)); }
  void enable_and_start() {
    enable();
    start();
  }
  void stop() { EXPECT_SUCCESS(hsa_ext_perf_counter_session_stop(context_)); }
  void disable() { EXPECT_SUCCESS(hsa_ext_perf_counter_session_disable(context_)); }

  uint64_t number(uint32_t counter) const {
    uint64_t value = ~uint64_t{0};
    EXPECT_SUCCESS(hsa_ext_perf_counter_read_uint64(context_, counter, &value));
    return value;
  }
  double real(uint32_t counter) const {
    double value = -1;
    EXPECT_SUCCESS(hsa_ext_perf_counter_read_double(context_, counter, &value));
    return value;
  }

 private:
  hsa_ext_perf_counter_session_ctx_t context_{};
};

}  // namespace heddle::runtime::test
