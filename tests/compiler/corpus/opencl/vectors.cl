// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of 2 to 16 elements, reinterpretation (OpenCL C 6.4.4), vector loads and stores (6.15.8), shuffles.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define AT get_global_id(0)

kernel void swizzle_float4(global float4* out, global const float4* in) { out[AT] = in[AT].wzyx + in[AT].xxyy; }
kernel void swizzle_writes(global int4* out, global const int4* a, global const int2* b) {
  int4 v = a[AT];
  v.xw = b[AT];
  v.yz = v.zy;
  v.s0 += v.s3;
  out[AT] = v;
}
kernel void halves_double8(global double4* out, global const double8* in) {
  const double8 v = in[AT];
  out[AT] = (double4)(v.lo.even, v.hi.odd);
}
kernel void odd_elements_of_three(global short4* out, global const short3* in) {
  const short3 v = in[AT];
  out[AT] = (short4)(v.hi.x, v.odd.x, v.lo);
}
kernel void elements_of_sixteen(global char16* out, global const char16* in) {
  const char16 v = in[AT];
  out[AT] = v.s02468aceFDB97531;
}
kernel void literal_uint8(global uint8* out, global const uint* a, global const uint2* b) {
  out[AT] = (uint8)(a[AT], b[AT], (uint4)(a[AT] + 1), b[AT].y);
}
kernel void splat_long16(global long16* out, global const long* in) { out[AT] = (long16)in[AT] * 3; }
kernel void dynamic_index(global float* out, global const float8* in, global const uint* which) {
  float8 v = in[AT];
  out[AT] = ((float*)&v)[which[AT] % 8];
}
kernel void dynamic_store(global int16* out, global const int16* in, global const uint* which) {
  int16 v = in[AT];
  ((int*)&v)[which[AT] & 15] = 77;
  out[AT] = v;
}
kernel void select_by_comparison(global float4* out, global const float4* a, global const float4* b) {
  out[AT] = a[AT] < b[AT] ? b[AT] : a[AT];
}
kernel void not_vector(global int3* out, global const int3* in) { out[AT] = !in[AT] ^ ~in[AT]; }
kernel void logic_ushort2(global short2* out, global const ushort2* a, global const ushort2* b) {
  out[AT] = (a[AT] && b[AT]) - (a[AT] || b[AT]) * (short)2;
}
kernel void shuffle_uchar16(global uchar16* out, global const uchar16* in, global const uchar16* mask) {
  out[AT] = shuffle(in[AT], mask[AT]);
}
kernel void shuffle_two_floats(global float4* out, global const float2* a, global const float2* b, global const uint4* mask) {
  out[AT] = shuffle2(a[AT], b[AT], mask[AT]);
}
kernel void as_int_of_float(global int* out, global const float* in) { out[AT] = as_int(in[AT]) ^ as_int((char4)(1, 2, 3, 4)); }
kernel void as_uchar8_of_double(global uchar8* out, global const double* in) { out[AT] = as_uchar8(in[AT]).s76543210; }
kernel void as_ulong2_of_float4(global ulong2* out, global const float4* in) { out[AT] = as_ulong2(in[AT]); }
kernel void as_half2_of_uint(global half2* out, global const uint* in) { out[AT] = as_half2(in[AT]).yx; }
kernel void as_int3_of_int4(global int3* out, global const int4* in) { out[AT] = as_int3(in[AT]); }
kernel void vload_all(global int* out, global const int* in) {
  const size_t i = AT;
  const int2 a = vload2(i, in);
  const int3 b = vload3(i, in);
  const int4 c = vload4(i, in);
  const int8 d = vload8(i, in);
  const int16 e = vload16(i, in);
  out[i] = a.y + 2 * b.z + 3 * c.w + 5 * d.s7 + 7 * e.sf + 11 * vload2(0, in + i).y;
}
kernel void vstore3_packed(global float* out, global const float4* in) { vstore3(in[AT].xyz, AT, out); }
kernel void vstore16_chars(global char* out, global const char16* in) { vstore16(in[AT], AT, out + 1); }
kernel void vload_half_four(global float4* out, global const half* in) { out[AT] = vload_half4(AT, in); }
kernel void vloada_half_three(global float3* out, global const half* in) { out[AT] = vloada_half3(AT, in); }
kernel void vstore_half_modes(global half* out, global const float* in) {
  vstore_half(in[AT], 5 * AT, out);
  vstore_half_rte(in[AT], 5 * AT + 1, out);
  vstore_half_rtz(in[AT], 5 * AT + 2, out);
  vstore_half_rtp(in[AT], 5 * AT + 3, out);
  vstore_half_rtn(in[AT], 5 * AT + 4, out);
}
kernel void vstore_half_of_double(global half* out, global const double2* in) { vstore_half2_rtz(in[AT], AT, out); }
kernel void pass_by_value(global int8* out, global const int8* in, int2 two, uchar3 three, long16 many) {
  out[AT] = in[AT] + two.x - two.y + three.z + (int)many.sf;
}
kernel void vec_steps(global int* out) {
  out[0] = vec_step(char);
  out[1] = vec_step(int3);
  out[2] = vec_step(double16);
  out[3] = sizeof(short3);
  out[4] = sizeof(half16);
}
float8 __attribute__((noinline)) reversed(float8 v) { return v.s76543210; }
kernel void vectors_through_calls(global float8* out, global const float8* in) { out[AT] = reversed(in[AT]) - in[AT]; }
kernel void vectors_in_loop(global uint4* out, global const uint4* in) {
  uint4 sum = 0;
  for (int i = 0; i < 10; ++i) sum = sum.yzwx * 3 + in[(AT + i) % get_global_size(0)];
  out[AT] = sum;
}
kernel void vector_union(global uint* out, global const uint4* in) {
  union { uint4 words; uchar16 bytes; ushort8 shorts; } u;
  u.words = in[AT];
  u.bytes.s3 = 0x5a;
  u.shorts.s7 += 1;
  out[AT] = u.words.x ^ u.words.w;
}
kernel void vector_array(global int4* out, global const int4* in) {
  int4 rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = in[AT] + i;
  int4 column = 0;
  for (int i = 0; i < 4; ++i) column += rows[in[AT].x + i & 3] * (int4)(1, 10, 100, 1000);
  out[AT] = column;
}
