// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.h"

#include <png.h>

#include "hsa_session.h"

namespace examples {
namespace {

void write(const std::string& path, uint32_t width, uint32_t height, uint32_t format, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr)) {
    throw Error("cannot write " + path + ": " + image.message);
  }
}

}  // namespace

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw Error("cannot read " + path + ": " + image.message);
  image.format = PNG_FORMAT_RGBA;
  Picture picture{image.width, image.height, std::vector<uint32_t>(size_t{image.width} * image.height)};
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) {
    throw Error("cannot read " + path + ": " + image.message);
  }
  return picture;
}

void write_png(const std::string& path, uint32_t width, uint32_t height, const uint32_t* rgba) {
  write(path, width, height, PNG_FORMAT_RGBA, rgba);
}

void write_png_gray(const std::string& path, uint32_t width, uint32_t height, const uint8_t* gray) {
  write(path, width, height, PNG_FORMAT_GRAY, gray);
}

Picture thin_out(const Picture& picture, uint32_t step) {
  Picture thin{picture.width / step, picture.height / step, {}};
  thin.pixels.reserve(size_t{thin.width} * thin.height);
  for (uint32_t y = 0; y < thin.height; ++y) {
    for (uint32_t x = 0; x < thin.width; ++x) {
      thin.pixels.push_back(picture.pixels[size_t{y} * step * picture.width + size_t{x} * step]);
    }
  }
  return thin;
}

}  // namespace examples
