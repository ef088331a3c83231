// SPDX-License-Identifier: Apache-2.0
// Covers: whose a folder is, by its manifest: nothing that belongs to others is removed, overwritten or taken
// over, also behind links and by a manifest that was tampered with; one run at a time; nothing is lost at
// whatever step a run is killed or the disk is full; files written whole or not at all. Leaves out: network
// file systems; what Python adds to it (polyloom/base/tests/test_folder.py).
#include "fabric/run/folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fabric/error.h"
#include "fabric/partial_file.h"
#include "fabric/run/record.h"

namespace {

/// Changes of the file system that are still to go well; then `at_the_end` says whether they fail from there
/// on. Negative: no such end.
int steps_left = -1;
bool (*at_the_end)() = nullptr;

bool dies() { ::_exit(0); }
bool disk_is_full() {
  errno = ENOSPC;
  return true;
}

bool fails() {
  if (steps_left < 0) return false;
  if (steps_left == 0) return at_the_end();
  --steps_left;
  return false;
}

}  // namespace

// In place of the C library's in this program.
extern "C" {
ssize_t write(int fd, const void* bytes, size_t count) {
  return fails() ? -1 : ::syscall(SYS_write, fd, bytes, count);
}
int ftruncate(int fd, off_t size) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_ftruncate, fd, size));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int rename(const char* from, const char* to) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
}

namespace polyloom::fabric {
namespace {

namespace fs = std::filesystem;
using Use = RunFolder::Use;

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/polyloom-folder-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  /// What a run of ours leaves in "run".
  void record(const std::vector<std::string>& names) const {
    RunRecord made(root_ / "run");
    for (const std::string& name : names) made.write(name, "of " + name);
    made.commit();
  }
  std::string refusal(const std::string& folder, Use use = Use::replace) const {
    try {
      RunFolder(root_ / folder, use);
    } catch (const UserError& error) {
      return error.what();
    }
    return {};
  }

  fs::path root_;
};

// The finding: any folder with a run.json was taken for a record, and replaced with all that was in it.
TEST_F(FolderTest, AFolderOfSomebodyElseIsRefusedWhateverItsFilesAreCalled) {
  put("p/run.json", "{}");
  put("p/thesis.txt", "precious");
  EXPECT_NE(refusal("p").find("nothing was changed"), std::string::npos) << refusal("p");
  EXPECT_THROW(RunRecord(root_ / "p"), UserError);
  EXPECT_EQ(contents(root_ / "p/thesis.txt"), "precious");
  EXPECT_EQ(contents(root_ / "p/run.json"), "{}");
  EXPECT_FALSE(fs::exists(root_ / "p" / RunFolder::kManifest));
}

TEST_F(FolderTest, AFileThatWasPutIntoARecordIsSafe) {
  record({"run.json", "counters.csv"});
  put("run/notes.txt", "mine");
  EXPECT_NE(refusal("run").find("notes.txt"), std::string::npos);
  EXPECT_EQ(contents(root_ / "run/counters.csv"), "of counters.csv");
  fs::rename(root_ / "run/notes.txt", root_ / "run/sub");
  EXPECT_NE(refusal("run").find("sub"), std::string::npos);
  fs::remove(root_ / "run/sub");
  fs::create_directory(root_ / "run/empty");
  EXPECT_NE(refusal("run").find("empty"), std::string::npos);
  fs::remove(root_ / "run/empty");
  EXPECT_EQ(refusal("run"), "");
}

TEST_F(FolderTest, OnlyWhatTheManifestNamesGoes) {
  record({"run.json", "counters.csv", "trace.json"});
  record({"run.json", "counters.csv"});
  EXPECT_FALSE(fs::exists(root_ / "run/trace.json"));
  put("run/trace.json", "another program's, of a name that we do not use any more");
  EXPECT_NE(refusal("run").find("trace.json"), std::string::npos);
}

TEST_F(FolderTest, AManifestThatWasTamperedWithReachesNothingOutside) {
  put("outside/file", "precious");
  record({"run.json"});
  std::ofstream manifest(root_ / "run" / RunFolder::kManifest, std::ios::app);
  manifest << "../outside/file\n" << (root_ / "outside/file").string() << "\nlink/file\nlinked/\n";
  manifest.close();
  record({"run.json"});
  fs::create_directory_symlink(root_ / "outside", root_ / "run/link");
  EXPECT_NE(refusal("run").find("link"), std::string::npos);
  fs::rename(root_ / "run/link", root_ / "run/linked");
  EXPECT_NE(refusal("run").find("linked"), std::string::npos);
  EXPECT_EQ(contents(root_ / "outside/file"), "precious");
}

TEST_F(FolderTest, AForeignManifestIsNoProof) {
  put(std::string("p/") + RunFolder::kManifest, "thesis.txt\n");
  put("p/thesis.txt", "precious");
  EXPECT_NE(refusal("p").find("not polyloom's"), std::string::npos) << refusal("p");
  EXPECT_EQ(contents(root_ / "p/thesis.txt"), "precious");
}

TEST_F(FolderTest, OneRunAtATime) {
  {
    RunFolder first(root_ / "run", Use::replace);
    EXPECT_NE(refusal("run").find("another run is using this folder"), std::string::npos) << refusal("run");
    EXPECT_NE(refusal("run", Use::add).find("another run"), std::string::npos);
    // What the run itself starts works beside it.
    ::setenv("POLYLOOM_RUN_HELD", (root_ / "run").c_str(), 1);
    EXPECT_EQ(refusal("run", Use::add), "");
    ::unsetenv("POLYLOOM_RUN_HELD");
  }
  EXPECT_FALSE(fs::exists(root_ / "run"));  // it was new, and nothing was written
}

TEST_F(FolderTest, AnAddedFileIsNamedAndOverwritesNothing) {
  record({"run.json"});
  put("run/result.json", "mine");
  EXPECT_THROW(RunFolder(root_ / "run", Use::add).claim("result.json"), UserError);
  fs::remove(root_ / "run/result.json");
  for (const char* text : {"first", "second"})
    write_whole(RunFolder(root_ / "run", Use::add).claim("result.json"), text);
  EXPECT_EQ(contents(root_ / "run/result.json"), "second");
  EXPECT_EQ(refusal("run"), "");
}

TEST_F(FolderTest, WhatAKilledRunLeftIsReplaced) {
  {
    RunFolder killed(root_ / "run", Use::replace);
    fs::create_directory(killed.claim(".partial/"));
    put("run/.partial/counters.csv", "half");
    killed.claim("result.json");
    put("run/.result.json.partial-1-0", "half");
  }
  record({"run.json"});
  EXPECT_FALSE(fs::exists(root_ / "run/.partial"));
  EXPECT_EQ(contents(root_ / "run/run.json"), "of run.json");
}

// Whatever lies there is named by a manifest at each moment, so that the next run can replace it.
TEST_F(FolderTest, ARunThatIsKilledAtAnyStepLosesNoName) {
  int steps = 0;
  for (bool killed = true; killed; ++steps) {
    {
      RunFolder made(root_ / "run", Use::replace);
      for (const char* name : {"run.json", "logs/a", "logs/deep/b", "c"})
        std::ofstream(made.claim(name)) << name;
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      at_the_end = dies;
      steps_left = steps;
      RunFolder run(root_ / "run", Use::replace);
      std::ofstream(run.claim("d")) << "half of it";
      run.give_up();
      steps_left = -1;
      ::_exit(1);  // it went well
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    killed = WEXITSTATUS(status) == 0;
    const bool aside = fs::exists(root_ / "run/.previous/run.json");
    EXPECT_EQ(contents(root_ / "run" / (aside ? ".previous/run.json" : "run.json")), "run.json") << steps;
    EXPECT_EQ(refusal("run"), "") << steps;
    fs::remove_all(root_ / "run");
  }
  EXPECT_GT(steps, 20);
}

TEST_F(FolderTest, ADiskThatIsFullFromAnyStepOnLosesNoFile) {
  const std::vector<std::string> names = {"c", "logs/a", "logs/deep/b", "run.json"};
  int steps = 0;
  for (bool full = true; full; ++steps) {
    {
      RunFolder made(root_ / "run", Use::replace);
      for (const std::string& name : names) std::ofstream(made.claim(name)) << name;
    }
    at_the_end = disk_is_full;
    steps_left = steps;
    try {
      RunFolder run(root_ / "run", Use::replace);
      try {
        std::ofstream(run.claim("d")) << "half of it";
      } catch (const UserError&) {
        run.give_up();
        throw;
      }
      run.give_up();
      full = false;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
    }
    steps_left = -1;
    for (const std::string& name : names) {
      const bool here = fs::exists(root_ / "run" / name);
      EXPECT_EQ(contents(root_ / "run" / (here ? name : ".previous/" + name)), name) << steps;
    }
    EXPECT_EQ(refusal("run"), "") << steps;
    fs::remove_all(root_ / "run");
  }
  EXPECT_GT(steps, 20);
}

// The simulator alone, without a launcher that sets the earlier record aside.
TEST_F(FolderTest, ARecordThatIsNotCommittedLeavesTheEarlierOne) {
  record({"run.json", "counters.csv"});
  {
    RunRecord half(root_ / "run");
    half.write("trace.json", "half");
  }
  EXPECT_EQ(contents(root_ / "run/counters.csv"), "of counters.csv");
  EXPECT_EQ(RunFolder::names_of(root_ / "run").count("trace.json"), 0u);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "run"), fs::directory_iterator()), 3);
}

TEST_F(FolderTest, AFileIsWrittenWholeOrNotAtAll) {
  put("out.csv", "earlier");
  put("out.csv.partial", "somebody else's");
  {
    PartialFile file((root_ / "out.csv").string());
    file.write("half");
  }
  EXPECT_EQ(contents(root_ / "out.csv"), "earlier");
  write_whole((root_ / "out.csv").string(), "whole");
  EXPECT_EQ(contents(root_ / "out.csv"), "whole");
  EXPECT_EQ(contents(root_ / "out.csv.partial"), "somebody else's");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 2);
  EXPECT_THROW(write_whole("/dev/full", "x"), UserError);
}

TEST_F(FolderTest, ALinkAndTheModeOfAFileStay) {
  put("real.csv", "earlier");
  ::chmod((root_ / "real.csv").c_str(), 0640);
  fs::create_symlink("real.csv", root_ / "link.csv");
  write_whole((root_ / "link.csv").string(), "new");
  EXPECT_TRUE(fs::is_symlink(root_ / "link.csv"));
  EXPECT_EQ(contents(root_ / "real.csv"), "new");
  struct stat facts {};
  ASSERT_EQ(::stat((root_ / "real.csv").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

}  // namespace
}  // namespace polyloom::fabric
