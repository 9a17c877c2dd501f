// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "driver/driver.h"
#include "mock_agent.h"

namespace heddle::driver::test {

/// A client, and mocks whose records are empty.
struct ClientTest : testing::Test {
  ClientTest() {
    for (MockAgent* mock : {&host_mock(), &first_mock(), &second_mock(), &third_mock()}) mock->reset();
    client = Client::open().value();
    host = agent("host");
    first = agent("first");
    second = agent("second");
    third = agent("third");
    null = client->agents()[0];
    for (const Agent* a : client->agents())
      if (a->driver_name() == "null") null = a;
  }
  ~ClientTest() override {
    client.reset();
    for (MockAgent* mock : {&host_mock(), &first_mock(), &second_mock(), &third_mock()}) mock->join();
  }

  const Agent* agent(std::string_view name) const {
    for (const Agent* a : client->agents())
      if (a->config().name == name) return a;
    return nullptr;
  }
  static const Region& region(const Agent* agent, size_t number) { return *agent->regions()[number]; }

  std::unique_ptr<Client> client;
  const Agent* host;
  const Agent* first;   // wants signal and memory messages
  const Agent* second;  // does not
  const Agent* third;   // nor this one, which chooses the addresses of its memory
  const Agent* null;    // the plugin
};

/// Indices of the regions of all mocks. Only the kernel agents have local_coarse.
enum : size_t { kernarg, fine, coarse, local_coarse };

}  // namespace heddle::driver::test
