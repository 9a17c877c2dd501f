// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of OpenCL C 6.4: each kernel stores the results of five rounding modes for each number.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CONVERSION(D, S, saturation) \
  kernel void D##_of_##S(global D* out, global const S* in) { \
    const size_t i = get_global_id(0); \
    const S x = in[i]; \
    out[5 * i] = convert_##D##saturation(x); \
    out[5 * i + 1] = convert_##D##saturation##_rte(x); \
    out[5 * i + 2] = convert_##D##saturation##_rtz(x); \
    out[5 * i + 3] = convert_##D##saturation##_rtp(x); \
    out[5 * i + 4] = convert_##D##saturation##_rtn(x); \
  }
#define INTEGERS(S) CONVERSION(char, S, _sat) CONVERSION(uchar, S, _sat) CONVERSION(short, S, _sat) CONVERSION(ushort, S, _sat) \
  CONVERSION(int, S, _sat) CONVERSION(uint, S, _sat) CONVERSION(long, S, _sat) CONVERSION(ulong, S, _sat)
INTEGERS(half)
INTEGERS(float)
INTEGERS(double)
#define REALS(S) CONVERSION(half, S, ) CONVERSION(float, S, ) CONVERSION(double, S, )
REALS(int)
REALS(uint)
REALS(long)
REALS(ulong)
CONVERSION(half, float, )
CONVERSION(half, double, )
CONVERSION(float, half, )
CONVERSION(float, double, )
CONVERSION(double, half, )
CONVERSION(double, float, )

#define SATURATION(S) \
  kernel void saturate_##S(global long* out, global const S* in) { \
    const size_t i = get_global_id(0); \
    const S x = in[i]; \
    out[8 * i] = convert_char_sat(x); \
    out[8 * i + 1] = convert_uchar_sat(x); \
    out[8 * i + 2] = convert_short_sat(x); \
    out[8 * i + 3] = convert_ushort_sat(x); \
    out[8 * i + 4] = convert_int_sat(x); \
    out[8 * i + 5] = convert_uint_sat(x); \
    out[8 * i + 6] = convert_long_sat(x); \
    out[8 * i + 7] = convert_ulong_sat(x); \
  }
SATURATION(char)
SATURATION(ushort)
SATURATION(int)
SATURATION(ulong)

// Integers are cut by conversions without saturation.
kernel void cut_long(global long* out, global const long* in) {
  const size_t i = get_global_id(0);
  out[4 * i] = convert_char(in[i]);
  out[4 * i + 1] = convert_ushort(in[i]);
  out[4 * i + 2] = convert_int(in[i]);
  out[4 * i + 3] = (long)(ulong)convert_uint(in[i]);
}

// Without saturation, of numbers in the range.
kernel void float_in_range(global int* out, global const float* in) {
  const size_t i = get_global_id(0);
  const float x = isnan(in[i]) ? 0.0f : clamp(in[i], -100.0f, 100.0f);
  out[6 * i] = convert_int(x);
  out[6 * i + 1] = convert_int_rte(x);
  out[6 * i + 2] = convert_char_rtp(x);
  out[6 * i + 3] = convert_short_rtn(x);
  out[6 * i + 4] = (int)x;
  out[6 * i + 5] = convert_long_rtz(x);
}

kernel void vector_uchar4_of_float4(global uchar4* out, global const float4* in) {
  out[get_global_id(0)] = convert_uchar4_sat_rte(in[get_global_id(0)]);
}
kernel void vector_int3_of_double3(global int3* out, global const double3* in) {
  out[get_global_id(0)] = convert_int3_sat_rtp(in[get_global_id(0)]);
}
kernel void vector_float16_of_uchar16(global float16* out, global const uchar16* in) {
  out[get_global_id(0)] = convert_float16(in[get_global_id(0)]);
}
kernel void vector_half8_of_float8(global half8* out, global const float8* in) {
  out[get_global_id(0)] = convert_half8_rtn(in[get_global_id(0)]);
}
kernel void vector_short2_of_ulong2(global short2* out, global const ulong2* in) {
  out[get_global_id(0)] = convert_short2_sat(in[get_global_id(0)]);
}
kernel void vector_double4_of_long4(global double4* out, global const long4* in) {
  out[get_global_id(0)] = convert_double4_rtz(in[get_global_id(0)]);
}
