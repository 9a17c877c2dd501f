// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "png_file.h"

#include <png.h>

namespace heddle::tools {
namespace {

/// Owns the object of libpng's simplified interface, which must be freed if an operation is not completed.
struct PngImage {
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image); }
  png_image image{};
};

constexpr uint32_t formats[] = {0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};

}  // namespace

Result<Picture> decode_png(std::span<const std::byte> file, bool gray) {
  PngImage png;
  if (!png_image_begin_read_from_memory(&png.image, file.data(), file.size()))
    return Error{png.image.message};
  uint32_t channels = gray ? 1 : 4;
  png.image.format = formats[channels];
  Picture picture{png.image.width, png.image.height, channels, {}};
  picture.bytes.resize(PNG_IMAGE_SIZE(png.image));
  png_color black{};
  if (!png_image_finish_read(&png.image, &black, picture.bytes.data(), 0, nullptr))
    return Error{png.image.message};
  return picture;
}

Result<std::vector<std::byte>> encode_png(uint32_t width, uint32_t height, uint32_t channels,
                                          std::span<const std::byte> bytes) {
  if (channels < 1 || channels > 4 || bytes.size() != uint64_t{width} * height * channels) {
    return Error{"the buffer has not the shape of a picture"};
  }
  PngImage png;
  png.image.width = width;
  png.image.height = height;
  png.image.format = formats[channels];
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&png.image, nullptr, &size, 0, bytes.data(), 0, nullptr))
    return Error{png.image.message};
  std::vector<std::byte> file(size);
  if (!png_image_write_to_memory(&png.image, file.data(), &size, 0, bytes.data(), 0, nullptr)) {
    return Error{png.image.message};
  }
  file.resize(size);
  return file;
}

}  // namespace heddle::tools
