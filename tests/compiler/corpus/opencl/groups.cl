// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items, work-groups and sub-groups: IDs, local memory, barriers, collective functions, asynchronous copies.
#define AT get_global_id(0)
#define ME get_local_id(0)
#define SIZE get_local_size(0)
#define MEET barrier(CLK_LOCAL_MEM_FENCE)

kernel void ids_in_three_dimensions(global uint* out) {
  const size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  out[at] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_group_id(0) + 10000 * get_group_id(1) +
            100000 * get_group_id(2) + 1000000 * get_num_groups(0);
}
kernel void linear_ids(global uint2* out) {
  out[get_global_linear_id()] = (uint2)(get_local_linear_id(), get_enqueued_local_size(0) * 100 + get_local_size(0));
}
kernel void dimensions(global uint* out) {
  out[0] = get_work_dim();
  out[1] = get_global_size(1);
  out[2] = get_global_size(7);
  out[3] = get_global_offset(0);
  out[4] = get_num_groups(2);
}
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required_size(global uint* out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
}
kernel __attribute__((work_group_size_hint(16, 1, 1))) __attribute__((vec_type_hint(float4))) void hints(global uint* out) { out[AT] = SIZE; }
kernel void reduce_tree(global int* out, global const int* in, local int* sums) {
  sums[ME] = in[AT];
  MEET;
  for (size_t half_size = SIZE / 2; half_size > 0; half_size /= 2) {
    if (ME < half_size) sums[ME] += sums[ME + half_size];
    MEET;
  }
  if (ME == 0) out[get_group_id(0)] = sums[0];
}
kernel void scan_steps(global int* out, global const int* in) {
  local int a[64], b[64];
  local int *from = a, *to = b;
  from[ME] = in[AT];
  MEET;
  for (size_t step = 1; step < SIZE; step *= 2) {
    to[ME] = from[ME] + (ME >= step ? from[ME - step] : 0);
    MEET;
    local int* const swapped = from;
    from = to;
    to = swapped;
  }
  out[AT] = from[ME];
}
kernel void scan_by_tree(global uint* out, global const uint* in, local uint* t) {
  t[2 * ME] = in[2 * AT];
  t[2 * ME + 1] = in[2 * AT + 1];
  const uint n = 2 * SIZE;
  uint offset = 1;
  for (uint d = n / 2; d > 0; d /= 2) {
    MEET;
    if (ME < d) t[offset * (2 * ME + 2) - 1] += t[offset * (2 * ME + 1) - 1];
    offset *= 2;
  }
  if (ME == 0) t[n - 1] = 0;
  for (uint d = 1; d < n; d *= 2) {
    offset /= 2;
    MEET;
    if (ME < d) {
      const uint low = offset * (2 * ME + 1) - 1, high = offset * (2 * ME + 2) - 1;
      const uint x = t[low];
      t[low] = t[high];
      t[high] += x;
    }
  }
  MEET;
  out[2 * AT] = t[2 * ME];
  out[2 * AT + 1] = t[2 * ME + 1];
}
kernel void bitonic_sort(global float* data, local float* t) {
  t[ME] = data[AT];
  for (uint k = 2; k <= SIZE; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      MEET;
      const uint other = ME ^ j;
      if (other > ME) {
        const bool upwards = (ME & k) == 0;
        const float a = t[ME], b = t[other];
        if ((a > b) == upwards) {
          t[ME] = b;
          t[other] = a;
        }
      }
    }
  MEET;
  data[AT] = t[ME];
}
kernel void odd_even_sort(global short* data) {
  local short t[32];
  t[ME] = data[AT];
  for (uint round = 0; round < SIZE; ++round) {
    MEET;
    if (ME % 2 == round % 2 && ME + 1 < SIZE && t[ME] > t[ME + 1]) {
      const short x = t[ME];
      t[ME] = t[ME + 1];
      t[ME + 1] = x;
    }
  }
  MEET;
  data[AT] = t[ME];
}
kernel void transpose(global float* out, global const float* in, uint width, uint height) {
  local float tile[8][9];
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
  MEET;
  const uint tx = get_group_id(1) * 8 + get_local_id(0), ty = get_group_id(0) * 8 + get_local_id(1);
  if (tx < height && ty < width) out[ty * height + tx] = tile[get_local_id(0)][get_local_id(1)];
}
kernel void matrix_product(global int* out, global const int* a, global const int* b, int n) {
  local int ta[4][4], tb[4][4];
  const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int k = 0; k < n; k += 4) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    MEET;
    for (int i = 0; i < 4; ++i) sum += ta[y][i] * tb[i][x];
    MEET;
  }
  out[row * n + column] = sum;
}
kernel void histogram(global uint* out, global const uchar* in, uint n) {
  local uint bins[16];
  if (ME < 16) bins[ME] = 0;
  MEET;
  for (uint i = AT; i < n; i += get_global_size(0)) atomic_inc(&bins[in[i] / 16]);
  MEET;
  if (ME < 16) atomic_add(&out[ME], bins[ME]);
}
kernel void stencil(global int* out, global const int* in, uint n) {
  local int t[34];
  t[ME + 1] = in[AT];
  if (ME == 0) t[0] = AT > 0 ? in[AT - 1] : 0;
  if (ME == SIZE - 1) t[SIZE + 1] = AT + 1 < n ? in[AT + 1] : 0;
  MEET;
  out[AT] = t[ME] / 4 + t[ME + 1] / 2 + t[ME + 2] / 4;
}
kernel void two_local_arguments(global float* out, global const float* in, local float* a, local char* b) {
  a[SIZE - 1 - ME] = in[AT];
  b[ME] = (char)ME;
  MEET;
  out[AT] = a[ME] + b[SIZE - 1 - ME];
}
kernel void local_vectors(global int4* out, global const int4* in, local int4* t) {
  t[ME] = in[AT];
  MEET;
  out[AT] = (int4)(t[ME ^ 1].x, t[ME ^ 2].y, t[ME ^ 3].z, t[0].w);
}
kernel void local_struct(global long* out, global const long* in) {
  local struct { long values[32]; int count; } s;
  if (ME == 0) s.count = 0;
  MEET;
  s.values[ME] = in[AT];
  if (in[AT] > 0) atomic_inc(&s.count);
  MEET;
  out[AT] = s.values[(ME + 5) % 32] ^ s.count;
}
kernel void group_functions(global long* out, global const long* in) {
  const long x = in[AT] / 1024;
  out[8 * AT] = work_group_reduce_add(x);
  out[8 * AT + 1] = work_group_reduce_max(x);
  out[8 * AT + 2] = work_group_reduce_min(x);
  out[8 * AT + 3] = work_group_scan_inclusive_add(x);
  out[8 * AT + 4] = work_group_scan_exclusive_add(x);
  out[8 * AT + 5] = work_group_broadcast(x, 3);
  out[8 * AT + 6] = work_group_any(x == 1);
  out[8 * AT + 7] = work_group_all(x > -1000000);
}
kernel void sub_group_sums(global int* out, global const int* in) {
  const int total = sub_group_reduce_add(in[AT] / 16);
  const int before = sub_group_scan_exclusive_add(in[AT] / 16);
  const int first = sub_group_broadcast(before, 0);
  // What all sub-groups find out together does not depend on their size.
  local int sum;
  if (ME == 0) sum = 0;
  MEET;
  if (get_sub_group_local_id() == 0) atomic_add(&sum, total + first);
  MEET;
  out[AT] = sum + (sub_group_all(before <= total || total < 0 || before > 0) ? 0 : 1);
}
kernel void async_copies(global int* out, global const int* in, local int* t) {
  event_t e = async_work_group_copy(t, in + get_group_id(0) * 100, 100, 0);
  wait_group_events(1, &e);
  for (size_t i = ME; i < 100; i += SIZE) t[i] = t[i] / 2 + 1;
  MEET;
  e = async_work_group_copy(out + get_group_id(0) * 100, t, 100, 0);
  wait_group_events(1, &e);
}
kernel void async_strided(global float2* out, global const float2* in, local float2* t) {
  event_t events[2];
  events[0] = async_work_group_strided_copy(t, in, 20, 3, 0);
  events[1] = async_work_group_strided_copy(t + 20, in + 1, 20, 3, 0);
  wait_group_events(2, events);
  event_t e = async_work_group_strided_copy(out, t, 40, 2, 0);
  wait_group_events(1, &e);
}
kernel void prefetches(global int* out, global const int* in) {
  prefetch(in + get_group_id(0) * SIZE, SIZE);
  out[AT] = in[AT];
}
kernel void fences(global int* out, local int* t) {
  t[ME] = (int)AT;
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  out[AT] = t[SIZE - 1 - ME];
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  const int neighbour = out[AT - ME + (ME + 1) % SIZE];
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[AT] = neighbour;
}
