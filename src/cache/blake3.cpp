// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::cache {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

using Words = Blake3::Words;

constexpr size_t block_size = 64;
constexpr Words start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
enum Flags : uint32_t { chunk_start = 1, chunk_end = 2, parent = 4, root = 8 };

void mix(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d, uint32_t x, uint32_t y) {
  a += b + x;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 12);
  a += b + y;
  d = std::rotr(d ^ a, 8);
  c += d;
  b = std::rotr(b ^ c, 7);
}

void mix_all(uint32_t (&v)[16], const uint32_t (&m)[16]) {
  mix(v[0], v[4], v[8], v[12], m[0], m[1]);
  mix(v[1], v[5], v[9], v[13], m[2], m[3]);
  mix(v[2], v[6], v[10], v[14], m[4], m[5]);
  mix(v[3], v[7], v[11], v[15], m[6], m[7]);
  mix(v[0], v[5], v[10], v[15], m[8], m[9]);
  mix(v[1], v[6], v[11], v[12], m[10], m[11]);
  mix(v[2], v[7], v[8], v[13], m[12], m[13]);
  mix(v[3], v[4], v[9], v[14], m[14], m[15]);
}

/// The chaining value behind a block of so many bytes.
Words compressed(const Words& before, const std::byte* bytes, uint64_t number, size_t size, uint32_t flags) {
  constexpr unsigned rounds = 7;
  constexpr uint8_t order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  uint32_t v[16], block[16] = {};
  if (size != 0) std::memcpy(block, bytes, size);
  std::ranges::copy(before, v);
  std::copy_n(start.begin(), 4, v + 8);
  v[12] = static_cast<uint32_t>(number);
  v[13] = static_cast<uint32_t>(number >> 32);
  v[14] = static_cast<uint32_t>(size);
  v[15] = flags;
  for (unsigned round = 1;; ++round) {
    mix_all(v, block);
    if (round == rounds) break;
    uint32_t next[16];
    for (size_t i = 0; i < 16; ++i) next[i] = block[order[i]];
    std::copy_n(next, 16, block);
  }
  Words after;
  for (size_t i = 0; i < after.size(); ++i) after[i] = v[i] ^ v[i + 8];
  return after;
}

/// The chaining value of a chunk, or the digest if it is the root.
Words digested_chunk(std::span<const std::byte> bytes, uint64_t number, uint32_t flags) {
  Words chain = start;
  size_t at = 0;
  for (; at + block_size < bytes.size(); at += block_size)
    chain = compressed(chain, bytes.data() + at, number, block_size, at == 0 ? chunk_start : 0);
  return compressed(chain, bytes.data() + at, number, bytes.size() - at,
                    flags | chunk_end | (at == 0 ? chunk_start : 0));
}

/// The chaining value of two subtrees, or the digest if they are the whole tree.
Words joined(const Words& left, const Words& right, uint32_t flags) {
  std::byte block[block_size];
  std::memcpy(block, left.data(), sizeof left);
  std::memcpy(block + sizeof left, right.data(), sizeof right);
  return compressed(start, block, 0, block_size, flags | parent);
}

}  // namespace

/// Adds the chaining value of the next chunk, and joins the subtrees that are whole by it.
void Blake3::add(Words chunk) {
  for (uint64_t count = ++chunks_; (count & 1) == 0; count >>= 1) {
    chunk = joined(tree_.back(), chunk, 0);
    tree_.pop_back();
  }
  tree_.push_back(chunk);
}

void Blake3::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (filled_ == chunk_size) {
      add(digested_chunk(chunk_, chunks_, 0));
      filled_ = 0;
    }
    for (; filled_ == 0 && bytes.size() > chunk_size; bytes = bytes.subspan(chunk_size))
      add(digested_chunk(bytes.first(chunk_size), chunks_, 0));
    const size_t taken = std::min(bytes.size(), chunk_size - filled_);
    std::memcpy(chunk_.data() + filled_, bytes.data(), taken);
    filled_ += taken;
    bytes = bytes.subspan(taken);
  }
}

Blake3::Digest Blake3::value() const {
  Words top = digested_chunk(std::span(chunk_).first(filled_), chunks_, tree_.empty() ? root : 0);
  for (size_t i = tree_.size(); i-- > 0;) top = joined(tree_[i], top, i == 0 ? root : 0);
  Digest digest;
  std::memcpy(digest.data(), top.data(), digest.size());
  return digest;
}

}  // namespace heddle::cache
