// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "buffers.h"

#include <cstring>
#include <random>

#include "generate.h"

namespace heddle::tests {

Buffers initial_buffers(const tools::fuzz::Launch& launch) {
  std::mt19937_64 random(launch.data_seed);
  const size_t items = launch.work_items();
  Buffers buffers{std::vector<std::byte>(items * input_size),
                  std::vector<std::byte>(items * output_size, std::byte{0xcc}),
                  std::vector<std::byte>(shared_size, std::byte{0x5a})};
  for (size_t at = 0; at < buffers.input.size(); at += sizeof(uint64_t)) {
    const uint64_t word = random() >> random() % 64;
    std::memcpy(&buffers.input[at], &word, sizeof word);
  }
  return buffers;
}

Words words_of(const tools::fuzz::Launch& launch) {
  std::mt19937_64 random(launch.data_seed + 1);
  const auto next = [&] { return static_cast<uint32_t>(random() >> 32 >> random() % 32); };
  return {next(),
          static_cast<uint16_t>(next()),
          static_cast<float>(static_cast<int32_t>(next())) / 16,
          {},
          {static_cast<int32_t>(next()), -1, static_cast<int32_t>(next()), 7},
          static_cast<uint8_t>(next())};
}

}  // namespace heddle::tests
