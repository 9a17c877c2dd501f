// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow: branches, switch, goto, loops, calls, and barriers between them.
#pragma OPENCL FP_CONTRACT OFF
#define AT get_global_id(0)

kernel void dense_switch(global int* out, global const int* in) {
  int r;
  switch (in[AT] & 7) {
    case 0: r = 10; break;
    case 1: r = 21; break;
    case 2: r = 32;  // falls through
    case 3: r = 43; break;
    case 5: r = 54; break;
    case 6: r = in[AT]; break;
    default: r = -1;
  }
  out[AT] = r;
}
kernel void sparse_switch(global int* out, global const long* in) {
  switch (in[AT]) {
    case 0: out[AT] = 1; return;
    case 0x7fffffffffffffff: out[AT] = 2; return;
    case -1: out[AT] = 3; break;
    case 100: case 64: out[AT] = 4; break;
    default: out[AT] = in[AT] < 0 ? 5 : 6;
  }
  out[AT] += 10;
}
kernel void switch_in_loop(global uint* out, global const uint* in) {
  uint state = 0, sum = 0;
  for (uint word = in[AT]; word != 0; word >>= 2) {
    switch (word & 3) {
      case 0: continue;
      case 1: state = (state + 1) % 5; break;
      case 2: state = (state * 3 + 1) % 5; break;
      case 3: if (state == 0) goto done; state--;
    }
    sum = sum * 7 + state;
  }
done:
  out[AT] = sum;
}
kernel void duff(global int* out, global const int* in) {
  int n = in[AT] & 31, sum = 0;
  if (n > 0) {
    int rounds = (n + 3) / 4;
    switch (n & 3) {
      case 0: do { sum += 1;
      case 3: sum = sum * 2 + 1;
      case 2: sum += 3;
      case 1: sum ^= 5;
      } while (--rounds > 0);
    }
  }
  out[AT] = sum;
}
kernel void goto_backwards(global int* out, global const int* in) {
  int i = 0, sum = 0;
again:
  sum += i * i;
  if (++i < (in[AT] & 15)) goto again;
  out[AT] = sum;
}
kernel void goto_into_join(global int* out, global const int* in) {
  int x = in[AT];
  if (x > 50) goto large;
  if (x < 0) goto negative;
  x += 1;
  goto end;
negative:
  x = -(x / 2);
  if (x > 1000) goto large;
  goto end;
large:
  x /= 3;
end:
  out[AT] = x;
}
kernel void collatz(global uint* out, global const uint* in) {
  ulong n = in[AT] | 1;
  uint steps = 0;
  while (n != 1 && steps < 200) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  out[AT] = steps;
}
kernel void greatest_divisor(global uint* out, global const uint* a, global const uint* b) {
  uint x = a[AT], y = b[AT];
  while (y) {
    const uint r = x % y;
    x = y;
    y = r;
  }
  out[AT] = x;
}
kernel void early_returns(global int* out, global const int* in) {
  const int x = in[AT];
  if (x == 0) return;
  out[AT] = 1;
  if (x < 0) return;
  for (int i = 0; i < 10; ++i)
    if (x == i * i) return;
  out[AT] = 2;
}
kernel void nested_breaks(global int* out, global const int* in) {
  int count = 0;
  for (int i = 0; i < 12; ++i) {
    for (int k = i;; ++k) {
      if (k > 20 || ((in[AT] >> (k & 7)) & 1)) break;
      if (k % 3 == 0) continue;
      ++count;
    }
    if (count > 60) break;
  }
  out[AT] = count;
}
kernel void short_circuit(global int* out, global const int* in) {
  int calls = 0;
  const int x = in[AT];
  const bool b = (x > 0 && (calls += 1, x & 1)) || (calls += 10, x < -5);
  out[AT] = calls * 2 + b;
}
kernel void loop_carried(global ulong* out, global const uint* in) {
  ulong a = 0, b = 1;
  for (uint i = 0, n = in[AT] % 90; i < n; ++i) {
    const ulong next = a + b;
    a = b;
    b = next;
  }
  out[AT] = a;
}
#define SUM(...) sum_of_list(COUNT(__VA_ARGS__), (int[]){__VA_ARGS__})
#define COUNT(...) (sizeof((int[]){__VA_ARGS__}) / sizeof(int))
int sum_of_list(int n, const int* list) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += list[i];
  return sum;
}
kernel void variadic_macros(global int* out, global const int* in) { out[AT] = SUM(1, 2, in[AT] / 4, 4) - SUM(5); }
static inline int twice(int x) { return 2 * x; }
static int __attribute__((noinline)) thrice(int x) { return x + twice(x); }
int __attribute__((noinline)) even_number(int depth, int x) { return depth & 1 ? thrice(x) : twice(x); }
kernel void calls_of_calls(global int* out, global const int* in) { out[AT] = even_number((int)AT, in[AT] / 8) + thrice(1); }
kernel void unrolled(global int* out, global const int* in) {
  int sum = 0;
  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 13; ++i) sum = sum * 3 + (in[AT] >> i);
#pragma unroll
  for (int i = 0; i < 5; ++i) sum ^= i << i;
  out[AT] = sum;
}
kernel void barriers_in_loop(global int* out, global const int* in, local int* shared) {
  const size_t l = get_local_id(0), n = get_local_size(0);
  int mine = in[AT];
  for (int round = 0; round < 5; ++round) {
    shared[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 3; ++k) {
      mine = mine / 2 + shared[(l + k * (round + 1)) % n] / 4;
      if (mine > 1000000) mine -= 777;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[AT] = mine;
}
kernel void barrier_in_uniform_branch(global int* out, global const int* in) {
  local int shared[32];
  if (get_group_id(0) % 2 == 0) {
    shared[get_local_id(0)] = in[AT];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[AT] = shared[31 - get_local_id(0)];
  } else {
    out[AT] = -1;
  }
}
kernel void loop_until_all_agree(global int* out, global const int* in) {
  local int changed;
  local int values[32];
  const uint l = get_local_id(0);
  values[l] = in[AT];
  int rounds = 0;
  do {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int left = l > 0 ? values[l - 1] : values[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left > values[l]) {
      values[l] = left;
      changed = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ++rounds;
  } while (changed);
  out[AT] = values[l] / 2 + rounds;
}
kernel void divergent_loops(global uint* out, global const uint* in) {
  uint h = 2166136261u;
  for (uint i = 0; i < (AT & 15); ++i)
    for (uint k = 0; k < (in[AT] & 3); ++k) {
      h ^= in[AT] + i;
      h *= 16777619u;
      if (h % 11 == 3) break;
    }
  out[AT] = h;
}
kernel void mandelbrot(global int* out, float step) {
  const float cx = -2 + step * get_global_id(0), cy = -1 + step * get_global_id(1);
  float x = 0, y = 0;
  int i = 0;
  for (; i < 50 && x * x + y * y <= 4; ++i) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = i;
}
