// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/memory.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/DerivedTypes.h>

namespace heddle::compiler {

namespace {

using Pieces = llvm::ArrayRef<MemoryPiece>;

// Elements of one instruction: pieces of the same type that follow each other in memory, each a whole part.
size_t group_size(Pieces pieces) {
  if (!pieces[0].whole) return 1;
  const uint64_t size = bits(pieces[0].type) / 8;
  size_t count = 1;
  while (count < 4 && count < pieces.size() && pieces[count].whole && pieces[count].type == pieces[0].type &&
         pieces[count].offset == pieces[0].offset + count * size) {
    ++count;
  }
  return count;
}

std::string access_mnemonic(std::string_view stem, size_t count, const Address& address, uint64_t align,
                            Type type, const AccessModifiers& modifiers, bool is_load) {
  std::string text(stem);
  auto out = std::back_inserter(text);
  if (count > 1) fmt::format_to(out, "_v{}", count);
  if (const std::string_view segment = name(address.segment); !segment.empty())
    fmt::format_to(out, "_{}", segment);
  if (align > 1) fmt::format_to(out, "_align({})", std::min<uint64_t>(align, 256));
  const bool may_be_const =
      address.segment == Address::Segment::global || address.segment == Address::Segment::flat;
  if (is_load && may_be_const && (modifiers.constant || address.constant)) text += "_const";
  if (is_load && modifiers.uniform) text += "_width(all)";
  if (modifiers.nontemporal) text += "_nt";
  fmt::format_to(out, "_{}", name(type));
  return text;
}

Address moved(Address address, uint64_t offset) {
  address.offset += static_cast<int64_t>(offset);
  return address;
}

Scalar shifted(Builder& builder, Type type, Scalar value, std::string_view stem, unsigned amount) {
  if (amount == 0) return value;
  if (value.is_number()) return Scalar::constant(stem == "shl" ? value.bits << amount : value.bits >> amount);
  return builder.shift(stem, type, value, Scalar::constant(amount));
}

class Loader {
 public:
  Loader(Builder& builder, const Layout& layout)
      : builder_(builder), layout_(layout), parts_(layout.parts.size()) {}

  void add(const MemoryPiece& piece, Scalar loaded) {
    Scalar& part = parts_[piece.part];
    const Type type = layout_.parts[piece.part];
    if (type == Type::b1) {
      part = builder_.compare("ne", Type::u32, loaded, Scalar::constant(0));
    } else if (piece.whole) {
      part = loaded;
    } else {
      if (type == Type::u64 && bits(piece.type) < 64) loaded = builder_.convert(Type::u64, Type::u32, loaded);
      const Scalar placed = shifted(builder_, type, loaded, "shl", piece.shift);
      part = piece.shift == 0 ? placed : builder_.compute("or", bit_type(bits(type)), {part, placed});
    }
  }

  Parts take() { return std::move(parts_); }

 private:
  Builder& builder_;
  const Layout& layout_;
  Parts parts_;
};

// The bits of a part that a piece stores.
Scalar piece_of(Builder& builder, const MemoryPiece& piece, Scalar part, Type type) {
  if (type == Type::b1) {
    if (part.is_number()) return Scalar::constant(part.bits & 1);
    return builder.convert(Type::u32, Type::b1, part);
  }
  if (piece.whole) return part;
  const Scalar low = shifted(builder, type, part, "shr", piece.shift);
  if (type != Type::u64 || bits(piece.type) == 64 || low.is_number()) return low;
  return builder.convert(Type::u32, Type::u64, low);
}

}  // namespace

llvm::SmallVector<MemoryPiece, 4> memory_pieces(const Layout& layout, const llvm::DataLayout& data) {
  llvm::SmallVector<MemoryPiece, 4> pieces;
  for (const Leaf& leaf : layout.leaves) {
    uint64_t left = data.getTypeStoreSize(leaf.type);
    uint64_t offset = leaf.offset;
    for (uint32_t part = leaf.part; part < leaf.part + leaf.parts; ++part) {
      const uint64_t of_part = std::min<uint64_t>(left, 8);
      left -= of_part;
      uint64_t done = 0;
      while (done < of_part) {
        const uint64_t size = llvm::bit_floor(of_part - done);
        Type type = unsigned_type(static_cast<unsigned>(size * 8));
        if (leaf.type->isFloatTy() || leaf.type->isDoubleTy())
          type = float_type(static_cast<unsigned>(size * 8));
        // The last byte of an i65 is all that its upper part has in memory, but the register has 64 bits.
        const bool fills_register = layout.parts[part] != Type::u64 || size == 8;
        pieces.push_back(
            {offset + done, type, part, static_cast<unsigned>(done * 8), size == of_part && fills_register});
        done += size;
      }
      offset += of_part;
    }
  }
  return pieces;
}

Parts load_value(Builder& builder, const Address& address, const Layout& layout, const llvm::DataLayout& data,
                 const AccessModifiers& modifiers) {
  const auto all = memory_pieces(layout, data);
  Loader loader(builder, layout);
  for (Pieces left = all; !left.empty();) {
    const size_t count = group_size(left);
    const MemoryPiece& first = left[0];
    llvm::SmallVector<Operand, 6> operands;
    llvm::SmallVector<Scalar, 4> results;
    if (count > 1) operands.push_back(Operand::vector(static_cast<uint32_t>(count)));
    for (size_t i = 0; i < count; ++i) {
      results.push_back(builder.fresh(first.type));
      operands.push_back(Operand::definition(results.back().id, first.type));
    }
    operands.push_back(builder.address(moved(address, first.offset)));
    const uint64_t align = llvm::commonAlignment(modifiers.align, first.offset).value();
    builder.append(access_mnemonic("ld", count, address, align, first.type, modifiers, true), operands)
        .removable = true;
    for (size_t i = 0; i < count; ++i) loader.add(left[i], results[i]);
    left = left.drop_front(count);
  }
  return loader.take();
}

void store_value(Builder& builder, const Address& address, const Parts& parts, const Layout& layout,
                 const llvm::DataLayout& data, const AccessModifiers& modifiers) {
  const auto all = memory_pieces(layout, data);
  for (Pieces left = all; !left.empty();) {
    const size_t count = group_size(left);
    const MemoryPiece& first = left[0];
    llvm::SmallVector<Operand, 6> operands;
    if (count > 1) operands.push_back(Operand::vector(static_cast<uint32_t>(count)));
    for (const MemoryPiece& piece : left.take_front(count)) {
      const Scalar value = piece_of(builder, piece, parts[piece.part], layout.parts[piece.part]);
      operands.push_back(builder.source(value, piece.type));
    }
    operands.push_back(builder.address(moved(address, first.offset)));
    const uint64_t align = llvm::commonAlignment(modifiers.align, first.offset).value();
    builder.append(access_mnemonic("st", count, address, align, first.type, modifiers, false), operands);
    left = left.drop_front(count);
  }
}

}  // namespace heddle::compiler
