// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen_memory.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/MDBuilder.h>

#include "finalizer/spmd/access_places.h"
#include "finalizer/spmd/gather.h"
#include "finalizer/spmd/transpose.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Align;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Type;
using llvm::Value;

/// Widens one load or store.
class Access {
 public:
  Access(Widening& widening, const Instruction& instruction)
      : w_(widening),
        ir_(widening.ir()),
        instruction_(instruction),
        address_(*llvm::getLoadStorePointerOperand(&instruction)),
        type_(*llvm::getLoadStoreType(&instruction)),
        store_(llvm::dyn_cast<llvm::StoreInst>(&instruction)),
        bytes_(static_cast<unsigned>(widening.layout().getTypeSizeInBits(&type_).getFixedValue() / 8)) {}

  void run();

 private:
  bool is_supported() const;
  bool is_simple() const;
  void guarded(const GuardedShape& guarded);
  void strided();
  void lane_by_lane();
  Parts stored_parts();
  bool is_backwards() const;
  int64_t offset_of_part(unsigned part) const;
  Value* in_order(Value* part);
  Align alignment_of_part(unsigned part) const;
  Value* address_of_part(unsigned part);
  void by_lanes();

  void uniform_load();
  void uniform_store();

  void contiguous();
  bool can_stream() const;
  void stream();
  void whole_part(unsigned part);
  void masked_part(unsigned part, Value* mask);
  void any_part(unsigned part, Value* mask);
  void part_by_lanes(unsigned part, Value* mask);
  Instruction* access_lane(unsigned part, Value* lane, Value* value);

  void scattered();
  void gather(unsigned granule);
  void scatter(unsigned granule);

  unsigned granule() const;
  llvm::FixedVectorType* granules_type(unsigned granule) const;
  void copy_facts(Instruction& made) const;
  void note_lanes(Instruction& made, unsigned part) const;

  Widening& w_;
  llvm::IRBuilder<>& ir_;
  const Instruction& instruction_;
  const Value& address_;
  Type& type_;                    // that a lane accesses
  const llvm::StoreInst* store_;  // null for loads
  const unsigned bytes_;          // of a lane
  Shape where_;                   // of the address
  Value* first_ = nullptr;        // the address of lane 0, unless it is varying
  Parts parts_;                   // what is stored, or has been loaded
};

/// Values in memory are numbers of whole bytes.
bool Access::is_supported() const {
  const Type& element = *type_.getScalarType();
  return !type_.isAggregateType() && LaneMemory::can_keep(type_) && !element.isIntegerTy(1);
}

bool Access::is_simple() const {
  return store_ ? store_->isSimple() : llvm::cast<llvm::LoadInst>(instruction_).isSimple();
}

void Access::by_lanes() {
  if (!w_.create_for_active_lanes(instruction_))
    w_.refuse(instruction_, "values of this type have no vectors");
}

void Access::run() {
  if (!is_supported()) return w_.refuse(instruction_, "vectors of this type have no place in memory");
  if (!is_simple()) return by_lanes();
  if (!store_ && !w_.is_varying(instruction_)) {
    w_.create_scalar(instruction_);  // all lanes read the same address
    return;
  }
  where_ = w_.shape(address_);
  if (const GuardedShape* shape = w_.guarded().of(instruction_))
    guarded(*shape);
  else if (where_.is_varying())
    scattered();
  else
    strided();
  if (!store_ && !parts_.empty()) w_.set_parts(instruction_, parts_);
}

/// Accesses memory at addresses with a stride.
void Access::strided() {
  if (!first_) first_ = w_.scalar(address_);
  if (where_.is_uniform())
    store_ ? uniform_store() : uniform_load();
  else if (std::abs(where_.stride) == bytes_)
    contiguous();
  else
    scattered();
}

/// Relies on a stride if the guards hold, and otherwise accesses memory for one lane after the other, which
/// is slow, but happens hardly ever.
void Access::guarded(const GuardedShape& shape) {
  BasicBlock* before = ir_.GetInsertBlock();
  const auto block = [&](const char* name, BasicBlock* next) {
    return BasicBlock::Create(ir_.getContext(), name, before->getParent(), next);
  };
  auto* end = block("guarded.end", before->getNextNode());
  auto *odd = block("guarded.odd", end), *usual = block("guarded.usual", odd);
  ir_.CreateCondBr(w_.test(shape), usual, odd, llvm::MDBuilder(ir_.getContext()).createLikelyBranchWeights());
  ir_.SetInsertPoint(odd);
  lane_by_lane();
  const Parts from_odd = parts_;
  BasicBlock* odd_end = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(usual);
  where_ = shape.shape;
  first_ = w_.value_of_lane(address_, nullptr);
  strided();
  BasicBlock* usual_end = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(end);
  if (store_) return;
  for (unsigned p = 0; p < parts_.size(); ++p) {
    auto* joined = ir_.CreatePHI(parts_[p]->getType(), 2);
    joined->addIncoming(from_odd[p], odd_end);
    joined->addIncoming(parts_[p], usual_end);
    parts_[p] = joined;
  }
}

/// Returns the values of which a vector is made, or nothing if it is made in another way.
llvm::SmallVector<const Value*, 4> elements_of_vector(const Value& vector) {
  llvm::SmallVector<const Value*, 4> elements;
  if (!vector.getType()->isVectorTy()) return elements;
  elements.resize(elements_of(*vector.getType()));
  const Value* rest = &vector;
  while (const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(rest)) {
    const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insertion->getOperand(2));
    if (!index || index->uge(elements.size())) return {};
    const Value*& element = elements[index->getZExtValue()];
    if (!element) element = insertion->getOperand(1);
    rest = insertion->getOperand(0);
  }
  if (llvm::is_contained(elements, nullptr)) return {};
  return elements;
}

/// Puts the elements of vectors in their order at once, because LLVM does not find out what a chain of
/// insertions does to a wave.
Parts Access::stored_parts() {
  const Value& value = *store_->getValueOperand();
  const auto elements = elements_of_vector(value);
  if (elements.size() < 2) return w_.parts(value);
  Parts parts;
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    llvm::SmallVector<Value*, 4> pieces;
    for (const Value* element : elements) pieces.push_back(w_.parts(*element)[p]);
    parts.push_back(create_vectors_of_lanes(ir_, pieces, w_.wave()));
  }
  return parts;
}

/// Facts about the memory hold for all lanes. Others, such as a range of the value, would need care.
void Access::copy_facts(Instruction& made) const {
  made.copyMetadata(instruction_, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                                   llvm::LLVMContext::MD_invariant_load});
}

/// Notes that an instruction accesses memory for all lanes of a part, one behind the other.
void Access::note_lanes(Instruction& made, unsigned part) const {
  if (bytes_ > UINT8_MAX) return;
  const unsigned lanes = w_.wave().part_lanes, first = part * lanes;
  codeobject::AccessedLanes accessed;
  accessed.form = codeobject::AccessedLanes::Form::consecutive;
  accessed.descending = is_backwards();
  accessed.first = static_cast<uint8_t>(is_backwards() ? first + lanes - 1 : first);
  accessed.count = static_cast<uint8_t>(lanes);
  accessed.lane_bytes = static_cast<uint8_t>(bytes_);
  made.setDebugLoc(place_with_lanes(made.getDebugLoc(), accessed));
}

// ---- one address

void Access::uniform_load() {
  Instruction* made = instruction_.clone();
  made->setOperand(0, first_);
  parts_.assign(w_.wave().parts(), create_splat(ir_, ir_.Insert(made), w_.wave()));
}

/// Stores what the last lane would leave there.
void Access::uniform_store() {
  const Value& value = *store_->getValueOperand();
  Instruction* made = store_->clone();
  made->setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);  // for so few bytes it would not pay
  if (w_.is_uniform(value)) {
    made->setOperand(0, w_.scalar(value));
  } else {
    Value* last = w_.masks().last(ir_, w_.mask_of(instruction_));
    made->setOperand(0, extract_lane(ir_, w_.memory(), w_.parts(value), last, type_));
  }
  made->setOperand(1, first_);
  ir_.Insert(made);
}

// ---- consecutive addresses

/// Where the first lane of a part accesses memory. That lane need not be active, so the alignment that the
/// program promises says only how the active lanes are aligned.
Align Access::alignment_of_part(unsigned part) const {
  Align promised = llvm::getLoadStoreAlignment(&instruction_);
  if (!w_.has_all_lanes(instruction_)) promised = llvm::commonAlignment(promised, bytes_);
  const uint64_t known = std::min<uint64_t>(where_.alignment, 4096);
  return llvm::commonAlignment(std::max(promised, Align(known)), static_cast<uint64_t>(offset_of_part(part)));
}

bool Access::is_backwards() const { return where_.stride < 0; }

/// Returns how many bytes a part begins behind lane 0. With a negative stride it begins with its last lane.
int64_t Access::offset_of_part(unsigned part) const {
  const unsigned lanes = w_.wave().part_lanes, first = part * lanes;
  const auto bytes = static_cast<int64_t>(bytes_);
  return is_backwards() ? -bytes * (first + lanes - 1) : bytes * first;
}

/// Turns round the lanes of a part, or of a mask, as they lie in memory, if that is backwards.
Value* Access::in_order(Value* part) {
  if (!is_backwards()) return part;
  const unsigned lanes = w_.wave().part_lanes, elements = elements_of(*part->getType()) / lanes;
  llvm::SmallVector<int, 64> places;
  for (unsigned lane = lanes; lane-- > 0;)
    for (unsigned e = 0; e < elements; ++e) places.push_back(static_cast<int>(lane * elements + e));
  return ir_.CreateShuffleVector(part, places);
}

Value* Access::address_of_part(unsigned part) {
  return ir_.CreatePtrAdd(first_, ir_.getInt64(static_cast<uint64_t>(offset_of_part(part))));
}

/// Reports whether the program asks for a store past the caches, and parts are such as the machine has for
/// that: one or more of its vectors.
bool Access::can_stream() const {
  constexpr unsigned shortest_vector = 32;
  const unsigned size = bytes_ * w_.wave().part_lanes;
  return store_ && store_->hasMetadata(llvm::LLVMContext::MD_nontemporal) && w_.has_all_lanes(instruction_) &&
         llvm::isPowerOf2_32(size) && size >= shortest_vector;
}

/// Stores all parts past the caches if they are aligned, as the machine demands. Nothing is known of that
/// when a kernel is compiled, but most buffers are.
void Access::stream() {
  const uint64_t size = uint64_t{bytes_} * w_.wave().part_lanes;
  BasicBlock* before = ir_.GetInsertBlock();
  const auto block = [&](const char* name, BasicBlock* next) {
    return BasicBlock::Create(ir_.getContext(), name, before->getParent(), next);
  };
  auto* end = block("stream.end", before->getNextNode());
  auto *cached = block("stream.cached", end), *past = block("stream.past", cached);
  Value* address = ir_.CreatePtrToInt(address_of_part(0), ir_.getInt64Ty());
  Value* is_aligned = ir_.CreateIsNull(ir_.CreateAnd(address, size - 1));
  ir_.CreateCondBr(is_aligned, past, cached, llvm::MDBuilder(ir_.getContext()).createLikelyBranchWeights());
  ir_.SetInsertPoint(past);
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    Instruction* made = ir_.CreateAlignedStore(in_order(parts_[p]), address_of_part(p), Align(size));
    copy_facts(*made);
    note_lanes(*made, p);
    made->copyMetadata(instruction_, {llvm::LLVMContext::MD_nontemporal});
  }
  ir_.CreateBr(end);
  ir_.SetInsertPoint(cached);
  for (unsigned p = 0; p < w_.wave().parts(); ++p) whole_part(p);
  ir_.CreateBr(end);
  ir_.SetInsertPoint(end);
}

void Access::contiguous() {
  if (store_) parts_ = stored_parts();
  if (can_stream()) return stream();
  const bool is_whole = w_.has_all_lanes(instruction_);
  const Parts mask = is_whole ? Parts() : w_.mask_of(instruction_);
  if (!store_) parts_.resize(w_.wave().parts());
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    if (is_whole)
      whole_part(p);
    else if (granule() != 0)
      masked_part(p, mask[p]);
    else
      any_part(p, mask[p]);
  }
  if (!is_whole && granule() == 0) w_.note_costly(instruction_, CostlyOperation::Kind::lane_by_lane);
}

void Access::whole_part(unsigned part) {
  Type* type = part_type(type_, w_.wave());
  const Align align = alignment_of_part(part);
  Instruction* made;
  if (store_)
    made = ir_.CreateAlignedStore(in_order(parts_[part]), address_of_part(part), align);
  else
    made = ir_.CreateAlignedLoad(type, address_of_part(part), align);
  copy_facts(*made);
  note_lanes(*made, part);
  if (!store_) parts_[part] = in_order(made);
}

/// Returns the size in bytes of the elements that the machine can access under a mask and that make up the
/// value of a lane, or 0 if there are none. Elements as they are in the type are preferred.
unsigned Access::granule() const {
  const auto own = static_cast<unsigned>(w_.layout().getTypeStoreSize(type_.getScalarType()).getFixedValue());
  const auto is_maskable = [&](unsigned size) {
    return size == 4 || size == 8 || (w_.has_mask_registers() && size < 8);
  };
  if (is_maskable(own)) return own;
  for (const unsigned size : {8u, 4u})
    if (bytes_ % size == 0) return size;
  return 0;
}

/// Returns the type of a part as granules.
llvm::FixedVectorType* Access::granules_type(unsigned granule) const {
  llvm::FixedVectorType* type = part_type(type_, w_.wave());
  if (w_.layout().getTypeStoreSize(type->getElementType()) == granule) return type;
  return llvm::FixedVectorType::get(ir_.getIntNTy(8 * granule), w_.wave().part_lanes * bytes_ / granule);
}

void Access::masked_part(unsigned part, Value* mask) {
  llvm::FixedVectorType* type = granules_type(granule());
  const Align align = alignment_of_part(part);
  Value* bits = create_repeated(ir_, in_order(w_.masks().bits(ir_, mask)), bytes_ / granule());
  llvm::CallInst* made;
  if (store_) {
    made = ir_.CreateMaskedStore(ir_.CreateBitCast(in_order(parts_[part]), type), address_of_part(part),
                                 align, bits);
  } else {
    made = ir_.CreateMaskedLoad(type, address_of_part(part), align, bits);
    parts_[part] = in_order(ir_.CreateBitCast(made, part_type(type_, w_.wave())));
  }
  copy_facts(*made);
  note_lanes(*made, part);
}

/// Accesses the part as a whole if all of its lanes are active, and otherwise lane by lane.
void Access::any_part(unsigned part, Value* mask) {
  llvm::Function* function = ir_.GetInsertBlock()->getParent();
  BasicBlock* before = ir_.GetInsertBlock();
  auto* end = BasicBlock::Create(ir_.getContext(), "part.end", function, before->getNextNode());
  auto* some = BasicBlock::Create(ir_.getContext(), "part.some", function, end);
  auto* whole = BasicBlock::Create(ir_.getContext(), "part.whole", function, some);
  ir_.CreateCondBr(w_.masks().all(ir_, {mask}), whole, some);
  ir_.SetInsertPoint(some);
  part_by_lanes(part, mask);
  Value* from_some = parts_[part];
  BasicBlock* some_end = ir_.GetInsertBlock();
  ir_.CreateBr(end);
  ir_.SetInsertPoint(whole);
  whole_part(part);
  ir_.CreateBr(end);
  ir_.SetInsertPoint(end);
  if (store_) return;
  auto* joined = ir_.CreatePHI(parts_[part]->getType(), 2);
  joined->addIncoming(from_some, some_end);
  joined->addIncoming(parts_[part], whole);
  parts_[part] = joined;
}

/// Accesses the active lanes of a part one after the other. A loaded part has anything in the other lanes.
void Access::part_by_lanes(unsigned part, Value* mask) {
  Parts parts(w_.wave().parts(), llvm::PoisonValue::get(part_type(type_, w_.wave())));
  if (!store_ && !type_.isVectorTy()) {
    parts_[part] = fold_active_lanes(
        ir_, w_.masks(), {mask}, ActiveLanes::perhaps_none, parts[0], [&](Value* lane, Value* before) {
          return insert_lane(ir_, before, lane, access_lane(part, lane, nullptr));
        });
  } else {
    const LaneMemory::Array array(w_.memory(), type_);
    if (store_) parts[0] = parts_[part];
    if (store_) array.store(ir_, parts);
    for_each_active_lane(ir_, w_.masks(), {mask}, ActiveLanes::perhaps_none, [&](Value* lane) {
      Value* made = access_lane(part, lane, store_ ? array.load_lane(ir_, lane) : nullptr);
      if (!store_) array.store_lane(ir_, lane, made);
    });
    if (!store_) parts_[part] = array.load(ir_).front();
  }
}

/// Loads or stores the value of one lane of a part.
Instruction* Access::access_lane(unsigned part, Value* lane, Value* value) {
  const int64_t begin = where_.stride * part * w_.wave().part_lanes;
  Value* offset = ir_.CreateMul(ir_.CreateZExt(lane, ir_.getInt64Ty()),
                                ir_.getInt64(static_cast<uint64_t>(where_.stride)));
  offset = ir_.CreateAdd(offset, ir_.getInt64(static_cast<uint64_t>(begin)));
  Value* address = ir_.CreatePtrAdd(first_, offset);
  const Align align = llvm::getLoadStoreAlignment(&instruction_);
  Instruction* made;
  if (value)
    made = ir_.CreateAlignedStore(value, address, align);
  else
    made = ir_.CreateAlignedLoad(&type_, address, align);
  copy_facts(*made);
  return made;
}

// ---- any addresses

/// Accesses memory at a guarded address, which has no parts. A loaded value is anything in lanes that are not
/// active.
void Access::lane_by_lane() {
  const LaneMemory::Array array(w_.memory(), type_);
  if (store_) array.store(ir_, stored_parts());
  for_each_active_lane(ir_, w_.masks(), w_.mask_of(instruction_), active_lanes(instruction_),
                       [&](Value* lane) {
                         Instruction* made = instruction_.clone();
                         made->setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
                         if (store_) made->setOperand(0, array.load_lane(ir_, lane));
                         made->setOperand(store_ ? 1 : 0, w_.value_of_lane(address_, lane));
                         ir_.Insert(made);
                         if (!store_) array.store_lane(ir_, lane, made);
                       });
  if (!store_) parts_ = array.load(ir_);
}

void Access::scattered() {
  const unsigned size = granule();
  const bool fits = size == 4 || size == 8;
  if (store_) parts_ = stored_parts();
  if (!store_ && fits && bytes_ / size <= 4) return gather(size);
  if (store_ && bytes_ == size && fits && w_.has_mask_registers()) return scatter(size);
  by_lanes();
  parts_.clear();  // by_lanes() has set the result
}

/// Gathers the granules of all lanes, one of each lane at a time, and puts those of a lane together.
void Access::gather(unsigned granule) {
  const Parts mask = w_.mask_of(instruction_);
  llvm::FixedVectorType* type = granules_type(granule);
  const unsigned count = bytes_ / granule, lanes = w_.wave().part_lanes;
  Gather gather(w_, address_, *type->getElementType(), llvm::getLoadStoreAlignment(&instruction_));
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    llvm::SmallVector<Value*, 4> pieces;
    for (unsigned i = 0; i < count; ++i)
      pieces.push_back(gather.load(p, mask[p], i * granule, [&](Instruction& made) { copy_facts(made); }));
    Value* all = llvm::concatenateVectors(ir_, pieces);
    if (count > 1) all = ir_.CreateShuffleVector(all, llvm::createInterleaveMask(lanes, count));
    parts_.push_back(ir_.CreateBitCast(all, part_type(type_, w_.wave())));
  }
  w_.note_costly(instruction_, CostlyOperation::Kind::gather);
}

void Access::scatter(unsigned granule) {
  const Parts mask = w_.masks().bits(ir_, w_.mask_of(instruction_)), addresses = w_.parts(address_);
  llvm::FixedVectorType* type = granules_type(granule);
  for (unsigned p = 0; p < w_.wave().parts(); ++p) {
    auto* made = ir_.CreateMaskedScatter(ir_.CreateBitCast(parts_[p], type), addresses[p],
                                         llvm::getLoadStoreAlignment(&instruction_), mask[p]);
    copy_facts(*made);
    note_elements(*made, p * w_.wave().part_lanes, w_.wave().part_lanes);
  }
  w_.note_costly(instruction_, CostlyOperation::Kind::scatter);
}

}  // namespace

void widen_load(Widening& widening, const llvm::LoadInst& load) { Access(widening, load).run(); }

void widen_store(Widening& widening, const llvm::StoreInst& store) { Access(widening, store).run(); }

void widen_alloca(Widening& widening, const llvm::AllocaInst& variable) {
  const auto size = variable.getAllocationSize(widening.layout());
  if (!variable.isStaticAlloca() || !size)
    return widening.refuse(variable, "the size of a variable on the stack is not known");
  auto& ir = widening.ir();
  const WaveShape& wave = widening.wave();
  const uint64_t stride = llvm::alignTo(size->getFixedValue(), variable.getAlign());
  auto* memory = new llvm::AllocaInst(
      llvm::ArrayType::get(ir.getInt8Ty(), stride * wave.lanes), variable.getAddressSpace(), nullptr,
      variable.getAlign(), variable.getName(), widening.result().function->getEntryBlock().begin());
  if (!widening.is_varying(variable)) {
    assert(widening.shape(variable).stride == static_cast<int64_t>(stride) &&
           "each lane has a variable of its own");
    return widening.set_scalar(variable, memory);
  }
  auto* index = llvm::cast<llvm::IntegerType>(widening.layout().getIndexType(variable.getType()));
  Parts parts;
  for (unsigned p = 0; p < wave.parts(); ++p)
    parts.push_back(
        ir.CreateGEP(ir.getInt8Ty(), memory,
                     lane_multiples(*index, p * wave.part_lanes, static_cast<int64_t>(stride), wave)));
  widening.set_vectors(variable, parts);
}

}  // namespace heddle::finalizer::spmd
