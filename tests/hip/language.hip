// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for the functions that heddle's headers of HIP define.
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <type_traits>

#include "language.h"

namespace groups = cooperative_groups;

static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "vectors of three are not aligned to four elements");
static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(char2) == 2 && alignof(double4) == 32, "");
static_assert(!std::is_convertible<float, float4>::value && std::is_constructible<float4, float>::value,
              "functions of programs that take vectors must not compete with those that take elements");
static_assert(std::is_same<decltype(std::thread::hardware_concurrency()), unsigned>::value, "hip_runtime.h has std::thread");
/* Elements of other types, also between braces, as programs write them for AMD's headers. */
__host__ __device__ constexpr float4 of_integers(int i, unsigned u) { return float4{i, u, 2.5, 'a'}; }
static_assert(of_integers(-1, 7).x == -1 && of_integers(-1, 7).y == 7 && of_integers(0, 0).z == 2.5F, "");
static_assert(std::is_same<uchar, unsigned char>::value && std::is_same<ushort, unsigned short>::value &&
                  std::is_same<uint, unsigned>::value && std::is_same<ulong, unsigned long>::value &&
                  std::is_same<ullong, unsigned long long>::value,
              "AMD's headers have short names of unsigned types");
static_assert(sizeof(__half2) == 4 && sizeof(hip_bfloat16) == 2 && sizeof(__hip_bfloat162) == 4, "");

namespace {

__device__ int number() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void integers(uint32_t* to, const uint32_t* pairs, int count) {
  const int i = number();
  if (i >= count) return;
  const uint32_t a = pairs[2 * i], b = pairs[2 * i + 1];
  const uint64_t wide = uint64_t(a) << 32 | b;
  uint32_t* r = to + 16 * i;
  r[0] = __popc(a) | __popcll(wide) << 8;
  r[1] = unsigned(__clz(int(a))) | unsigned(__clzll(int64_t(wide))) << 8;
  r[2] = unsigned(__ffs(a)) | unsigned(__ffsll(wide)) << 8;
  r[3] = __brev(a);
  r[4] = uint32_t(__brevll(wide));
  r[5] = __byte_perm(a, b, a >> 7);
  r[6] = __funnelshift_l(a, b, a >> 3);
  r[7] = __funnelshift_rc(a, b, b & 63);
  r[8] = uint32_t(__hadd(int(a), int(b)));
  r[9] = __urhadd(a, b);
  r[10] = uint32_t(__mul24(int(a), int(b)));
  r[11] = __umulhi(a, b);
  r[12] = uint32_t(__mulhi(int(a), int(b)));
  r[13] = uint32_t(__umul64hi(wide, wide));
  r[14] = __usad(a, b, 7) + __sad(int(a), int(b), 9);
  r[15] = __bitinsert_u32(a, b, a & 31, b & 31) ^ __bitextract_u32(a, b & 31, a & 15);
}

__global__ void conversions(uint64_t* to, const double* from, int count) {
  const int i = number();
  if (i >= count) return;
  const double x = from[i];
  const float f = float(x);
  uint64_t* r = to + 16 * i;
  r[0] = uint32_t(__double2int_rn(x));
  r[1] = uint32_t(__double2int_rz(x));
  r[2] = uint32_t(__double2int_ru(x));
  r[3] = uint32_t(__double2int_rd(x));
  r[4] = __double2uint_rn(x);
  r[5] = uint64_t(__double2ll_rn(x));
  r[6] = __double2ull_rz(x);
  r[7] = uint32_t(__float2int_rn(f));
  r[8] = __float2uint_ru(f);
  r[9] = uint64_t(__float2ll_rd(f));
  r[10] = __float2ull_rn(f);
  r[11] = __float_as_uint(__double2float_rn(x));
  r[12] = __float_as_uint(__double2float_rz(x));
  r[13] = __float_as_uint(__double2float_ru(x));
  r[14] = __float_as_uint(__double2float_rd(x));
  r[15] = uint64_t(__double_as_longlong(__hiloint2double(__double2hiint(x), __double2loint(x))));
}

__global__ void real_conversions(uint64_t* to, const int64_t* from, int count) {
  const int i = number();
  if (i >= count) return;
  const int64_t x = from[i];
  uint64_t* r = to + 8 * i;
  r[0] = __float_as_uint(__ll2float_rn(x));
  r[1] = __float_as_uint(__ll2float_rz(x));
  r[2] = __float_as_uint(__ll2float_ru(x));
  r[3] = __float_as_uint(__ll2float_rd(x));
  r[4] = uint64_t(__double_as_longlong(__ll2double_ru(x)));
  r[5] = uint64_t(__double_as_longlong(__ull2double_rd(uint64_t(x))));
  r[6] = __float_as_uint(__int2float_rd(int(x)));
  r[7] = __float_as_uint(__uint2float_rz(uint32_t(x)));
}

/// Its conversions lead to the functions of halves, which arguments of its own type do not find.
struct ConvertsToHalf {
  __half value;
  __device__ operator __half() const { return value; }
};
struct ConvertsToHalf2 {
  __half2 value;
  __device__ operator __half2() const { return value; }
};

__global__ void halves(uint16_t* to, const uint16_t* pairs, int count) {
  const int i = number();
  if (i >= count) return;
  const __half a = __ushort_as_half(pairs[2 * i]), b = __ushort_as_half(pairs[2 * i + 1]);
  uint16_t* r = to + 12 * i;
  r[0] = __half_as_ushort(a + b);
  r[1] = __half_as_ushort(__hsub(ConvertsToHalf{a}, ConvertsToHalf{b}));
  r[2] = __low2half(__hmul2(ConvertsToHalf2{__half2half2(a)}, ConvertsToHalf2{__halves2half2(b, a)})).__x;
  r[3] = __half_as_ushort(a / b);
  r[4] = __half_as_ushort(__hfma(a, b, a));
  r[5] = __half_as_ushort(__hmin(a, b));
  r[6] = __half_as_ushort(__hmax(a, b));
  r[7] = __half_as_ushort(hsqrt(ConvertsToHalf{a}));
  r[8] = __hlt(ConvertsToHalf{a}, ConvertsToHalf{b});
  r[9] = __hgeu(a, b);
  r[10] = __half_as_ushort(__hmin_nan(a, b));
  r[11] = __high2half(__hmax2_nan(__half2half2(a), __half2half2(b))).__x;
}

__global__ void pair_atomics(__half2* halves, __hip_bfloat162* brains) {
  atomicAdd(halves, __half2(__half(1.0f), __half(2.0f)));
  unsafeAtomicAdd(brains, __hip_bfloat162{__hip_bfloat16(1.0f), __hip_bfloat16(0.5f)});
}

__global__ void half_conversions(uint16_t* to, const float* from, int count) {
  const int i = number();
  if (i >= count) return;
  const float x = from[i];
  uint16_t* r = to + 8 * i;
  r[0] = __float2half_rn(x).__x;
  r[1] = __float2half_rz(x).__x;
  r[2] = __float2half_ru(x).__x;
  r[3] = __float2half_rd(x).__x;
  r[4] = __float2bfloat16_rn(x).__x;
  r[5] = __float2bfloat16_rz(x).__x;
  r[6] = __float2bfloat16_ru(x).__x;
  r[7] = hip_bfloat16(x).data;
}

__global__ void warps(int* to) {
  const int i = number(), value = 3 * i + 1;
  int* r = to + 8 * i;
  r[0] = __shfl(value, 5);
  r[1] = __shfl_up(value, 3, 16);
  r[2] = __shfl_down(value, 7);
  r[3] = __shfl_xor(value, 9);
  r[4] = int(__shfl(double(value), 40, 8));
  r[5] = int(__ballot(i % 3 == 0));
  r[6] = __any(i == 40) | __all(i < 32) << 1 | int(__lane_id()) << 2;
  r[7] = i % 2 ? int(__activemask()) : __popcll(__ballot(1));
}

__global__ void cooperative(int* to) {
  const int i = number();
  int* r = to + 10 * i;
  const groups::thread_block block = groups::this_thread_block();
  const auto tile = groups::tiled_partition<8>(block);
  r[0] = int(block.size() + 1000 * block.thread_rank());
  r[1] = int(tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size());
  r[2] = tile.shfl_down(i, 3);
  r[3] = int(tile.ballot(i % 2));
  r[4] = tile.any(i == 17) | tile.all(i < 16) << 1;
  const groups::thread_group dynamic = groups::tiled_partition(block, 16);
  dynamic.sync();
  r[5] = int(groups::thread_rank(dynamic) + 100 * groups::group_size(dynamic));
  r[6] = r[7] = r[8] = -1;
  if (i % 4 == 1) {
    const groups::coalesced_group some = groups::coalesced_threads();
    r[6] = int(some.size() + 100 * some.thread_rank());
    r[7] = some.shfl(i, 2);
    r[8] = some.shfl_up(i, 1);
  }
  block.sync();
  r[9] = groups::tiled_partition(block, 3).is_valid();
}

__global__ void atomics(int* c) {
  const int i = number();
  atomicAdd(&c[0], i);
  atomicSub(&c[1], 2);
  atomicMin(&c[2], i - 100);
  atomicMax(reinterpret_cast<unsigned*>(&c[3]), unsigned(i));
  atomicAnd(&c[4], ~(1 << (i % 8)));
  atomicOr(&c[5], 1 << (i % 30));
  atomicXor(&c[6], i);
  atomicInc(reinterpret_cast<unsigned*>(&c[7]), 99);
  atomicAdd(reinterpret_cast<float*>(&c[8]), 0.5f);
  safeAtomicMin(reinterpret_cast<float*>(&c[9]), 3.5f - float(i));
  unsafeAtomicMax(reinterpret_cast<float*>(&c[10]), float(i) + 0.5f);
  safeAtomicMax(reinterpret_cast<double*>(&c[12]), double(i) + 0.25);
}

__global__ void ids(unsigned* to) {
  const dim3 place = blockIdx;
  const uint3 item = threadIdx;
  const unsigned rank =
      ((place.z * gridDim.y + place.y) * gridDim.x + place.x) * blockDim.x * blockDim.y * blockDim.z +
      (item.z * blockDim.y + item.y) * blockDim.x + item.x;
  unsigned* r = to + 4 * rank;
  r[0] = place.x + 100 * place.y + 10000 * place.z;
  r[1] = item.x + 100 * item.y + 10000 * item.z;
  r[2] = blockDim.x + 100 * blockDim.y + 10000 * blockDim.z;
  r[3] = gridDim.x + 100 * gridDim.y + 10000 * gridDim.z;
}

__global__ void reductions(int* to, int limit) {
  const int i = number();
  const int count = __syncthreads_count(i < limit), all = __syncthreads_and(i < limit), any = __syncthreads_or(i < limit);
  if (i == 0) {
    to[0] = count;
    to[1] = all;
    to[2] = any;
  }
}

__global__ void clocks(long long* to) {
  to[0] = wall_clock64();
  to[1] = clock64();
  to[2] = wall_clock64();
  while (wall_clock64() - to[2] < 1000) {
  }
  to[3] = wall_clock64();
  to[4] = clock64();
  to[5] = wall_clock64();
}
__global__ void vectors(float* to) {
  const float3 a = make_float3(1, 2, 3);
  float3 b = 2.0f * a - 1;
  b += a;
  b /= make_float3(2, 4, 8);
  const int2 shifted = make_int2(5, 9) << 1;
  int4 counted = make_int4(1, 2, 3, 4);
  counted++;
  const hipDoubleComplex z = hipCdiv(make_hipDoubleComplex(3, 4), make_hipDoubleComplex(1, 2));
  const float values[12] = {b.x,
                            b.y,
                            b.z,
                            float(shifted.x),
                            float(shifted.y),
                            float(counted.w),
                            float(a == make_float3(1, 2, 3)),
                            float((-a).y),
                            float(z.x),
                            float(z.y),
                            float(hipCabs(make_hipDoubleComplex(3, 4))),
                            rsqrtf(16.0f)};
  for (int i = 0; i < 12; ++i) to[i] = values[i];
}

hipError_t finished() {
  const hipError_t started = hipGetLastError();
  return started == hipSuccess ? hipDeviceSynchronize() : started;
}

int blocks(int count) { return (count + 63) / 64; }

}  // namespace

extern "C" {
hipError_t run_integers(uint32_t* to, const uint32_t* pairs, int count) {
  integers<<<blocks(count), 64>>>(to, pairs, count);
  return finished();
}
hipError_t run_conversions(uint64_t* to, const double* from, int count) {
  conversions<<<blocks(count), 64>>>(to, from, count);
  return finished();
}
hipError_t run_real_conversions(uint64_t* to, const int64_t* from, int count) {
  real_conversions<<<blocks(count), 64>>>(to, from, count);
  return finished();
}
hipError_t run_pair_atomics(uint16_t* to) {
  pair_atomics<<<8, 32>>>(reinterpret_cast<__half2*>(to), reinterpret_cast<__hip_bfloat162*>(to + 2));
  return finished();
}
hipError_t run_halves(uint16_t* to, const uint16_t* pairs, int count) {
  halves<<<blocks(count), 64>>>(to, pairs, count);
  return finished();
}
hipError_t run_half_conversions(uint16_t* to, const float* from, int count) {
  half_conversions<<<blocks(count), 64>>>(to, from, count);
  return finished();
}
hipError_t run_warps(int* to) {
  warps<<<1, 64>>>(to);
  return finished();
}
hipError_t run_groups(int* to) {
  cooperative<<<1, 64>>>(to);
  return finished();
}
hipError_t run_atomics(int* counters) {
  atomics<<<4, 64>>>(counters);
  return finished();
}
hipError_t run_ids(unsigned* to, dim3 grid, dim3 block) {
  hipLaunchKernelGGL(ids, grid, block, 0, nullptr, to);
  return finished();
}
hipError_t run_reductions(int* to, int limit) {
  reductions<<<1, 64>>>(to, limit);
  return finished();
}
hipError_t run_clocks(long long* to) {
  clocks<<<1, 1>>>(to);
  return finished();
}
hipError_t run_vectors(float* to) {
  vectors<<<1, 1>>>(to);
  return finished();
}
}
