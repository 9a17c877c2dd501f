// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace heddle::cuda::remote {

bool send_message(int socket, std::span<const std::byte> bytes, int file) {
  iovec part = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Received> receive_message(int socket, int milliseconds) {
  pollfd waiting = {socket, POLLIN, 0};
  int ready;
  do ready = poll(&waiting, 1, milliseconds);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return std::nullopt;
  Received received;
  received.bytes.resize(largest_message);
  iovec part = {received.bytes.data(), received.bytes.size()};
  int file = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size;
  do size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  received.bytes.resize(static_cast<size_t>(size));
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
    received.file = Descriptor(file);
  }
  return received;
}

bool is_socket(int file) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

bool is_hung_up(int socket) {
  pollfd asked = {socket, 0, 0};
  return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace heddle::cuda::remote
