// SPDX-License-Identifier: Apache-2.0
#include "polite/mapper/child_processes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <vector>

namespace polyloom::polite {

SharedWords::SharedWords(std::size_t n) : words_(nullptr), size_(n) {
  void* memory = mmap(nullptr, std::max<std::size_t>(n, 1) * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  words_ = static_cast<std::uint32_t*>(memory);
}

SharedWords::~SharedWords() { munmap(words_, std::max<std::size_t>(size_, 1) * sizeof(std::uint32_t)); }

void child_processes(std::size_t n, unsigned processes, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t)>& otherwise) {
  SharedWords state(n + 1);  // [0, n): done; [n]: next
  auto run = [&] {
    std::atomic_ref<std::uint32_t> next(state[n]);
    for (std::uint32_t i; (i = next.fetch_add(1)) < n;) {
      work(i);
      std::atomic_ref<std::uint32_t>(state[i]).store(1);
    }
  };
  std::vector<pid_t> children;
  for (unsigned p = 0; p < processes && p < n; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      // Ctrl-C ends the parent, which then no longer waits: the child goes too.
      std::signal(SIGINT, SIG_DFL);
      // METIS complains on standard output about pieces that it cannot divide; they are repaired afterwards.
      if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDOUT_FILENO);
      int status = 0;
      try {
        run();
      } catch (...) {
        status = 1;
      }
      _exit(status);
    }
    if (child > 0) children.push_back(child);
  }
  for (pid_t child : children) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (state[i] == 0) otherwise(i);
  }
}

}  // namespace polyloom::polite
