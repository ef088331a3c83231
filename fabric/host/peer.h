// SPDX-License-Identifier: Apache-2.0
// The process at the other end of a socket, and whether it belongs to this run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace polyloom::fabric {

/// As the kernel knows it: of the process that connected, or of the one that listened. pid 0: not known.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;

  /// This process's user, or root, who needs no permission of ours.
  bool is_trusted() const;
  /// `ancestor` itself, or started by it, directly or not.
  bool descends_from(pid_t ancestor) const;
  /// "process 4711 of user 65534".
  std::string text() const;
};
/// Throws UserError if the socket does not tell.
Peer peer_of(int fd);

/// Both sides of a run know its secret: the simulator and its clients from POLYLOOM_SECRET. It keeps runs of
/// one user apart; other users are kept out by Peer.
std::string environment_secret();
/// 128 random bits, in hexadecimal digits.
std::string new_secret();

/// What each side says first, and the check of what the other said: empty if it is right, else what is wrong.
std::string key_body(const std::string& secret);
std::string check_key(const std::string& body, const std::string& secret);

/// A folder that only this user can enter, under XDG_RUNTIME_DIR or /tmp, for sockets. Removed with all in it
/// when this object goes; what dead processes left there is removed when one is made.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace polyloom::fabric
