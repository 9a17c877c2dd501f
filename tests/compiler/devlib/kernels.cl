// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call the functions of the device library. Each work-item writes a row of results, which the tests compute, too.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void ids(global ulong* out, uint dimension) {
  global ulong* row = out + get_global_linear_id() * 12;
  row[0] = get_global_id(dimension);
  row[1] = get_local_id(dimension);
  row[2] = get_group_id(dimension);
  row[3] = get_global_size(dimension);
  row[4] = get_local_size(dimension);
  row[5] = get_num_groups(dimension);
  row[6] = get_enqueued_local_size(dimension);
  row[7] = get_global_offset(dimension);
  row[8] = get_work_dim();
  row[9] = get_local_linear_id();
  row[10] = get_num_sub_groups() * get_max_sub_group_size() >= get_local_size(0) * get_local_size(1) * get_local_size(2);
  row[11] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}

kernel void sub_group_sizes(global uint* out) {
  global uint* row = out + get_global_linear_id() * 4;
  row[0] = get_sub_group_size();
  row[1] = sub_group_reduce_add(1u);
  row[2] = get_max_sub_group_size();
  row[3] = get_enqueued_num_sub_groups();
}

// Scans and reductions of the whole sub-group.
kernel void sub_group_scans(global const int* in, global int* out) {
  size_t i = get_global_id(0);
  global int* row = out + i * 10;
  row[0] = sub_group_scan_inclusive_add(in[i]);
  row[1] = sub_group_scan_exclusive_add(in[i]);
  row[2] = sub_group_reduce_add(in[i]);
  row[3] = sub_group_scan_inclusive_max(in[i]);
  row[4] = sub_group_scan_exclusive_min(in[i]);
  row[5] = sub_group_reduce_min(in[i]);
  row[6] = sub_group_broadcast(in[i], get_sub_group_size() - 1);
  row[7] = sub_group_any(in[i] == 0);
  row[8] = sub_group_all(in[i] >= -50);
  row[9] = get_sub_group_local_id();
}

// The same of those work-items only whose value is not a multiple of 3.
kernel void non_uniform(global const int* in, global int* out) {
  size_t i = get_global_id(0);
  global int* row = out + i * 12;
  row[11] = get_sub_group_local_id();
  if (in[i] % 3 != 0) {
    row[0] = sub_group_non_uniform_scan_inclusive_add(in[i]);
    row[1] = sub_group_non_uniform_scan_exclusive_add(in[i]);
    row[2] = sub_group_non_uniform_reduce_add(in[i]);
    row[3] = sub_group_non_uniform_scan_exclusive_mul(in[i]);
    row[4] = sub_group_non_uniform_reduce_xor(in[i]);
    row[5] = sub_group_clustered_reduce_add(in[i], 4 < get_max_sub_group_size() ? 4 : get_max_sub_group_size());
    row[6] = sub_group_broadcast_first(in[i]);
    row[7] = sub_group_elect();
    row[8] = sub_group_non_uniform_all_equal(in[i]);
    row[9] = sub_group_ballot_bit_count(sub_group_ballot(in[i] > 0));
    row[10] = sub_group_non_uniform_scan_inclusive_logical_or(in[i] > 30);
  }
}

kernel void shuffles(global const double* in, global double* out) {
  size_t i = get_global_id(0);
  uint lane = get_sub_group_local_id();
  global double* row = out + i * 6;
  row[0] = sub_group_shuffle(in[i], get_sub_group_size() - 1 - lane);
  row[1] = sub_group_shuffle_xor(in[i], 1);
  row[2] = sub_group_shuffle_up(in[i], 1);
  row[3] = sub_group_shuffle_down(in[i], 1);
  row[4] = sub_group_rotate(in[i], 1);
  row[5] = sub_group_broadcast((half)in[i], 0);
}

kernel void ballots(global uint* out, uint threshold) {
  size_t i = get_global_id(0);
  uint lane = get_sub_group_local_id();
  global uint* row = out + i * 10;
  uint4 ballot = sub_group_ballot(lane >= threshold);
  row[0] = sub_group_inverse_ballot(ballot);
  row[1] = sub_group_ballot_bit_count(ballot);
  row[2] = sub_group_ballot_inclusive_scan(ballot);
  row[3] = sub_group_ballot_exclusive_scan(ballot);
  row[4] = sub_group_ballot_find_lsb(ballot);
  row[5] = sub_group_ballot_find_msb(ballot);
  row[6] = sub_group_ballot_bit_count(get_sub_group_lt_mask());
  row[7] = sub_group_ballot_bit_count(get_sub_group_ge_mask());
  row[8] = sub_group_ballot_bit_extract(get_sub_group_eq_mask(), lane);
  row[9] = get_sub_group_size();
}

#define GROUP_SCANS(T) \
  kernel void group_scans_##T(global const T* in, global T* out) { \
    size_t i = get_global_linear_id(); \
    global T* row = out + i * 8; \
    row[0] = work_group_scan_inclusive_add(in[i]); \
    row[1] = work_group_scan_exclusive_add(in[i]); \
    row[2] = work_group_reduce_add(in[i]); \
    row[3] = work_group_scan_inclusive_max(in[i]); \
    row[4] = work_group_scan_exclusive_min(in[i]); \
    row[5] = work_group_reduce_min(in[i]); \
    row[6] = work_group_broadcast(in[i], get_local_size(0) - 1, get_local_size(1) - 1); \
    row[7] = work_group_any(in[i] == 1) + 2 * work_group_all(in[i] > -40); \
  }
GROUP_SCANS(int)
GROUP_SCANS(ulong)
GROUP_SCANS(float)
GROUP_SCANS(double)

// Values travel through group memory: each work-item reads what its neighbour has written.
kernel void barriers(global int* out, local int* unused) {
  local int values[256];
  size_t i = get_local_id(0);
  int value = (int)get_global_id(0);
  for (int round = 0; round < 5; round++) {
    values[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = values[(i + 1) % get_local_size(0)] + 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  }
  out[get_global_id(0)] = value;
}

// A message goes from work-group 0 to the others, which wait for it: those with lower numbers have started.
kernel void fences(global int* data, global atomic_int* flag, global int* out) {
  if (get_group_id(0) == 0) {
    if (get_local_id(0) == 0) {
      *data = 42;
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
      atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
  } else if (get_local_id(0) == 0) {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0) {}
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    out[get_group_id(0)] = *data;
  }
}

kernel void copies(global const float* in, global float* out) {
  local float tile[100];
  local float4 vectors[25];
  event_t event = async_work_group_copy(tile, in, 100, 0);
  event = async_work_group_strided_copy(vectors, (global const float4*)in, 12, 2, event);
  wait_group_events(1, &event);
  for (size_t i = get_local_id(0); i < 100; i += get_local_size(0)) tile[i] *= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  global float* mine = out + get_group_id(0) * 152;  // vectors are aligned to 16 bytes
  event = async_work_group_copy(mine, tile, 100, 0);
  event = async_work_group_copy((global float4*)(mine + 100), vectors, 12, event);
  wait_group_events(1, &event);
}

kernel void atomics(global atomic_int* counter, global atomic_float* sum, global atomic_uint* maximum, global atomic_ulong* address,
                    global int* out, global atomic_int* taken) {
  uint i = get_global_id(0);
  atomic_fetch_add(counter, 3);
  atomic_fetch_add_explicit(sum, 0.5f, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit(maximum, i, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add(address, (long)-1);
  int expected = 0;
  out[i] = atomic_compare_exchange_strong(taken, &expected, (int)i + 1);
}

kernel void integers(global uint* out) {
  uint i = get_global_id(0);
  global uint* row = out + i * 12;
  row[0] = bitfield_insert(i * 0x01010101u, 0x5au, 4, 8);
  row[1] = bitfield_extract_unsigned(i * 0x01010101u, 5, 9);
  row[2] = bitfield_extract_signed(i * 0x01010101u, 5, 9);
  row[3] = bit_reverse(i * 0x01010101u);
  row[4] = dot(as_uchar4(i * 0x01030507u), as_uchar4(0x04030201u));
  row[5] = dot_acc_sat(as_char4(i * 0x01030507u), as_char4(0x7f7f7f7fu), 0x7fffff00);
  row[6] = amd_bitalign(i, 0x12345678u, 8u);
  row[7] = amd_sad(i * 0x01030507u, 0x10203040u, 5u);
  row[8] = amd_pack((float4)(i, i + 0.5f, -1.0f, 300.0f));
  row[9] = amd_lerp(i * 0x01010101u, 0x03030303u, 0x01010101u);
  row[10] = bit_reverse((ushort)i);
  row[11] = bitfield_insert((uchar)0, (uchar)i, 2, 3);
}

kernel void address_spaces(global int* out) {
  local int shared;
  int own;
  shared = 1;
  own = 2;
  int* pointers[3];
  pointers[0] = out;
  pointers[1] = (int*)&shared;
  pointers[2] = (int*)&own;
  for (int i = 0; i < 3; i++) {
    out[i * 4] = to_global(pointers[i]) != 0;
    out[i * 4 + 1] = to_local(pointers[i]) != 0;
    out[i * 4 + 2] = to_private(pointers[i]) != 0;
    out[i * 4 + 3] = get_fence(pointers[i]);
  }
}

kernel void native_functions(global const float* in, global float* out) {
  size_t i = get_global_id(0);
  global float* row = out + i * 8;
  float x = in[i];
  row[0] = native_sin(x);
  row[1] = native_cos(x);
  row[2] = native_exp(x);
  row[3] = native_log(x);
  row[4] = native_sqrt(x);
  row[5] = native_recip(x);
  row[6] = native_powr(x, 1.5f);
  row[7] = half_exp(x);
}

kernel void prints(int scale) {
  int i = (int)get_global_id(0);
  printf("item %d: %v4hlf %s\n", i, (float4)(i * scale, 0.5f, -1, 2), "text");
}

kernel void images(read_only image2d_t in, sampler_t given, write_only image2d_t out, global float4* results, global int* sizes) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  size_t i = get_global_linear_id();
  results[i * 4] = read_imagef(in, nearest, at);
  results[i * 4 + 1] = read_imagef(in, nearest, at - 1);
  results[i * 4 + 2] = read_imagef(in, linear, convert_float2(at) + 1.0f);
  results[i * 4 + 3] = read_imagef(in, given, (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(in)));
  write_imagef(out, at, results[i * 4] * 0.5f);
  if (i == 0) {
    sizes[0] = get_image_width(in);
    sizes[1] = get_image_height(out);
    sizes[2] = get_image_channel_data_type(in) == CLK_FLOAT;
    sizes[3] = get_image_channel_order(in) == CLK_RGBA;
  }
}

// What libclc 22 gets wrong: saturated sums with products of 0 and negative numbers, or that overflow, and conversions of NaNs.
kernel void saturation(global const long* in, global long* out) {
  size_t i = get_global_id(0);
  long a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
  global long* row = out + i * 6;
  row[0] = mad_sat(a, b, c);
  row[1] = mad_sat((int)a, (int)b, (int)c);
  long3 vector = mad_sat((long3)(a, 0, b), (long3)(b, a, c), (long3)(c, b, a));
  row[2] = vector.y;
  row[3] = vector.z;
  float nan = as_float(0x7fc00000 | (int)(a & 1));
  row[4] = convert_uint_sat(nan) + convert_char_sat_rtn((double)nan);
  row[5] = convert_long_sat_rte(nan * 1e30f) + convert_int_sat(as_half((ushort)0x7e00));
}
