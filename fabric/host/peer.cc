// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/peer.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fabric/error.h"
#include "fabric/host/channel.h"

namespace polyloom::fabric {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderName =
    "polyloom-host-";                    // then the maker's process number, "-", six random signs
constexpr std::size_t kMostFolder = 80;  // the path of a socket in it has to fit into 108 bytes
constexpr std::size_t kSecretBytes = 16;

/// 0 if there is no such process.
pid_t parent_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(in, line);
  const std::size_t name_end = line.rfind(')');  // a program's name may hold anything
  if (name_end == std::string::npos) return 0;
  char state = 0;
  int parent = 0;
  return std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

bool is_private(const std::string& folder) {
  struct stat facts {};
  return !folder.empty() && folder.front() == '/' && folder.size() < kMostFolder - 30 &&
         ::stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() &&
         (facts.st_mode & 077) == 0;
}

void remove_stale(const std::string& root) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kFolderName)) continue;
    struct stat facts {};
    if (::lstat(entry.path().c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) ||
        facts.st_uid != ::geteuid()) {
      continue;
    }
    const long pid = std::strtol(name.c_str() + std::strlen(kFolderName), nullptr, 10);
    if (pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

bool Peer::is_trusted() const { return uid == ::geteuid() || uid == 0; }

bool Peer::descends_from(pid_t ancestor) const {
  for (pid_t at = pid; at > 1; at = parent_of(at)) {
    if (at == ancestor) return true;
  }
  return false;
}

std::string Peer::text() const {
  return "process " + std::to_string(pid) + " of user " + std::to_string(uid);
}

Peer peer_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    throw UserError(std::string("cannot see who is at the other end of a socket: ") + std::strerror(errno));
  }
  return {peer.pid, peer.uid};
}

std::string environment_secret() {
  const char* secret = std::getenv("POLYLOOM_SECRET");
  return secret != nullptr ? secret : "";
}

std::string new_secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw UserError(std::string("no random numbers from the system: ") + std::strerror(errno));
  }
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::string key_body(const std::string& secret) {
  BodyWriter body;
  body.u32(kHostProtocolVersion);
  body.raw(secret.data(), secret.size());
  return body.body();
}

// The time of the comparison does not depend on where the difference is.
std::string check_key(const std::string& body, const std::string& secret) {
  BodyReader in(body);
  const std::uint32_t version = in.u32();
  if (version != kHostProtocolVersion) {
    return "speaks protocol version " + std::to_string(version) + ", this side " +
           std::to_string(kHostProtocolVersion) + "; build both from one checkout";
  }
  const std::string theirs = in.rest();
  unsigned differences = theirs.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < theirs.size() && i < secret.size(); ++i) {
    differences |= static_cast<unsigned char>(theirs[i] ^ secret[i]);
  }
  return differences == 0 ? "" : "does not know the secret of this run (POLYLOOM_SECRET)";
}

PrivateFolder::PrivateFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string root = runtime != nullptr && is_private(runtime) ? runtime : "/tmp";
  remove_stale(root);
  std::string name = root + "/" + kFolderName + std::to_string(::getpid()) + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw UserError("cannot make a folder for a socket in " + root + ": " + std::strerror(errno));
  }
  path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace polyloom::fabric
