// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions (PRM chapter 7) become one call each, with coordinates and components in memory.
#include "finalizer/lower/table.h"

namespace heddle::finalizer {
namespace {

using F = FunctionLowering;

/// The memory that TargetOperation::image gets has 32-bit words: first the coordinates, then the components.
constexpr uint64_t coordinate_words = 4, words = 8;

class ImageCall {
 public:
  ImageCall(F& f, const Instruction& i) : f_(f), i_(i), memory_(f.create_alloca(4 * words, 4, "image")) {}

  void coordinates(unsigned operand) {
    const auto elements = brig::elements(f_.module(), i_.operands[operand]);
    const auto type = static_cast<isa::Type>(i_[isa::Field::coord_type]);
    for (size_t n = 0; n < elements.size(); ++n) store(n, f_.as_bits(f_.source(elements[n], type)));
  }
  void sources(unsigned operand) {
    const auto elements = brig::elements(f_.module(), i_.operands[operand]);
    for (size_t n = 0; n < elements.size(); ++n)
      store(coordinate_words + n, f_.as_bits(f_.source(elements[n], i_.type())));
  }
  /// `detail` is the type of the coordinates, or the property that a query asks for.
  void call(llvm::Value* image, llvm::Value* sampler, unsigned detail) {
    f_.call(TargetOperation::image, {f_.i32(i_.opcode()), f_.i32(i_[isa::Field::geometry]), f_.i32(i_.type()),
                                     f_.i32(detail), image, sampler, memory_});
  }
  llvm::Value* handle(unsigned operand) {
    return f_.source(i_.operands[operand], static_cast<isa::Type>(HSA_BRIG_TYPE_B64));
  }
  void results(unsigned operand) {
    const auto elements = brig::elements(f_.module(), i_.operands[operand]);
    for (size_t n = 0; n < elements.size(); ++n) {
      llvm::Value* bits = f_.ir().CreateTrunc(load(coordinate_words + n), f_.bits_type(i_.type()));
      f_.set(elements[n], f_.from_bits(bits, i_.type()), i_.type());
    }
  }

 private:
  llvm::Value* word(uint64_t index) {
    return f_.ir().CreateGEP(f_.ir().getInt8Ty(), memory_, f_.i64(4 * index));
  }
  void store(uint64_t index, llvm::Value* bits) {
    f_.ir().CreateStore(f_.ir().CreateZExt(bits, f_.ir().getInt32Ty()), word(index));
  }
  llvm::Value* load(uint64_t index) { return f_.ir().CreateLoad(f_.ir().getInt32Ty(), word(index)); }

  F& f_;
  const Instruction& i_;
  llvm::Value* memory_;
};

void lower_rdimage(F& f, const Instruction& i) {
  ImageCall image(f, i);
  image.coordinates(3);
  image.call(image.handle(1), image.handle(2), i[isa::Field::coord_type]);
  image.results(0);
}

void lower_ldimage(F& f, const Instruction& i) {
  ImageCall image(f, i);
  image.coordinates(2);
  image.call(image.handle(1), f.i64(0), i[isa::Field::coord_type]);
  image.results(0);
}

void lower_stimage(F& f, const Instruction& i) {
  ImageCall image(f, i);
  image.sources(0);
  image.coordinates(2);
  image.call(image.handle(1), f.i64(0), i[isa::Field::coord_type]);
}

void lower_queryimage(F& f, const Instruction& i) {
  ImageCall image(f, i);
  image.call(image.handle(1), f.i64(0), i[isa::Field::image_query]);
  image.results(0);
}

void lower_querysampler(F& f, const Instruction& i) {
  ImageCall image(f, i);
  image.call(f.i64(0), image.handle(1), i[isa::Field::sampler_query]);
  image.results(0);
}

/// Needs no code, because the image calls of a work-item are executed in order and nothing moves across them.
void lower_imagefence(F&, const Instruction&) {}

constexpr LoweringEntry entries[] = {
    {HSA_BRIG_OPCODE_RDIMAGE, lower_rdimage},           {HSA_BRIG_OPCODE_LDIMAGE, lower_ldimage},
    {HSA_BRIG_OPCODE_STIMAGE, lower_stimage},           {HSA_BRIG_OPCODE_QUERYIMAGE, lower_queryimage},
    {HSA_BRIG_OPCODE_QUERYSAMPLER, lower_querysampler}, {HSA_BRIG_OPCODE_IMAGEFENCE, lower_imagefence},
};

}  // namespace

std::span<const LoweringEntry> image_lowerings() { return entries; }

}  // namespace heddle::finalizer
