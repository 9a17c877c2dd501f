// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shrink.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace heddle::tools::fuzz {
namespace {

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& fails, unsigned budget)
      : best_(std::move(program)), fails_(fails), budget_(budget) {}

  Program run() {
    bool smaller = true;
    while (smaller && budget_ > 0) {
      smaller = shrink_launch();
      smaller |= shrink_block(best_.kernel.body);
      for (Routine& function : best_.functions) smaller |= shrink_block(function.body);
    }
    return std::move(best_);
  }

 private:
  bool still_fails() {
    if (budget_ == 0) return false;
    --budget_;
    return fails_(best_);
  }

  /// Puts `candidate` into `place`, which is part of best_, and keeps it there if the program still fails.
  template <typename T>
  bool keep(T& place, T candidate) {
    std::swap(place, candidate);
    if (still_fails()) return true;
    std::swap(place, candidate);
    return false;
  }

  bool shrink_launch() {
    bool smaller = false;
    for (int i = 0; i < 3; ++i) {
      for (uint32_t* size : {&best_.launch.grid[i], &best_.launch.group[i]}) {
        while (*size > 1 && budget_ > 0) {
          if (!keep(*size, 1u) && !keep(*size, *size / 2)) break;
          smaller = true;
        }
      }
    }
    return smaller;
  }

  bool shrink_block(Block& block) {
    bool smaller = remove_runs(block);
    for (size_t i = 0; i < block.size() && budget_ > 0;) {
      if (!block[i].bodies.empty() && keep(block, unwrapped(block, i))) {
        smaller = true;
        continue;  // the statement's bodies are here now
      }
      for (Block& body : block[i].bodies) smaller |= shrink_block(body);
      ++i;
    }
    return smaller;
  }

  /// Removes halves, quarters, ... of the block, down to single statements.
  bool remove_runs(Block& block) {
    bool smaller = false;
    for (size_t run = block.size(); run > 0; run /= 2) {
      for (size_t at = 0; at < block.size() && budget_ > 0;) {
        Block rest(block.begin(), block.begin() + at);
        rest.insert(rest.end(), block.begin() + std::min(at + run, block.size()), block.end());
        if (keep(block, std::move(rest))) {
          smaller = true;
        } else {
          at += run;
        }
      }
    }
    return smaller;
  }

  static Block unwrapped(const Block& block, size_t at) {
    Block result(block.begin(), block.begin() + at);
    for (const Block& body : block[at].bodies) result.insert(result.end(), body.begin(), body.end());
    result.insert(result.end(), block.begin() + at + 1, block.end());
    return result;
  }

  Program best_;
  const std::function<bool(const Program&)>& fails_;
  unsigned budget_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& fails, unsigned budget) {
  return Shrinker(std::move(program), fails, budget).run();
}

}  // namespace heddle::tools::fuzz
