/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Cooperative groups: objects that stand for the work-items that work together, from some lanes of a wave to
 * the whole grid.
 *
 * A grid can only be synchronized if hipLaunchCooperativeKernel started it, and grids of several devices only
 * if hipLaunchCooperativeKernelMultiDevice did; is_valid() tells. Otherwise sync() ends the kernel with an
 * error.
 */
#ifndef HIP_COOPERATIVE_GROUPS_H_
#define HIP_COOPERATIVE_GROUPS_H_

#if defined(__HIP__) && defined(__cplusplus)

#include <hip/hip_runtime.h>

extern "C" __device__ __attribute__((convergent)) void __ockl_grid_sync(void);
extern "C" __device__ __attribute__((convergent)) void __ockl_multi_grid_sync(void);
extern "C" __device__ int __ockl_grid_is_valid(void);
extern "C" __device__ int __ockl_multi_grid_is_valid(void);
extern "C" __device__ unsigned __ockl_multi_grid_num_grids(void);
extern "C" __device__ unsigned __ockl_multi_grid_grid_rank(void);
extern "C" __device__ unsigned __ockl_multi_grid_size(void);
extern "C" __device__ unsigned __ockl_multi_grid_thread_rank(void);

namespace cooperative_groups {

#define HIP_GROUP_INLINE_ __device__ inline __attribute__((always_inline))
#define HIP_GROUP_COLLECTIVE_ __device__ inline __attribute__((always_inline, convergent))

namespace detail {

HIP_GROUP_INLINE_ unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HIP_GROUP_INLINE_ unsigned size_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

HIP_GROUP_INLINE_ unsigned rank_of_block() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
HIP_GROUP_INLINE_ unsigned blocks_of_grid() { return gridDim.x * gridDim.y * gridDim.z; }
HIP_GROUP_INLINE_ unsigned rank_in_grid() { return rank_of_block() * size_of_block() + rank_in_block(); }
HIP_GROUP_INLINE_ unsigned size_of_grid() { return blocks_of_grid() * size_of_block(); }

/* Makes what the lanes of a wave wrote visible to each other. They execute in lock-step, so that nothing has
 * to wait. */
HIP_GROUP_COLLECTIVE_ void synchronize_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

enum kind { block_kind, tile_kind, coalesced_kind, grid_kind, multi_grid_kind };

}  // namespace detail

/* Any group. */
class thread_group {
 public:
  HIP_GROUP_INLINE_ unsigned size() const { return size_; }
  HIP_GROUP_INLINE_ unsigned num_threads() const { return size_; }
  HIP_GROUP_INLINE_ unsigned thread_rank() const {
    switch (kind_) {
      case detail::block_kind:
        return detail::rank_in_block();
      case detail::tile_kind:
        return detail::rank_in_block() & (size_ - 1);
      case detail::coalesced_kind:
        return (unsigned)__builtin_popcount(lanes_ & ((1u << __lane_id()) - 1));
      case detail::grid_kind:
        return detail::rank_in_grid();
      default:
        return __ockl_multi_grid_thread_rank();
    }
  }
  HIP_GROUP_INLINE_ bool is_valid() const {
    if (kind_ == detail::grid_kind) return __ockl_grid_is_valid() != 0;
    if (kind_ == detail::multi_grid_kind) return __ockl_multi_grid_is_valid() != 0;
    return size_ != 0;
  }
  HIP_GROUP_COLLECTIVE_ void sync() const {
    switch (kind_) {
      case detail::block_kind:
        return __syncthreads();
      case detail::grid_kind:
        return __ockl_grid_sync();
      case detail::multi_grid_kind:
        return __ockl_multi_grid_sync();
      default:
        return detail::synchronize_wave();
    }
  }

 protected:
  HIP_GROUP_INLINE_ thread_group(detail::kind kind, unsigned size, unsigned lanes = ~0u)
      : kind_(kind), size_(size), lanes_(lanes) {}

  detail::kind kind_;
  unsigned size_;
  unsigned lanes_; /* of a coalesced group: the lanes of the wave that belong to it */

  friend HIP_GROUP_COLLECTIVE_ thread_group tiled_partition(const thread_group& parent, unsigned size);
};

/* All work-items of a launch. */
class grid_group : public thread_group {
 public:
  HIP_GROUP_INLINE_ static unsigned size() { return detail::size_of_grid(); }
  HIP_GROUP_INLINE_ static unsigned num_threads() { return detail::size_of_grid(); }
  HIP_GROUP_INLINE_ static unsigned thread_rank() { return detail::rank_in_grid(); }
  HIP_GROUP_INLINE_ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HIP_GROUP_INLINE_ static dim3 dim_blocks() { return group_dim(); }
  HIP_GROUP_INLINE_ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HIP_GROUP_INLINE_ static unsigned num_blocks() { return detail::blocks_of_grid(); }
  HIP_GROUP_INLINE_ static unsigned block_rank() { return detail::rank_of_block(); }
  HIP_GROUP_INLINE_ static bool is_valid() { return __ockl_grid_is_valid() != 0; }
  HIP_GROUP_COLLECTIVE_ static void sync() { __ockl_grid_sync(); }

 private:
  HIP_GROUP_INLINE_ grid_group() : thread_group(detail::grid_kind, detail::size_of_grid()) {}
  friend HIP_GROUP_INLINE_ grid_group this_grid();
};

HIP_GROUP_INLINE_ grid_group this_grid() { return grid_group(); }

/* All work-items of a launch on several devices. */
class multi_grid_group : public thread_group {
 public:
  HIP_GROUP_INLINE_ static unsigned num_grids() { return __ockl_multi_grid_num_grids(); }
  HIP_GROUP_INLINE_ static unsigned grid_rank() { return __ockl_multi_grid_grid_rank(); }
  HIP_GROUP_INLINE_ static unsigned size() { return __ockl_multi_grid_size(); }
  HIP_GROUP_INLINE_ static unsigned num_threads() { return __ockl_multi_grid_size(); }
  HIP_GROUP_INLINE_ static unsigned thread_rank() { return __ockl_multi_grid_thread_rank(); }
  HIP_GROUP_INLINE_ static bool is_valid() { return __ockl_multi_grid_is_valid() != 0; }
  HIP_GROUP_COLLECTIVE_ static void sync() { __ockl_multi_grid_sync(); }

 private:
  HIP_GROUP_INLINE_ multi_grid_group() : thread_group(detail::multi_grid_kind, __ockl_multi_grid_size()) {}
  friend HIP_GROUP_INLINE_ multi_grid_group this_multi_grid();
};

HIP_GROUP_INLINE_ multi_grid_group this_multi_grid() { return multi_grid_group(); }

/* The work-group. */
class thread_block : public thread_group {
 public:
  HIP_GROUP_INLINE_ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HIP_GROUP_INLINE_ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  HIP_GROUP_INLINE_ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  HIP_GROUP_INLINE_ static dim3 dim_threads() { return group_dim(); }
  HIP_GROUP_INLINE_ static unsigned size() { return detail::size_of_block(); }
  HIP_GROUP_INLINE_ static unsigned num_threads() { return detail::size_of_block(); }
  HIP_GROUP_INLINE_ static unsigned thread_rank() { return detail::rank_in_block(); }
  HIP_GROUP_INLINE_ static bool is_valid() { return true; }
  HIP_GROUP_COLLECTIVE_ static void sync() { __syncthreads(); }

 private:
  HIP_GROUP_INLINE_ thread_block() : thread_group(detail::block_kind, detail::size_of_block()) {}
  friend HIP_GROUP_INLINE_ thread_block this_thread_block();
};

HIP_GROUP_INLINE_ thread_block this_thread_block() { return thread_block(); }

/* `Size` neighbours of a wave, a power of two up to warpSize. `thread_block_tile<Size, Parent>` is derived
 * from `thread_block_tile<Size>`, so that functions that take the latter accept tiles of any parent. */
template <unsigned Size, typename Parent = void>
class thread_block_tile;

template <unsigned Size>
class thread_block_tile<Size, void> : public thread_group {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= warpSize,
                "the size of a tile is a power of two that is not larger than a wave");

 public:
  HIP_GROUP_INLINE_ explicit thread_block_tile(const thread_block&)
      : thread_group(detail::tile_kind, Size),
        tiles_of_parent_((detail::size_of_block() + Size - 1) / Size) {}
  template <unsigned N, typename P>
  HIP_GROUP_INLINE_ explicit thread_block_tile(const thread_block_tile<N, P>&)
      : thread_group(detail::tile_kind, Size), tiles_of_parent_(N / Size) {
    static_assert(Size <= N, "a tile of a tile is not larger than it");
  }

  HIP_GROUP_INLINE_ static constexpr unsigned size() { return Size; }
  HIP_GROUP_INLINE_ static constexpr unsigned num_threads() { return Size; }
  HIP_GROUP_INLINE_ static unsigned thread_rank() { return detail::rank_in_block() & (Size - 1); }
  /* Which of the tiles of the parent this is, and how many there are. */
  HIP_GROUP_INLINE_ unsigned meta_group_rank() const {
    return detail::rank_in_block() / Size % tiles_of_parent_;
  }
  HIP_GROUP_INLINE_ unsigned meta_group_size() const { return tiles_of_parent_; }
  HIP_GROUP_INLINE_ static bool is_valid() { return true; }
  HIP_GROUP_COLLECTIVE_ static void sync() { detail::synchronize_wave(); }

  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl(T value, int rank) const {
    return __hip_value_of_lane_(value, __hip_lane_of_part_(rank, Size));
  }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl_up(T value, unsigned delta) const {
    return __hip_value_of_lane_(value, __hip_lane_above_(delta, Size));
  }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl_down(T value, unsigned delta) const {
    return __hip_value_of_lane_(value, __hip_lane_below_(delta, Size));
  }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl_xor(T value, unsigned mask) const {
    return __hip_value_of_lane_(value, __hip_lane_across_((int)mask, Size));
  }
  /* Votes of the tile: bit i is the vote of rank i. */
  HIP_GROUP_COLLECTIVE_ unsigned long long ballot(int predicate) const {
    return part_of(__ballot(predicate));
  }
  HIP_GROUP_COLLECTIVE_ int any(int predicate) const { return ballot(predicate) != 0; }
  HIP_GROUP_COLLECTIVE_ int all(int predicate) const { return ballot(predicate) == part_of(__activemask()); }

 private:
  HIP_GROUP_INLINE_ static unsigned long long part_of(unsigned long long lanes) {
    return lanes >> (__lane_id() & ~(Size - 1)) & (~0ull >> (64 - Size));
  }
  unsigned tiles_of_parent_;
};

template <unsigned Size, typename Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
 public:
  HIP_GROUP_INLINE_ explicit thread_block_tile(const Parent& parent)
      : thread_block_tile<Size, void>(parent) {}
};

template <unsigned Size>
HIP_GROUP_INLINE_ thread_block_tile<Size, thread_block> tiled_partition(const thread_block& block) {
  return thread_block_tile<Size, thread_block>(block);
}
template <unsigned Size, unsigned N, typename Parent>
HIP_GROUP_INLINE_ thread_block_tile<Size, thread_block_tile<N, Parent>> tiled_partition(
    const thread_block_tile<N, Parent>& tile) {
  return thread_block_tile<Size, thread_block_tile<N, Parent>>(tile);
}

namespace detail {
HIP_GROUP_INLINE_ bool is_tile(unsigned size) {
  return size != 0 && (size & (size - 1)) == 0 && size <= (unsigned)warpSize;
}
/* The lanes of a group whose ranks lie in the same tile as `rank`. */
HIP_GROUP_INLINE_ unsigned tile_of_lanes(unsigned lanes, unsigned rank, unsigned size) {
  const unsigned first = rank & ~(size - 1);
  unsigned tile = 0;
  for (unsigned next = 0; lanes != 0; ++next) {
    const unsigned lane = lanes & -lanes;
    if (next >= first && next < first + size) tile |= lane;
    lanes ^= lane;
  }
  return tile;
}
}  // namespace detail

/* A tile whose size is not known when the program is compiled. An invalid group if the size is not a power of
 * two, or larger than a wave or the parent, or if the parent is a grid. */
class tiled_group : public thread_group {
 private:
  HIP_GROUP_INLINE_ explicit tiled_group(unsigned size) : thread_group(detail::tile_kind, size) {}
  friend HIP_GROUP_COLLECTIVE_ tiled_group tiled_partition(const thread_block& block, unsigned size);
  friend HIP_GROUP_COLLECTIVE_ tiled_group tiled_partition(const tiled_group& tile, unsigned size);
};
HIP_GROUP_COLLECTIVE_ tiled_group tiled_partition(const thread_block&, unsigned size) {
  return tiled_group(detail::is_tile(size) ? size : 0);
}
HIP_GROUP_COLLECTIVE_ tiled_group tiled_partition(const tiled_group& tile, unsigned size) {
  return tiled_group(detail::is_tile(size) && size <= tile.size() ? size : 0);
}
HIP_GROUP_COLLECTIVE_ thread_group tiled_partition(const thread_group& parent, unsigned size) {
  const bool in_block = parent.kind_ != detail::grid_kind && parent.kind_ != detail::multi_grid_kind;
  const bool fits = parent.kind_ != detail::tile_kind || size <= parent.size_;
  if (!detail::is_tile(size) || !in_block || !fits) return thread_group(detail::tile_kind, 0);
  if (parent.kind_ != detail::coalesced_kind) return thread_group(detail::tile_kind, size);
  const unsigned tile = detail::tile_of_lanes(parent.lanes_, parent.thread_rank(), size);
  return thread_group(detail::coalesced_kind, (unsigned)__builtin_popcount(tile), tile);
}

/* The lanes of a wave that reach this point together. */
class coalesced_group : public thread_group {
 public:
  HIP_GROUP_INLINE_ unsigned num_threads() const { return size(); }
  HIP_GROUP_INLINE_ unsigned meta_group_rank() const { return 0; }
  HIP_GROUP_INLINE_ unsigned meta_group_size() const { return 1; }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl(T value, int rank) const {
    return __hip_value_of_lane_(value, lane_of_rank((unsigned)rank % size()));
  }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __hip_value_of_lane_(value, lane_of_rank(rank < delta ? rank : rank - delta));
  }
  template <typename T>
  HIP_GROUP_COLLECTIVE_ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __hip_value_of_lane_(value, lane_of_rank(delta >= size() - rank ? rank : rank + delta));
  }
  /* Bit i of the votes is the vote of rank i. */
  HIP_GROUP_COLLECTIVE_ unsigned long long ballot(int predicate) const {
    unsigned votes = (unsigned)__ballot(predicate), lanes = lanes_;
    unsigned long long result = 0;
    for (unsigned rank = 0; lanes != 0; ++rank) {
      const unsigned lane = lanes & -lanes;
      if ((votes & lane) != 0) result |= 1ull << rank;
      lanes ^= lane;
    }
    return result;
  }
  HIP_GROUP_COLLECTIVE_ int any(int predicate) const { return ballot(predicate) != 0; }
  HIP_GROUP_COLLECTIVE_ int all(int predicate) const { return ballot(predicate) == ~0ull >> (64 - size()); }

 private:
  HIP_GROUP_INLINE_ explicit coalesced_group(unsigned lanes)
      : thread_group(detail::coalesced_kind, (unsigned)__builtin_popcount(lanes), lanes) {}
  HIP_GROUP_INLINE_ int lane_of_rank(unsigned rank) const {
    unsigned lanes = lanes_;
    for (; rank != 0; --rank) lanes &= lanes - 1;
    return __builtin_ctz(lanes);
  }
  friend HIP_GROUP_COLLECTIVE_ coalesced_group coalesced_threads();
  friend HIP_GROUP_COLLECTIVE_ coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);
  friend HIP_GROUP_COLLECTIVE_ coalesced_group binary_partition(const coalesced_group& parent,
                                                                bool predicate);
  template <unsigned Size, typename Parent>
  friend HIP_GROUP_COLLECTIVE_ coalesced_group binary_partition(const thread_block_tile<Size, Parent>& parent,
                                                                bool predicate);
};

/* The lanes of a coalesced group whose ranks lie in the same tile. */
HIP_GROUP_COLLECTIVE_ coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  if (!detail::is_tile(size)) return coalesced_group(0);
  return coalesced_group(detail::tile_of_lanes(parent.lanes_, parent.thread_rank(), size));
}

HIP_GROUP_COLLECTIVE_ coalesced_group coalesced_threads() {
  return coalesced_group((unsigned)__activemask());
}

/* Those of a group whose predicate is the same as the caller's. */
HIP_GROUP_COLLECTIVE_ coalesced_group binary_partition(const coalesced_group& parent, bool predicate) {
  const unsigned votes = (unsigned)__ballot(predicate);
  return coalesced_group(parent.lanes_ & (predicate ? votes : ~votes));
}
template <unsigned Size, typename Parent>
HIP_GROUP_COLLECTIVE_ coalesced_group binary_partition(const thread_block_tile<Size, Parent>&,
                                                       bool predicate) {
  const unsigned votes = (unsigned)__ballot(predicate), active = (unsigned)__activemask();
  const unsigned tile = (~0u >> (32 - Size)) << (__lane_id() & ~(Size - 1));
  return coalesced_group(active & tile & (predicate ? votes : ~votes));
}

/* What all groups can do, for code that takes any of them. */
template <typename Group>
HIP_GROUP_COLLECTIVE_ void sync(const Group& group) {
  group.sync();
}
template <typename Group>
HIP_GROUP_INLINE_ auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}
template <typename Group>
HIP_GROUP_INLINE_ auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <typename Group>
HIP_GROUP_INLINE_ bool is_valid(const Group& group) {
  return group.is_valid();
}

#undef HIP_GROUP_COLLECTIVE_
#undef HIP_GROUP_INLINE_

}  // namespace cooperative_groups

#include <hip/device/group_reductions.h>

#endif
#endif /* HIP_COOPERATIVE_GROUPS_H_ */
