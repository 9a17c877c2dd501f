// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that use LLVM's intrinsics for AMD's instructions, by their names. Each work-item writes a row of results.
#define INTRINSIC(name) __asm("llvm.amdgcn." name)

uint ds_permute(uint, uint) INTRINSIC("ds.permute");
uint ds_bpermute(uint, uint) INTRINSIC("ds.bpermute");
uint ds_swizzle(uint, uint) INTRINSIC("ds.swizzle");
uint update_dpp(uint, uint, uint, uint, uint, bool) INTRINSIC("update.dpp.i32");
ulong update_dpp_long(ulong, ulong, uint, uint, uint, bool) INTRINSIC("update.dpp.i64");
uint mov_dpp8(uint, uint) INTRINSIC("mov.dpp8.i32");
uint permlane16(uint, uint, uint, uint, bool, bool) INTRINSIC("permlane16.i32");
uint permlanex16(uint, uint, uint, uint, bool, bool) INTRINSIC("permlanex16.i32");
uint permlane64(uint) INTRINSIC("permlane64.i32");
float writelane(float, uint, float) INTRINSIC("writelane.f32");
uint readlane(uint, uint) INTRINSIC("readlane.i32");
uint wave_size(void) INTRINSIC("wavefrontsize");

// With all lanes of the wave active.
kernel void lanes(global const uint* in, global ulong* out) {
  uint i = get_global_id(0), x = in[i], lane = get_sub_group_local_id();
  global ulong* row = out + i * 24;
  row[0] = ds_permute((lane * 5 + 3) * 4, x);
  row[1] = ds_bpermute((lane ^ 1) * 4, x);
  row[2] = ds_swizzle(x, 0x8000 | 0x1b);
  row[3] = ds_swizzle(x, 0x041f);
  row[4] = ds_swizzle(x, 0x0018);
  row[5] = update_dpp(7, x, 0xb1, 15, 15, false);
  row[6] = update_dpp(7, x, 0x101, 15, 15, false);
  row[7] = update_dpp(7, x, 0x112, 15, 15, true);
  row[8] = update_dpp(7, x, 0x123, 15, 15, false);
  row[9] = update_dpp(7, x, 0x130, 15, 15, false);
  row[10] = update_dpp(7, x, 0x13c, 15, 15, false);
  row[11] = update_dpp(7, x, 0x140, 15, 15, false);
  row[12] = update_dpp(7, x, 0x141, 1, 5, false);
  row[13] = update_dpp(7, x, 0x142, 10, 15, false);
  row[14] = update_dpp(7, x, 0x143, 12, 15, false);
  row[15] = update_dpp(7, x, 0x155, 15, 15, false);
  row[16] = update_dpp(7, x, 0x163, 15, 15, false);
  row[17] = update_dpp_long(1ul << 40, (ulong)x << 32 | lane, 0x111, 15, 15, false);
  row[18] = mov_dpp8(x, 01234567);
  row[19] = permlane16(9, x, 0x76543210, 0x01234567, false, false);
  row[20] = permlanex16(9, x, 0x76543210, 0xfedcba98, false, true);
  row[21] = permlane64(x);
  row[22] = as_uint(writelane(2.5f, 3, as_float(x)));
  row[23] = readlane(x, 1) + (ulong)wave_size() * 0x100000000;
}

#define REDUCTIONS(X) X(umin) X(umax) X(min) X(max) X(add) X(sub) X(and) X(or) X(xor)
#define DECLARE(op) \
  uint wave_##op(uint, uint) INTRINSIC("wave.reduce." #op ".i32"); \
  ulong wave_##op##_long(ulong, uint) INTRINSIC("wave.reduce." #op ".i64");
REDUCTIONS(DECLARE)
uint ballot(bool) INTRINSIC("ballot.i32");
bool inverse_ballot(uint) INTRINSIC("inverse.ballot.i32");
uint compare(float, float, uint) INTRINSIC("fcmp.i32.f32");

// Only work-items whose value is odd take part.
kernel void reductions(global const uint* in, global ulong* out) {
  uint i = get_global_id(0), x = in[i];
  global ulong* row = out + i * 22;
  if ((x & 1) == 0) return;
  int n = 0;
#define REDUCE(op) \
  row[n++] = wave_##op(x, 0); \
  row[n++] = wave_##op##_long((ulong)x << 35 ^ x, 0);
  REDUCTIONS(REDUCE)
  row[n++] = ballot((x & 2) != 0) == compare((float)(x & 2), 1.0f, 2);
  row[n++] = inverse_ballot(0x96696996);
  row[n++] = get_sub_group_local_id();
}

uint sad_u8(uint, uint, uint) INTRINSIC("sad.u8");
uint sad_hi_u8(uint, uint, uint) INTRINSIC("sad.hi.u8");
uint sad_u16(uint, uint, uint) INTRINSIC("sad.u16");
uint msad_u8(uint, uint, uint) INTRINSIC("msad.u8");
ulong qsad(ulong, uint, ulong) INTRINSIC("qsad.pk.u16.u8");
uint lerp(uint, uint, uint) INTRINSIC("lerp");
uint perm(uint, uint, uint) INTRINSIC("perm");
uint alignbyte(uint, uint, uint) INTRINSIC("alignbyte");
uint ubfe(uint, uint, uint) INTRINSIC("ubfe.i32");
uint sbfe(uint, uint, uint) INTRINSIC("sbfe.i32");
ulong ubfe_long(ulong, uint, uint) INTRINSIC("ubfe.i64");
uint sffbh(uint) INTRINSIC("sffbh.i32");
uint mul_i24(uint, uint) INTRINSIC("mul.i24.i32");
uint mulhi_i24(uint, uint) INTRINSIC("mulhi.i24");
uint mulhi_u24(uint, uint) INTRINSIC("mulhi.u24");
uint udot4(uint, uint, uint, bool) INTRINSIC("udot4");
uint sdot4(uint, uint, uint, bool) INTRINSIC("sdot4");
short2 cvt_pk_i16(int, int) INTRINSIC("cvt.pk.i16");
ushort2 cvt_pk_u16(uint, uint) INTRINSIC("cvt.pk.u16");

kernel void bits(global const uint* in, global ulong* out) {
  uint i = get_global_id(0), a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
  global ulong* row = out + i * 19;
  row[0] = sad_u8(a, b, c);
  row[1] = sad_hi_u8(a, b, c);
  row[2] = sad_u16(a, b, c);
  row[3] = msad_u8(a, b, c);
  row[4] = qsad((ulong)a << 32 | b, c, (ulong)c << 32 | a);
  row[5] = lerp(a, b, c);
  row[6] = perm(a, b, c & 0x0f0f0f0f);
  row[7] = alignbyte(a, b, c);
  row[8] = ubfe(a, b, c);
  row[9] = sbfe(a, b, c);
  row[10] = ubfe_long((ulong)a << 32 | b, c, a);
  row[11] = sffbh(a);
  row[12] = mul_i24(a, b);
  row[13] = mulhi_i24(a, b);
  row[14] = mulhi_u24(a, b);
  row[15] = udot4(a, b, c, false);
  row[16] = sdot4(a, b, c, true);
  row[17] = as_uint(cvt_pk_i16(as_int(a), as_int(b)));
  row[18] = as_uint(cvt_pk_u16(a, b));
}

float cubeid(float, float, float) INTRINSIC("cubeid");
float cubema(float, float, float) INTRINSIC("cubema");
float cubesc(float, float, float) INTRINSIC("cubesc");
float cubetc(float, float, float) INTRINSIC("cubetc");
float fmul_legacy(float, float) INTRINSIC("fmul.legacy");
float fmed3(float, float, float) INTRINSIC("fmed3.f32");
float fract_of(float) INTRINSIC("fract.f32");
short2 cvt_pknorm_i16(float, float) INTRINSIC("cvt.pknorm.i16");
ushort2 cvt_pknorm_u16(float, float) INTRINSIC("cvt.pknorm.u16");
half2 cvt_pkrtz(float, float) INTRINSIC("cvt.pkrtz");
uint cvt_pk_u8_f32(float, uint, uint) INTRINSIC("cvt.pk.u8.f32");

kernel void reals(global const float* in, global float* out) {
  uint i = get_global_id(0);
  float a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
  global float* row = out + i * 11;
  row[0] = cubeid(a, b, c);
  row[1] = cubema(a, b, c);
  row[2] = cubesc(a, b, c);
  row[3] = cubetc(a, b, c);
  row[4] = fmul_legacy(a, b);
  row[5] = fmed3(a, b, c);
  row[6] = fract_of(a);
  row[7] = as_float(cvt_pknorm_i16(a, b));
  row[8] = as_float(cvt_pknorm_u16(a, b));
  row[9] = as_float(cvt_pkrtz(a, b));
  row[10] = as_float(cvt_pk_u8_f32(a, i, 0xdeadbeef));
}

bool is_shared(void*) INTRINSIC("is.shared");
bool is_private(void*) INTRINSIC("is.private");

kernel void segments(global uint* out) {
  local uint shared;
  uint own = 1;
  shared = 1;
  out[0] = is_shared(&shared) | is_private(&shared) << 1;
  out[1] = is_shared(&own) | is_private(&own) << 1;
  out[2] = is_shared(out) | is_private(out) << 1;
  out[3] = is_shared(0) | is_private(0) << 1;
}

// A switch whose default is never taken must not lead past the barrier.
kernel void switch_before_barrier(global const uint* in, global uint* out) {
  local uint sums[64];
  uint i = get_global_id(0), lid = get_local_id(0), value = 1;
  if (in[i] > 40) {
    switch (in[i] * 2 & 6) {
      case 0: value = 2; break;
      case 2: break;
      case 4: value = 5; break;
      case 6: atomic_inc(&out[get_global_size(0)]); break;
    }
  }
  sums[lid] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (uint k = 0; k < get_local_size(0); k++) sum += sums[k];
  out[i] = sum;
}
