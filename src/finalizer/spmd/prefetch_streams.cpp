// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/prefetch_streams.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr uint64_t line = 64;
/// How far ahead of its load a line is prefetched. A wave takes some hundred nanoseconds for that, which is
/// the latency of memory, and the lines of all lanes fit into a cache of the first level.
constexpr uint64_t distance = 4 * line;
/// Longer steps are no streams: each iteration would read a page of its own.
constexpr uint64_t longest_step = 4096;
constexpr size_t most_gathers_in_loop = 8;

std::optional<int64_t> constant_of(const Value& value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
  if (constant && value.getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* integer = llvm::dyn_cast_if_present<llvm::ConstantInt>(constant);
  if (!integer || integer->getValue().getSignificantBits() > 64) return std::nullopt;
  return integer->getSExtValue();
}

int64_t element_size(const llvm::GetElementPtrInst& address) {
  const auto& layout = address.getDataLayout();
  return static_cast<int64_t>(layout.getTypeAllocSize(address.getSourceElementType()).getFixedValue());
}

std::optional<int64_t> sum(std::optional<int64_t> left, std::optional<int64_t> right) {
  int64_t result = 0;
  if (!left || !right || __builtin_add_overflow(*left, *right, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> product(std::optional<int64_t> left, std::optional<int64_t> right) {
  int64_t result = 0;
  if (!left || !right || __builtin_mul_overflow(*left, *right, &result)) return std::nullopt;
  return result;
}

/// The size of a number. That of the least one has no sign.
uint64_t magnitude(int64_t number) {
  const auto bits = static_cast<uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

/// What a property says of a value: nothing until its operands have been asked, or finally a number or none.
struct Answer {
  bool is_final = false;
  std::optional<int64_t> number;
};

/// Computes a property of integers and addresses that is linear, so that sums and multiples follow from their
/// operands. `Property::ask` gives the Answer for values that are not computed from others. Overflow is of no
/// interest, because prefetching is harmless wherever it leads.
template <typename Property>
class Linear {
 public:
  std::optional<int64_t> of(const Value& value, unsigned depth = 0) const {
    constexpr unsigned deepest = 12;
    if (const Answer answer = static_cast<const Property&>(*this).ask(value); answer.is_final)
      return answer.number;
    const auto* instruction = llvm::dyn_cast<Instruction>(&value);
    if (!instruction || depth == deepest) return std::nullopt;
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction))
      return of_address(*address, depth + 1);
    if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction))
      return of(*instruction->getOperand(0), depth + 1);
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
      return of_operation(*operation, depth + 1);
    const Value* same = llvm::getSplatValue(instruction);
    return same ? of(*same, depth + 1) : std::nullopt;
  }

 private:
  friend Property;
  Linear() = default;

  std::optional<int64_t> of_address(const llvm::GetElementPtrInst& address, unsigned depth) const {
    if (address.getNumIndices() != 1) return std::nullopt;
    const auto size = element_size(address);
    return sum(of(*address.getPointerOperand(), depth), product(of(*address.getOperand(1), depth), size));
  }
  std::optional<int64_t> of_operation(const llvm::BinaryOperator& operation, unsigned depth) const {
    const auto left = of(*operation.getOperand(0), depth), right = of(*operation.getOperand(1), depth);
    if (left == 0 && right == 0) return 0;
    const auto factor = constant_of(*operation.getOperand(1));
    switch (operation.getOpcode()) {
      case Instruction::Add:
      case Instruction::Or:  // of disjoint bits, in addresses
        return sum(left, right);
      case Instruction::Sub:
        return sum(left, product(right, -1));
      case Instruction::Mul:
        return product(left, factor);
      case Instruction::Shl:
        return factor && *factor >= 0 && *factor < 32 ? product(left, int64_t{1} << *factor) : std::nullopt;
      default:
        return std::nullopt;
    }
  }
};

/// What is added to a value, the same for each lane, from one iteration of a loop to the next.
class Step : public Linear<Step> {
 public:
  explicit Step(const llvm::Loop& loop) : loop_(loop) {}

  Answer ask(const Value& value) const {
    if (loop_.isLoopInvariant(&value)) return {true, 0};
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value);
    return phi ? Answer{true, of_counter(*phi)} : Answer{};
  }

 private:
  std::optional<int64_t> of_counter(const llvm::PHINode& phi) const {
    if (phi.getParent() != loop_.getHeader()) return std::nullopt;
    const Value* at = phi.getIncomingValueForBlock(loop_.getLoopLatch());
    std::optional<int64_t> step = 0;
    while (at != &phi) {
      const auto* instruction = llvm::dyn_cast<Instruction>(at);
      const bool is_sum = instruction && instruction->getOpcode() == Instruction::Add;
      const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(at);
      if (!is_sum && !(address && address->getNumIndices() == 1)) return std::nullopt;
      step =
          sum(step, product(constant_of(*instruction->getOperand(1)), is_sum ? 1 : element_size(*address)));
      at = instruction->getOperand(0);
    }
    return step;
  }

  const llvm::Loop& loop_;
};

/// How far a value of each lane is from that of the lane before it.
class LaneDistance : public Linear<LaneDistance> {
 public:
  explicit LaneDistance(const llvm::Loop& loop) : loop_(loop) {}

  Answer ask(const Value& value) const {
    if (!value.getType()->isVectorTy()) return {true, 0};
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) return {true, of_constant(*constant)};
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value);
    return phi ? Answer{true, of_counter(*phi)} : Answer{};
  }

 private:
  /// A step is the same for all lanes, so that a counter keeps the distances with which it starts.
  std::optional<int64_t> of_counter(const llvm::PHINode& phi) const {
    if (phi.getParent() != loop_.getHeader() || !Step(loop_).of(phi)) return std::nullopt;
    const llvm::BasicBlock* before = loop_.getLoopPredecessor();
    return before ? of(*phi.getIncomingValueForBlock(before)) : std::nullopt;
  }

  static std::optional<int64_t> of_constant(const llvm::Constant& constant) {
    if (constant.getSplatValue()) return 0;
    const auto* vector = llvm::dyn_cast<llvm::ConstantDataVector>(&constant);
    if (!vector || !vector->getElementType()->isIntegerTy()) return std::nullopt;
    const auto distance = [&](unsigned i) {
      return sum(vector->getElementAsAPInt(i).getSExtValue(),
                 product(vector->getElementAsAPInt(i - 1).getSExtValue(), -1));
    };
    for (unsigned i = 2; i < vector->getNumElements(); ++i)
      if (distance(i) != distance(1)) return std::nullopt;
    return distance(1);
  }

  const llvm::Loop& loop_;
};

/// A gather in a loop whose lanes all go on by `step` bytes in each iteration, at most by the longest step.
struct Stream {
  llvm::IntrinsicInst* gather;
  int64_t step;

  /// The number of iterations in which the stream reads one line.
  uint32_t period() const {
    return static_cast<uint32_t>(std::bit_floor(std::max<uint64_t>(line / magnitude(step), 1)));
  }
  int64_t ahead() const {
    return step * static_cast<int64_t>(std::max<uint64_t>(distance / magnitude(step), 2));
  }
};

bool is_avx2_gather(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::x86_avx2_gather_q_q_256:
    case llvm::Intrinsic::x86_avx2_gather_d_q_256:
    case llvm::Intrinsic::x86_avx2_gather_q_d_256:
    case llvm::Intrinsic::x86_avx2_gather_d_d_256:
      return true;
    default:
      return false;
  }
}

/// The places of a gather: those of LLVM have a vector of addresses, those of AVX2 an address and a vector of
/// indices in units of a factor.
struct Places {
  explicit Places(const llvm::IntrinsicInst& gather)
      : base(gather.getArgOperand(is_avx2_gather(gather) ? 1 : 0)),
        indices(is_avx2_gather(gather) ? gather.getArgOperand(2) : nullptr),
        factor(indices ? static_cast<int64_t>(
                             llvm::cast<llvm::ConstantInt>(gather.getArgOperand(4))->getZExtValue())
                       : 0) {}

  template <typename Property>
  std::optional<int64_t> ask(const Property& property) const {
    const auto of_base = property.of(*base);
    return indices ? sum(of_base, product(property.of(*indices), factor)) : of_base;
  }
  /// Makes the vector of addresses.
  Value* addresses(llvm::IRBuilder<>& ir) const {
    if (!indices) return base;
    auto* type =
        llvm::FixedVectorType::get(ir.getInt64Ty(), llvm::cast<llvm::FixedVectorType>(indices->getType()));
    Value* offsets = ir.CreateMul(ir.CreateSExt(indices, type),
                                  llvm::ConstantInt::get(type, static_cast<uint64_t>(factor)));
    return ir.CreateGEP(ir.getInt8Ty(), base, offsets);
  }

  Value* base;
  Value* indices;
  int64_t factor;
};

class StreamPrefetcher {
 public:
  StreamPrefetcher(llvm::Loop& loop, llvm::ArrayRef<unsigned> near_spaces)
      : loop_(loop), near_spaces_(near_spaces) {}
  /// Finds the streams; changes nothing.
  void find();
  void run();

 private:
  void add(llvm::IntrinsicInst& gather);
  bool is_covered(const llvm::IntrinsicInst& gather) const;
  bool is_near(const Value& addresses) const;
  Value* iteration();
  Value* harmless_address(llvm::Type& type);
  void prefetch(llvm::IRBuilder<>& ir, const Stream& stream);

  llvm::Loop& loop_;
  const llvm::ArrayRef<unsigned> near_spaces_;
  llvm::MapVector<std::pair<llvm::BasicBlock*, uint32_t>, llvm::SmallVector<Stream, 4>> streams_;
  size_t found_ = 0;
  llvm::PHINode* iteration_ = nullptr;
};

/// Splits an address into one that is not a sum with a constant, and the constant.
std::pair<const Value*, std::optional<int64_t>> split(const Value* base) {
  std::optional<int64_t> offset = 0;
  while (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(base)) {
    const auto index = address->getNumIndices() == 1 ? constant_of(*address->getOperand(1)) : std::nullopt;
    if (!index) break;
    offset = sum(offset, product(index, element_size(*address)));
    base = address->getPointerOperand();
  }
  return {base, offset};
}

/// Reports whether a stream that has been found in the same block reads the same lines.
bool StreamPrefetcher::is_covered(const llvm::IntrinsicInst& gather) const {
  const Places places(gather);
  const auto [base, offset] = split(places.base);
  for (const auto& [key, group] : streams_)
    for (const Stream& stream : group) {
      const Places others(*stream.gather);
      const auto [other, at] = split(others.base);
      const auto apart = sum(offset, product(at, -1));
      if (key.first == gather.getParent() && other == base && others.indices == places.indices &&
          others.factor == places.factor && apart && magnitude(*apart) < line)
        return true;
    }
  return false;
}

/// Reports whether addresses, or what they were cast from, are of a near address space.
bool StreamPrefetcher::is_near(const Value& addresses) const {
  const Value* at = &addresses;
  while (true) {
    if (llvm::is_contained(near_spaces_, at->getType()->getPointerAddressSpace())) return true;
    if (const auto* offset = llvm::dyn_cast<llvm::GetElementPtrInst>(at))
      at = offset->getPointerOperand();
    else if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(at))
      at = cast->getPointerOperand();
    else
      return false;
  }
}

void StreamPrefetcher::add(llvm::IntrinsicInst& gather) {
  const Places places(gather);
  const auto step = places.ask(Step(loop_));
  if (!step || *step == 0 || magnitude(*step) > longest_step || is_near(*places.base)) return;
  // Lanes that are near read the same lines, which are few enough for the processor to guess.
  const auto apart = places.ask(LaneDistance(loop_));
  if (apart && magnitude(*apart) < line) return;
  if (found_ == most_gathers_in_loop || is_covered(gather)) return;
  const Stream stream{&gather, *step};
  streams_[{gather.getParent(), stream.period()}].push_back(stream);
  ++found_;
}

void StreamPrefetcher::find() {
  if (!loop_.isInnermost() || !loop_.getLoopLatch()) return;
  for (llvm::BasicBlock* block : loop_.blocks())
    for (Instruction& instruction : *block) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call && (call->getIntrinsicID() == llvm::Intrinsic::masked_gather || is_avx2_gather(*call)))
        add(*call);
    }
}

/// Returns the number of iterations of the loop that are complete.
Value* StreamPrefetcher::iteration() {
  if (iteration_) return iteration_;
  llvm::BasicBlock &header = *loop_.getHeader(), &latch = *loop_.getLoopLatch();
  llvm::IRBuilder<> ir(&header, header.begin());
  iteration_ = ir.CreatePHI(ir.getInt32Ty(), 2);
  ir.SetInsertPoint(latch.getTerminator());
  Value* next = ir.CreateAdd(iteration_, ir.getInt32(1));
  for (llvm::BasicBlock* before : llvm::predecessors(&header))
    iteration_->addIncoming(before == &latch ? next : ir.getInt32(0), before);
  return iteration_;
}

/// Returns the address of something on the stack, which costs nothing to prefetch.
Value* StreamPrefetcher::harmless_address(llvm::Type& type) {
  llvm::BasicBlock& entry = loop_.getHeader()->getParent()->getEntryBlock();
  llvm::IRBuilder<> ir(&entry, entry.getFirstInsertionPt());
  return ir.CreateAddrSpaceCast(ir.CreateAlloca(ir.getInt8Ty()), &type);
}

void StreamPrefetcher::prefetch(llvm::IRBuilder<>& ir, const Stream& stream) {
  Value* addresses = Places(*stream.gather).addresses(ir);
  addresses = ir.CreateGEP(ir.getInt8Ty(), addresses, ir.getInt64(static_cast<uint64_t>(stream.ahead())));
  auto* vector = llvm::cast<llvm::FixedVectorType>(addresses->getType());
  Value* mask = stream.gather->getArgOperand(is_avx2_gather(*stream.gather) ? 3 : 1);
  if (!mask->getType()->getScalarType()->isIntegerTy(1))
    mask = ir.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
  // Lanes that have left the loop would take memory's time from the others.
  if (!llvm::PatternMatch::match(mask, llvm::PatternMatch::m_AllOnes()))
    addresses = ir.CreateSelect(
        mask, addresses,
        ir.CreateVectorSplat(vector->getNumElements(), harmless_address(*vector->getElementType())));
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane)
    ir.CreateIntrinsic(
        llvm::Intrinsic::prefetch, {vector->getElementType()},
        {ir.CreateExtractElement(addresses, lane), ir.getInt32(0), ir.getInt32(3), ir.getInt32(1)});
}

/// The gathers of a block that read a line in equally many iterations are prefetched together, in the last of
/// these iterations. Shorter loops prefetch nothing.
void StreamPrefetcher::run() {
  for (auto& [key, group] : streams_) {
    const uint32_t period = key.second;
    Instruction* before = group.back().gather;
    if (period > 1) {
      llvm::IRBuilder<> ir(before);
      Value* is_last =
          ir.CreateICmpEQ(ir.CreateAnd(iteration(), ir.getInt32(period - 1)), ir.getInt32(period - 1));
      before = llvm::SplitBlockAndInsertIfThen(is_last, before->getIterator(), /*Unreachable=*/false);
    }
    llvm::IRBuilder<> ir(before);
    for (const Stream& stream : group) prefetch(ir, stream);
  }
}

}  // namespace

void prefetch_lane_streams(llvm::Function& wave, llvm::ArrayRef<unsigned> near_spaces) {
  const llvm::DominatorTree dominators(wave);
  const llvm::LoopInfo loops(dominators);
  std::vector<StreamPrefetcher> prefetchers;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    prefetchers.emplace_back(*loop, near_spaces);
    prefetchers.back().find();
  }
  // Blocks are split only now that no more loops are looked at.
  for (StreamPrefetcher& prefetcher : prefetchers) prefetcher.run();
}

}  // namespace heddle::finalizer::spmd
