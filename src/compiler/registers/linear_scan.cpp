// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/registers/linear_scan.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace heddle::compiler {

namespace {

class Scan {
 public:
  Scan(const std::vector<Interval>& intervals, uint32_t limit) : intervals_(intervals), limit_(limit) {}

  Assignment run() {
    for (uint32_t index = 0; index < intervals_.size(); ++index) {
      expire(intervals_[index].begin);
      if (active_.size() == limit_ && !make_room(index)) continue;
      assign(index);
    }
    for (const auto& [index, number] : number_of_) result_.numbers.emplace_back(intervals_[index].id, number);
    return std::move(result_);
  }

 private:
  void expire(uint32_t position) {
    while (!active_.empty() && active_.begin()->first <= position) {
      free_.push(number_of_[active_.begin()->second]);
      active_.erase(active_.begin());
    }
  }

  // Spills an active interval, or the one that begins now; returns false for the latter.
  bool make_room(uint32_t index) {
    auto last = std::find_if(active_.rbegin(), active_.rend(),
                             [&](const auto& a) { return intervals_[a.second].may_spill; });
    const Interval& begun = intervals_[index];
    if (begun.may_spill && (last == active_.rend() || begun.end >= last->first)) {
      result_.spilled.push_back(begun.id);
      return false;
    }
    assert(last != active_.rend() && "the operands of one instruction must fit");
    const uint32_t victim = last->second;
    result_.spilled.push_back(intervals_[victim].id);
    free_.push(number_of_[victim]);
    number_of_.erase(victim);
    active_.erase(std::next(last).base());
    return true;
  }

  void assign(uint32_t index) {
    uint32_t number = result_.count;
    if (free_.empty()) {
      ++result_.count;
    } else {
      number = free_.top();
      free_.pop();
    }
    number_of_[index] = number;
    active_.emplace(intervals_[index].end, index);
  }

  const std::vector<Interval>& intervals_;
  uint32_t limit_;
  std::set<std::pair<uint32_t, uint32_t>> active_;  // end, and index of the interval
  std::map<uint32_t, uint32_t> number_of_;          // by index; of all that did not spill
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free_;
  Assignment result_;
};

}  // namespace

Assignment scan(const std::vector<Interval>& intervals, uint32_t limit) {
  return Scan(intervals, limit).run();
}

}  // namespace heddle::compiler
