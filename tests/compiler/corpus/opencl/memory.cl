// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures, unions, bit fields, arrays, pointers and address spaces.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#define AT get_global_id(0)

struct point { float x, y; };
struct box { struct point low, high; int tag; };
struct mixed { char a; double b; short c[3]; long d; uchar e; };
struct __attribute__((packed)) tight { char a; int b; short c; long d; };
struct bits { unsigned low : 3; int middle : 7; unsigned : 0; unsigned wide : 29; long large : 40; };
union number { float f; uint u; uchar bytes[4]; };

kernel void struct_by_value(global float* out, struct box box, int scale) {
  out[AT] = (box.high.x - box.low.x) * (box.high.y - box.low.y) * scale + box.tag + (int)AT;
}
kernel void struct_in_memory(global struct mixed* out, global const struct mixed* in) {
  struct mixed m = in[AT];
  m.a += 1;
  m.b *= 2;
  m.c[AT % 3] = m.c[(AT + 1) % 3] + 5;
  m.d -= m.e;
  m.e ^= 0x0f;
  out[AT] = m;
}
kernel void packed_struct(global struct tight* out, global const struct tight* in) {
  struct tight t = in[AT];
  t.b = t.a + t.b;
  t.d += t.c;
  out[AT] = t;
}
kernel void bit_fields(global long* out, global const int* in) {
  struct bits b = {0};
  b.low = in[AT];
  b.middle = in[AT];
  b.wide = in[AT] * 3u;
  b.large = (long)in[AT] * 1000003;
  b.low += 1;
  out[AT] = b.low + b.middle * 8l + b.wide + b.large;
}
kernel void unions(global uint* out, global const float* in) {
  union number n;
  n.f = in[AT];
  n.bytes[3] ^= 0x80;
  n.u += n.bytes[0];
  out[AT] = n.u;
}
struct point __attribute__((noinline)) moved(struct point p, float by) {
  p.x += by;
  p.y -= by;
  return p;
}
kernel void struct_through_calls(global struct point* out, global const struct point* in) { out[AT] = moved(in[AT], 0.5f); }
void __attribute__((noinline)) exchange(int* a, int* b) {
  const int t = *a;
  *a = *b;
  *b = t;
}
kernel void pointers_to_private(global int* out, global const int* in) {
  int a = in[AT], b = (int)AT;
  if (a < b) exchange(&a, &b);
  out[AT] = a / 2 - b / 2;
}
kernel void private_array(global int* out, global const int* in) {
  int sorted[16];
  for (int i = 0; i < 16; ++i) sorted[i] = in[AT * 16 + i];
  for (int i = 1; i < 16; ++i) {
    const int x = sorted[i];
    int k = i;
    for (; k > 0 && sorted[k - 1] > x; --k) sorted[k] = sorted[k - 1];
    sorted[k] = x;
  }
  for (int i = 0; i < 16; ++i) out[AT * 16 + i] = sorted[i];
}
kernel void matrix_in_private(global float* out, global const float* in) {
  float m[3][4], n[4][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) m[i][k] = n[k][i] = in[AT * 12 + i * 4 + k];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += m[i][k] * n[k][j];
      out[AT * 9 + i * 3 + j] = sum;
    }
}
constant int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant float weights[2][3] = {{0.5f, 1.5f, 2.5f}, {-1, -2, -3}};
constant struct box unit = {{0, 1}, {2, 3}, 42};
constant char text[] = "constant text";
kernel void constant_tables(global float* out, global const uint* in) {
  const uint i = in[AT];
  out[AT] = primes[i % 10] * weights[i % 2][i % 3] + unit.high.y + unit.tag + text[i % 13];
}
kernel void constant_argument(global int* out, constant int* table, uint mask) { out[AT] = table[AT & mask] - table[0]; }
global int counter = 5;
global float history[4] = {1, 2, 3, 4};
global int* global shared_pointer = &counter;
kernel void program_scope_variables(global float* out) {
  history[1] = history[0] + *shared_pointer;
  counter = 9;
  out[0] = history[1];
  out[1] = *shared_pointer;
  out[2] = history[3];
  counter = 5;
}
kernel void static_variable(global int* out) {
  static global int calls = 100;
  calls += 1;
  out[0] = calls > 100;
}
int __attribute__((noinline)) sum_of(const int* p, int n) {  // of any address space
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}
kernel void generic_pointers(global int* out, global const int* in, local int* scratch) {
  int own[4] = {1, 2, (int)AT, 4};
  scratch[get_local_id(0)] = in[AT];
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t first = get_local_id(0) / 4 * 4;
  out[AT] = sum_of(in + AT / 4 * 4, 4) - sum_of(scratch + first, 4) + sum_of(own, 4);
}
kernel void chosen_address_space(global int* out, global int* in) {
  local int shared[1];
  int own = 3;
  shared[0] = 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  int* p = in[AT] % 3 == 0 ? &in[AT] : in[AT] % 3 == 1 ? (int*)shared : &own;
  out[AT] = *p + (to_global(p) != 0) * 1000 + (to_local(p) != 0) * 2000 + (to_private(p) != 0) * 4000;
}
kernel void pointer_arithmetic(global long* out, global int* in) {
  global int* const begin = in + 3;
  global int* p = &in[AT];
  p += 7;
  p--;
  out[AT] = (p - begin) * 10 + (p > begin) + *(p - 6) * 100l + ((global char*)p - (global char*)in);
}
kernel void pointer_list(global int* out, global const int* in) {
  struct node { int value; struct node* next; } nodes[8];
  for (int i = 0; i < 8; ++i) {
    nodes[i].value = in[AT] + i * i;
    nodes[i].next = &nodes[(i * 3 + 1) & 7];
  }
  struct node* n = nodes;
  int sum = 0;
  for (int i = 0; i < 12; ++i) {
    sum = sum * 3 + n->value;
    n = n->next;
  }
  out[AT] = sum;
}
kernel void bytes_of_words(global uint* out, global const uint* in) {
  global const uchar* p = (global const uchar*)in + AT * 4;
  out[AT] = p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}
kernel void unaligned_access(global int* out, global const char* in) {
  struct __attribute__((packed)) odd { int value; };
  out[AT] = ((global const struct odd*)(in + AT * 5 + 1))->value;
}
kernel void shorts_and_chars(global short* out, global char* bytes, global const int* in) {
  out[AT] = (short)in[AT];
  bytes[AT] = (char)(in[AT] >> 8);
}
kernel void booleans(global bool* out, global const int* in) {
  bool b = in[AT];
  b ^= AT % 2;
  out[AT] = !b;
}
kernel void half_storage(global half* out, global const half* in) { out[AT] = in[get_global_size(0) - 1 - AT]; }
kernel void copy_large_struct(global struct box* out, global const struct box* in) {
  struct box boxes[3] = {in[AT], unit, in[0]};
  boxes[1] = boxes[AT % 2 * 2];
  boxes[1].tag++;
  out[AT] = boxes[1];
}
typedef struct { int rows[2][3]; } table_t;
kernel void array_in_struct_by_value(global int* out, table_t table, global const uint* in) {
  out[AT] = table.rows[in[AT] & 1][in[AT] % 3];
}
enum color { red = 1, green = 4, blue = -2 };
kernel void enumerations(global int* out, global const int* in) {
  enum color c = in[AT] & 1 ? green : blue;
  out[AT] = c + red;
}
kernel void address_as_number(global ulong* out) { out[AT] = (ulong)&out[AT] - (ulong)out; }
kernel void volatile_access(volatile global int* out, const volatile global int* in) {
  out[AT] = in[AT];
  out[AT] = out[AT] + in[AT] / 2;
}
kernel void compound_literals(global float* out, global const float* in) {
  const struct point p = moved((struct point){in[AT], 1}, 2);
  out[AT] = p.x * p.y + ((float[]){1, 2, 4})[AT % 3];
}
