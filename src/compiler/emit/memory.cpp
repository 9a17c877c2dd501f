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

// Elements of less than 32 bits that fill aligned words are accessed as these words, since each access costs
// as much as one of a word.
struct Words {
  size_t count = 0;     // of words, at most 4
  size_t elements = 0;  // of each word
};

// Arguments of functions need no memory.
Words words_of(Pieces pieces, const Address& address, llvm::Align align) {
  const unsigned of_one = bits(pieces[0].type);
  if (of_one >= 32 || address.segment == Address::Segment::arg ||
      llvm::commonAlignment(align, pieces[0].offset) < 4)
    return {};
  const size_t elements = 32 / of_one;
  size_t count = 0;
  for (; count < 4 && pieces.size() >= elements && group_size(pieces.take_front(elements)) == elements;
       ++count) {
    const bool follows = count == 0 || pieces[0].offset == pieces.data()[-1].offset + of_one / 8;
    if (bits(pieces[0].type) != of_one || !follows) break;
    pieces = pieces.drop_front(elements);
  }
  return {count, elements};
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
  if (modifiers.equivalence != 0) fmt::format_to(out, "_equiv({})", modifiers.equivalence);
  // Also where only some of the work-items of a group come by: the modifier speaks of those that are active
  // (PRM 2.12.2).
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

// Word that stands for several elements.
MemoryPiece word_at(uint64_t offset) { return {offset, Type::u32, 0, 0, true}; }

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

namespace {

// Loads elements with one instruction.
llvm::SmallVector<Scalar, 4> load_elements(Builder& builder, const Address& address, const MemoryPiece& first,
                                           size_t count, const AccessModifiers& modifiers) {
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
  return results;
}

// Takes a word apart into elements, and appends these.
void split_word(Builder& builder, Scalar word, unsigned of_one, llvm::SmallVectorImpl<Scalar>& elements) {
  for (unsigned place = 0; place < 32; place += of_one) {
    if (place == 0) {
      elements.push_back(builder.truncated(word, of_one));
    } else if (place + of_one == 32) {
      elements.push_back(builder.shift("shr", Type::u32, word, Scalar::constant(place)));
    } else {
      elements.push_back(builder.compute("bitextract", Type::u32,
                                         {word, Scalar::constant(place), Scalar::constant(of_one)}));
    }
    builder.note_piece(elements.back(), word, place, of_one);
  }
}

void store_elements(Builder& builder, const Address& address, const MemoryPiece& first,
                    llvm::ArrayRef<Scalar> values, const AccessModifiers& modifiers) {
  llvm::SmallVector<Operand, 6> operands;
  if (values.size() > 1) operands.push_back(Operand::vector(static_cast<uint32_t>(values.size())));
  for (const Scalar& value : values) operands.push_back(builder.source(value, first.type));
  operands.push_back(builder.address(moved(address, first.offset)));
  const uint64_t align = llvm::commonAlignment(modifiers.align, first.offset).value();
  builder.append(access_mnemonic("st", values.size(), address, align, first.type, modifiers, false),
                 operands);
}

bool is_half(const Layout& layout, uint32_t part) {
  const auto* const leaf =
      llvm::partition_point(layout.leaves, [&](const Leaf& l) { return l.part <= part; }) - 1;
  return leaf->type->isHalfTy();
}

// Puts elements together in a word.
Scalar word_of(Builder& builder, llvm::ArrayRef<Scalar> values, unsigned of_one, bool halves) {
  Scalar word = builder.word_of_pieces(values);
  if (word.is_register()) return word;
  // What lies above the bits of the last one moves out of the word.
  word = values.back();
  for (Scalar low : llvm::reverse(values.drop_back())) {
    // The upper bits of a register that holds a half are undefined (PRM 4.13).
    if (halves) low = builder.truncated(low, of_one);
    const Scalar high = shifted(builder, Type::u32, word, "shl", of_one);
    if (high.is_number() && low.is_number()) {
      word = Scalar::constant(high.bits | low.bits);
    } else {
      word = high.is_number(0)  ? low
             : low.is_number(0) ? high
                                : builder.compute("or", Type::b32, {high, low});
    }
  }
  return word;
}

}  // namespace

Parts load_value(Builder& builder, const Address& address, const Layout& layout, const llvm::DataLayout& data,
                 const AccessModifiers& modifiers) {
  const auto all = memory_pieces(layout, data);
  Loader loader(builder, layout);
  for (Pieces left = all; !left.empty();) {
    const Words words = words_of(left, address, modifiers.align);
    const MemoryPiece& first = left[0];
    llvm::SmallVector<Scalar, 16> results;
    if (words.count != 0) {
      for (const Scalar word : load_elements(builder, address, word_at(first.offset), words.count, modifiers))
        split_word(builder, word, bits(first.type), results);
    } else {
      results.append(load_elements(builder, address, first, group_size(left), modifiers));
    }
    for (size_t i = 0; i < results.size(); ++i) loader.add(left[i], results[i]);
    left = left.drop_front(results.size());
  }
  return loader.take();
}

void store_value(Builder& builder, const Address& address, const Parts& parts, const Layout& layout,
                 const llvm::DataLayout& data, const AccessModifiers& modifiers) {
  const auto all = memory_pieces(layout, data);
  for (Pieces left = all; !left.empty();) {
    const Words words = words_of(left, address, modifiers.align);
    const size_t count = words.count != 0 ? words.count * words.elements : group_size(left);
    llvm::SmallVector<Scalar, 16> values;
    for (const MemoryPiece& piece : left.take_front(count))
      values.push_back(piece_of(builder, piece, parts[piece.part], layout.parts[piece.part]));
    MemoryPiece first = left[0];
    if (words.count != 0) {
      llvm::SmallVector<Scalar, 16> joined;
      for (size_t i = 0; i < count; i += words.elements)
        joined.push_back(word_of(builder, llvm::ArrayRef(values).slice(i, words.elements), bits(first.type),
                                 is_half(layout, left[i].part)));
      values = joined;
      first = word_at(first.offset);
    }
    store_elements(builder, address, first, values, modifiers);
    left = left.drop_front(count);
  }
}

}  // namespace heddle::compiler
