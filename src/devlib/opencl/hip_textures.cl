// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads of HIP's textures that are more than one instruction: of arrays with levels of detail, by rules for coordinates that no sampler of HSA
// has, of cubes, and of one channel of four elements. A texture is a number of words of 32 bits (src/hip/core/texture_record.h).

// Handles are 64 bits that IR treats as pointers. The names of instructions are taken a second time for handles from memory.
typedef constant void* handle;
#define HANDLE_AT(address) (*(constant handle*)(address))
#define INSTRUCTION(NAME) __asm("__hsail_" #NAME)

// As heddle::hip::TextureWord and heddle::hip::TextureRecord, which have the meaning.
enum { IMAGE_WORD = 0, IMAGE_1D_WORD = 2, RECORD_WORD = 4, SAMPLER_WORD = 12 };
struct texture_record {
  uint is_linear, is_normalized, levels, levels_are_linear;
  uint modes[3];
  uint has_rules;
  float level_bias, least_level, greatest_level, reserved;
  float border[4];
};
typedef constant const struct texture_record* record;

static record texture_record_of(constant uint* object) { return *(constant record*)(object + RECORD_WORD); }
static handle sampler_of(constant uint* object) { return HANDLE_AT(object + SAMPLER_WORD); }
static handle level_of(record r, uint image, uint level) {
  return ((constant handle*)(r + 1))[image == IMAGE_1D_WORD ? r->levels + level : level];
}

// ---- coordinates ----

// Modes of addresses, as hsa_ext_sampler_addressing_mode_t numbers them. All others clamp.
enum { TO_BORDER = 2, REPEATED = 3, MIRRORED = 4 };
#define BORDER (-1)

static int clamped(double whole, int size) { return (int)fmin(fmax(whole, 0.0), size - 1.0); }
static double positive_rest(double whole, double size) { return whole - size * floor(whole / size); }

// The number of an element along one axis, or BORDER. `whole` is no NaN.
static int index_of(double whole, int size, uint mode) {
  if (whole >= 0 && whole < size) return (int)whole;
  if (mode == TO_BORDER) return BORDER;
  if (mode == REPEATED) return clamped(positive_rest(whole, size), size);
  if (mode != MIRRORED) return clamped(whole, size);
  const double at = positive_rest(whole, 2.0 * size);
  return clamped(at < size ? at : 2.0 * size - 1 - at, size);
}

// The two elements along an axis, and the weight of the second one.
struct neighbours {
  int first, second;
  float weight;
};
static struct neighbours neighbours_of(float coordinate, int size, uint mode, bool is_normalized, bool is_linear) {
  struct neighbours result = {0, 0, 0};
  if (!isfinite(coordinate)) return result;
  const double at = (is_normalized ? (double)coordinate * size : (double)coordinate) - (is_linear ? 0.5 : 0.0);
  const double whole = floor(at);
  result.first = index_of(whole, size, mode);
  if (is_linear) {
    result.second = index_of(whole + 1, size, mode);
    result.weight = (float)(at - whole);
  }
  return result;
}

// Layers are never filtered and always clamped.
static int layer_of(float coordinate, int layers) { return coordinate > 0 ? (int)fmin(rint(coordinate), layers - 1.0f) : 0; }

// The level of detail that is read, within those that there are; 0 for a NaN.
static float level_to_read(record r, float level) {
  const float wanted = fmin(fmax(level + r->level_bias, r->least_level), r->greatest_level);
  return fmin(fmax(wanted, 0.0f), (float)(r->levels - 1));
}
// Gradients are in elements.
static float sum_of_squares(float3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
static float level_of_squares(float dx2, float dy2) { return 0.5f * log2(fmax(dx2, dy2)); }

// ---- reads by geometry and type ----

static float4 border_f32(record r) { return (float4)(r->border[0], r->border[1], r->border[2], r->border[3]); }
static int4 border_s32(record r) { return convert_int4_sat(border_f32(r)); }
static uint4 border_u32(record r) { return convert_uint4_sat(border_f32(r)); }
#define WEIGHTED_f32(X, W) ((X) * (W))
#define WEIGHTED_s32(X, W) (X)
#define WEIGHTED_u32(X, W) (X)
enum { FILTERS_f32 = 1, FILTERS_s32 = 0, FILTERS_u32 = 0 };

#define TEXTURE_SIZE(G, PROPERTY) CONSTANT_IN_WORK_ITEM uint texture_##PROPERTY##_##G(handle) INSTRUCTION(queryimage_##G##_##PROPERTY##_u32_roimg);
#define NO_SIZE(G, PROPERTY) \
  static uint texture_##PROPERTY##_##G(handle image) { return 1; }

// Reads by rules: `x`, `y`, `z` are the elements' numbers in INDEX. Dimensions that there are not have one element.
#define READ_BY_RULES(G, DIMENSIONS, TYPE, VECTOR, COORD, INDEX, X, Y, Z, LAYER, MAKE_INDEX) \
  VECTOR texture_element_##G##_##TYPE(handle, INDEX) INSTRUCTION(ldimage_v4_##G##_##TYPE##_roimg_u32); \
  static VECTOR element_##G##_##TYPE(record r, handle image, int x, int y, int z, int layer) { \
    if (x == BORDER || y == BORDER || z == BORDER) return border_##TYPE(r); \
    return texture_element_##G##_##TYPE(image, MAKE_INDEX); \
  } \
  static __attribute__((noinline)) VECTOR read_by_rules_##G##_##TYPE(record r, handle image, COORD at) { \
    const bool is_linear = FILTERS_##TYPE && r->is_linear, is_normalized = r->is_normalized; \
    const struct neighbours x = neighbours_of(X, texture_width_##G(image), r->modes[0], is_normalized, is_linear); \
    const struct neighbours y = neighbours_of(Y, texture_height_##G(image), r->modes[1], is_normalized, is_linear && DIMENSIONS > 1); \
    const struct neighbours z = neighbours_of(Z, texture_depth_##G(image), r->modes[2], is_normalized, is_linear && DIMENSIONS > 2); \
    const int layer = layer_of(LAYER, texture_array_##G(image)); \
    if (!is_linear) return element_##G##_##TYPE(r, image, x.first, y.first, z.first, layer); \
    VECTOR sum = 0; \
    for (uint corner = 0; corner < 1u << DIMENSIONS; ++corner) { \
      const bool right = corner & 1, below = corner & 2, behind = corner & 4; \
      const float weight = (right ? x.weight : 1 - x.weight) * (below ? y.weight : 1 - y.weight) * (behind ? z.weight : 1 - z.weight); \
      if (weight == 0) continue; /* a NaN in a neighbour of weight 0 must not count */ \
      sum += WEIGHTED_##TYPE(element_##G##_##TYPE(r, image, right ? x.second : x.first, below ? y.second : y.first, \
                                                  behind ? z.second : z.first, layer), \
                             weight); \
    } \
    return sum; \
  }

// Reads of one texture: by its sampler or its rules, at its first level or at another one.
#define READ_TEXTURE(G, IMAGE, TYPE, VECTOR, COORD) \
  VECTOR texture_sample_##G##_##TYPE(handle, handle, COORD) INSTRUCTION(rdimage_v4_##G##_##TYPE##_roimg_f32); \
  VECTOR __heddle_texture_rules_##G##_##TYPE(constant uint* object, COORD at) { \
    return read_by_rules_##G##_##TYPE(texture_record_of(object), HANDLE_AT(object + IMAGE), at); \
  } \
  static VECTOR read_##G##_##TYPE(constant uint* object, COORD at) { \
    const record r = texture_record_of(object); \
    return r != 0 && r->has_rules ? __heddle_texture_rules_##G##_##TYPE(object, at) \
                                  : texture_sample_##G##_##TYPE(HANDLE_AT(object + IMAGE), sampler_of(object), at); \
  } \
  static VECTOR read_level_##G##_##TYPE(constant uint* object, record r, uint level, COORD at) { \
    const handle image = level_of(r, IMAGE, level); \
    return r->has_rules ? read_by_rules_##G##_##TYPE(r, image, at) : texture_sample_##G##_##TYPE(image, sampler_of(object), at); \
  } \
  VECTOR __heddle_texture_level_##G##_##TYPE(constant uint* object, COORD at, float wanted) { \
    const record r = texture_record_of(object); \
    if (r == 0) return read_##G##_##TYPE(object, at); \
    const float level = level_to_read(r, wanted); \
    if (!FILTERS_##TYPE || !r->levels_are_linear) return read_level_##G##_##TYPE(object, r, (uint)floor(level + 0.5f), at); \
    const float below = floor(level), weight = level - below; \
    VECTOR result = read_level_##G##_##TYPE(object, r, (uint)below, at); \
    if (weight != 0) \
      result = WEIGHTED_##TYPE(result, 1 - weight) + \
               WEIGHTED_##TYPE(read_level_##G##_##TYPE(object, r, (uint)below + 1, at), weight); \
    return result; \
  } \
  VECTOR __heddle_texture_gradients_##G##_##TYPE(constant uint* object, COORD at, float3 dx, float3 dy) { \
    return __heddle_texture_level_##G##_##TYPE(object, at, level_of_gradients_##G(object, dx, dy)); \
  }

// The level at which neighbours in x or y are one element apart. Gradients have three parts, of which those that a geometry lacks are 0.
#define LEVEL_OF_GRADIENTS(G, IMAGE) \
  static float level_of_gradients_##G(constant uint* object, float3 dx, float3 dy) { \
    const record r = texture_record_of(object); \
    if (r == 0) return 0; \
    const handle image = HANDLE_AT(object + IMAGE); \
    const float3 size = r->is_normalized ? (float3)(texture_width_##G(image), texture_height_##G(image), texture_depth_##G(image)) : (float3)1.0f; \
    return level_of_squares(sum_of_squares(dx * size), sum_of_squares(dy * size)); \
  }

#define TEXTURE_TYPES(G, IMAGE, DIMENSIONS, COORD, INDEX, X, Y, Z, LAYER, MAKE_INDEX) \
  LEVEL_OF_GRADIENTS(G, IMAGE) \
  READ_BY_RULES(G, DIMENSIONS, f32, float4, COORD, INDEX, X, Y, Z, LAYER, MAKE_INDEX) \
  READ_BY_RULES(G, DIMENSIONS, s32, int4, COORD, INDEX, X, Y, Z, LAYER, MAKE_INDEX) \
  READ_BY_RULES(G, DIMENSIONS, u32, uint4, COORD, INDEX, X, Y, Z, LAYER, MAKE_INDEX) \
  READ_TEXTURE(G, IMAGE, f32, float4, COORD) \
  READ_TEXTURE(G, IMAGE, s32, int4, COORD) \
  READ_TEXTURE(G, IMAGE, u32, uint4, COORD)

TEXTURE_SIZE(1d, width) NO_SIZE(1d, height) NO_SIZE(1d, depth) NO_SIZE(1d, array)
TEXTURE_SIZE(2d, width) TEXTURE_SIZE(2d, height) NO_SIZE(2d, depth) NO_SIZE(2d, array)
TEXTURE_SIZE(3d, width) TEXTURE_SIZE(3d, height) TEXTURE_SIZE(3d, depth) NO_SIZE(3d, array)
TEXTURE_SIZE(1da, width) NO_SIZE(1da, height) NO_SIZE(1da, depth) TEXTURE_SIZE(1da, array)
TEXTURE_SIZE(2da, width) TEXTURE_SIZE(2da, height) NO_SIZE(2da, depth) TEXTURE_SIZE(2da, array)
TEXTURE_TYPES(1d, IMAGE_1D_WORD, 1, float, uint, at, 0, 0, 0, x)
TEXTURE_TYPES(2d, IMAGE_WORD, 2, float2, uint2, at.x, at.y, 0, 0, ((uint2)(x, y)))
TEXTURE_TYPES(3d, IMAGE_WORD, 3, float3, uint3, at.x, at.y, at.z, 0, ((uint3)(x, y, z)))
TEXTURE_TYPES(1da, IMAGE_WORD, 1, float2, uint2, at.x, 0, 0, at.y, ((uint2)(x, layer)))
TEXTURE_TYPES(2da, IMAGE_WORD, 2, float3, uint3, at.x, at.y, 0, at.z, ((uint3)(x, y, layer)))

// ---- one channel of four elements ----

CONSTANT_IN_WORK_ITEM uint texture_addressing(handle) INSTRUCTION(querysampler_addressing_u32);
CONSTANT_IN_WORK_ITEM uint texture_coordinates(handle) INSTRUCTION(querysampler_coord_u32);

// What a filter would read, counter-clockwise from the lower left: rows grow downwards.
#define GATHER(TYPE, VECTOR) \
  VECTOR __heddle_texture_gather_##TYPE(constant uint* object, float2 at, int channel) { \
    const handle image = HANDLE_AT(object + IMAGE_WORD); \
    const record r = texture_record_of(object); \
    const bool has_rules = r != 0 && r->has_rules; \
    const uint mode = has_rules ? 0 : texture_addressing(sampler_of(object)); \
    const bool is_normalized = has_rules ? r->is_normalized : texture_coordinates(sampler_of(object)) != 0; \
    const struct neighbours x = neighbours_of(at.x, texture_width_2d(image), has_rules ? r->modes[0] : mode, is_normalized, true); \
    const struct neighbours y = neighbours_of(at.y, texture_height_2d(image), has_rules ? r->modes[1] : mode, is_normalized, true); \
    return (VECTOR)(gathered_##TYPE(r, image, x.first, y.second, channel), gathered_##TYPE(r, image, x.second, y.second, channel), \
                    gathered_##TYPE(r, image, x.second, y.first, channel), gathered_##TYPE(r, image, x.first, y.first, channel)); \
  }
#define GATHERED(TYPE, VECTOR, SCALAR) \
  static SCALAR gathered_##TYPE(record r, handle image, int x, int y, int channel) { \
    VECTOR element = 0; \
    if (x != BORDER && y != BORDER) \
      element = texture_element_2d_##TYPE(image, (uint2)(x, y)); \
    else if (r != 0) \
      element = border_##TYPE(r); \
    return channel == 0 ? element.x : channel == 1 ? element.y : channel == 2 ? element.z : element.w; \
  }
GATHERED(f32, float4, float)
GATHERED(s32, int4, int)
GATHERED(u32, uint4, uint)
GATHER(f32, float4)
GATHER(s32, int4)
GATHER(u32, uint4)

// ---- cubes, whose faces are layers ----

// The face that a direction points to: +x, -x, +y, -y, +z, -z.
static int face_of(float3 d) {
  const float3 a = fabs(d);
  if (a.x > a.y && a.x > a.z) return d.x < 0 ? 1 : 0;
  if (a.y >= a.x && a.y > a.z) return d.y < 0 ? 3 : 2;
  return d.z < 0 ? 5 : 4;
}
// A vector in the axes of a face: along its rows, along its columns, and away from the centre.
static float3 on_face(int face, float3 v) {
  switch (face) {
    case 0:
      return (float3)(-v.z, -v.y, v.x);
    case 1:
      return (float3)(v.z, -v.y, -v.x);
    case 2:
      return (float3)(v.x, v.z, v.y);
    case 3:
      return (float3)(v.x, -v.z, -v.y);
    case 4:
      return (float3)(v.x, -v.y, v.z);
    default:
      return (float3)(-v.x, -v.y, -v.z);
  }
}
// Where a direction meets the faces of a cube in layers: normalized coordinates and the number of the layer.
float3 __heddle_cube_place(float3 direction, float cube) {
  const int face = face_of(direction);
  const float3 v = on_face(face, direction);
  return (float3)((v.x / v.z + 1) * 0.5f, (v.y / v.z + 1) * 0.5f, 6 * rint(cube) + face);
}
// How that place changes with a change of the direction.
float3 __heddle_cube_gradient(float3 direction, float3 change) {
  const int face = face_of(direction);
  const float3 v = on_face(face, direction), d = on_face(face, change);
  return (float3)((d.x * v.z - v.x * d.z) / (v.z * v.z) * 0.5f, (d.y * v.z - v.y * d.z) / (v.z * v.z) * 0.5f, 0);
}
