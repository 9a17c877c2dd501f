// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __ockl_*, what HIP's headers call of the device besides mathematical functions. Waves are HIP's warps.

size_t __ockl_get_global_id(uint d) { return get_global_id(d); }
size_t __ockl_get_local_id(uint d) { return get_local_id(d); }
size_t __ockl_get_group_id(uint d) { return get_group_id(d); }
size_t __ockl_get_global_size(uint d) { return get_global_size(d); }
size_t __ockl_get_local_size(uint d) { return get_local_size(d); }
size_t __ockl_get_num_groups(uint d) { return get_num_groups(d); }

// Words of group memory for functions that only those work-items call which have not ended (group_memory.c).
enum { REDUCED, LEADER };
local uint* __heddle_live_words(void);

uint __ockl_lane_u32(void) { return __hsail_laneid_u32(); }
COLLECTIVE uint __ockl_activelane_u32(void) { return __hsail_activelaneid_u32(); }
COLLECTIVE bool __ockl_wfany_i32(int predicate) { return sub_group_any(predicate); }
COLLECTIVE bool __ockl_wfall_i32(int predicate) { return sub_group_all(predicate); }

// A barrier as of HIP, which does not wait for work-items that have ended: the compiler knows it by the instruction of AMD's processors.
static COLLECTIVE void meet_live(memory_scope scope) {
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_release, scope);
  __builtin_amdgcn_s_barrier();
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acquire, scope);
}

// Reductions over those work-items of the work-group that have not ended, behind __syncthreads_count, _and and _or. Nobody knows which these are,
// so each wave adds what its active lanes have to one word.
#define LIVE_REDUCTION(OP) \
  COLLECTIVE int __ockl_wgred_##OP##_i32(int value) { \
    local atomic_int* total = (local atomic_int*)&__heddle_live_words()[REDUCED]; \
    int of_wave = sub_group_non_uniform_reduce_##OP(value); \
    bool is_first = __hsail_activelaneid_u32() == 0; \
    if (is_first) __opencl_atomic_store(total, IDENTITY_##OP(int), memory_order_relaxed, memory_scope_work_group); \
    meet_live(memory_scope_work_group); \
    if (is_first) __opencl_atomic_fetch_##OP(total, of_wave, memory_order_relaxed, memory_scope_work_group); \
    meet_live(memory_scope_work_group); \
    int result = __opencl_atomic_load(total, memory_order_relaxed, memory_scope_work_group); \
    meet_live(memory_scope_work_group); \
    return result; \
  }
LIVE_REDUCTION(add)
LIVE_REDUCTION(and)
LIVE_REDUCTION(or)

uchar __ockl_clz_u8(uchar x) { return clz(x); }
ushort __ockl_clz_u16(ushort x) { return clz(x); }
uint __ockl_clz_u32(uint x) { return clz(x); }
ulong __ockl_clz_u64(ulong x) { return clz(x); }

// The low 24 bits of each factor count, whatever is above them.
uint __ockl_mul24_u32(uint x, uint y) { return (x & 0xffffff) * (y & 0xffffff); }
int __ockl_mul24_i32(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
uint __ockl_mul_hi_u32(uint x, uint y) { return mul_hi(x, y); }
int __ockl_mul_hi_i32(int x, int y) { return mul_hi(x, y); }
uint __ockl_sadd_u32(uint x, uint y, uint sum) { return __hsail_sad_u32_u32(x, y, sum); }

// Dot products with an addend, which saturate if the last argument is true.
static int add_signed(long product, int sum, bool saturates) {
  long exact = product + sum;
  return saturates ? convert_int_sat(exact) : (int)exact;
}
static uint add_unsigned(ulong product, uint sum, bool saturates) {
  ulong exact = product + sum;
  return saturates ? convert_uint_sat(exact) : (uint)exact;
}
int __ockl_sdot2(short2 a, short2 b, int sum, bool saturates) {
  return add_signed((long)a.x * b.x + (long)a.y * b.y, sum, saturates);
}
uint __ockl_udot2(ushort2 a, ushort2 b, uint sum, bool saturates) {
  return add_unsigned((ulong)a.x * b.x + (ulong)a.y * b.y, sum, saturates);
}
int __ockl_sdot4(char4 a, char4 b, int sum, bool saturates) { return add_signed(dot(a, b), sum, saturates); }
uint __ockl_udot4(uchar4 a, uchar4 b, uint sum, bool saturates) { return add_unsigned(dot(a, b), sum, saturates); }
int __ockl_sdot8(int a, int b, int sum, bool saturates) {
  int products = 0;
  for (uint shift = 0; shift < 32; shift += 4) products += ((a << (28 - shift)) >> 28) * ((b << (28 - shift)) >> 28);
  return add_signed(products, sum, saturates);
}
uint __ockl_udot8(uint a, uint b, uint sum, bool saturates) {
  uint products = 0;
  for (uint shift = 0; shift < 32; shift += 4) products += ((a >> shift) & 15) * ((b >> shift) & 15);
  return add_unsigned(products, sum, saturates);
}
float __ockl_fdot2(half2 a, half2 b, float sum, bool saturates) {
  float result = fma((float)a.x, (float)b.x, fma((float)a.y, (float)b.y, sum));
  return saturates ? clamp(result, 0.0f, 1.0f) : result;
}

void __ockl_atomic_add_noret_f32(float* object, float value) {
  __opencl_atomic_fetch_add((atomic_float*)object, value, memory_order_relaxed, memory_scope_device);
}

// HIP's headers declare OpenCL's fence under this name, with the same numbers.
void __atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  atomic_work_item_fence(flags, order, scope);
}

// Ticks of clock64() in 65536 ticks of the device's clock; 0 before the host has said. Volatile, because the host stores
// to it behind the compiler's back.
static global volatile uint __heddle_clock_ratio;

long __heddle_clock64(void) {
  const ulong now = __builtin_readcyclecounter();
  const ulong ratio = __heddle_clock_ratio;
  // The product of all bits could exceed 64.
  return (long)(ratio == 0 ? now : (now >> 16) * ratio + ((now & 0xffff) * ratio >> 16));
}
