// SPDX-License-Identifier: Apache-2.0
// Covers: every kind of exception as one line and a status; memory that is there, under an address space
// limit too; what is refused and with which words; JSON of text that is no UTF-8. Leaves out: control groups
// (the test's own is as it is).
#include "fabric/guarded.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "fabric/error.h"
#include "fabric/json_text.h"
#include "fabric/memory.h"

namespace polyloom {
namespace {

template <typename Body>
std::string reported(Body body, int status) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(guarded([&]() -> int {
              body();
              return 0;
            }),
            status);
  return testing::internal::GetCapturedStderr();
}

TEST(Guarded, PassesTheStatusOn) {
  EXPECT_EQ(guarded([] { return 3; }), 3);
}

TEST(Guarded, TellsEveryExceptionInOneLine) {
  EXPECT_EQ(reported([] { throw UserError("x.txt:2: no"); }, 1), "polyloom: x.txt:2: no\n");
  const std::string memory = reported([] { throw std::bad_alloc(); }, 1);
  EXPECT_TRUE(memory.starts_with("polyloom: not enough memory: ")) << memory;
  EXPECT_EQ(
      reported([] { std::vector<char>().reserve(~std::size_t{0}); }, 1).find("polyloom: not enough memory"),
      0u);
  EXPECT_EQ(reported([] { throw std::logic_error("inside"); }, 70),
            "polyloom: a defect of Polyloom, please report it: inside\n");
  EXPECT_EQ(reported([] { throw 5; }, 70).find("polyloom: a defect"), 0u);
}

TEST(Memory, IsThereAndIsRefusedWithBothNumbers) {
  EXPECT_GT(memory_there(), 1e6);
  EXPECT_LT(memory_there(), 1e15);
  EXPECT_NO_THROW(require_memory(1000, "little"));
  try {
    require_memory(36.9e18, "a graph of 2147483648 vertices");
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("a graph of 2147483648 vertices needs 36.9 EB of memory; ")) << text;
    EXPECT_TRUE(text.ends_with(" are there")) << text;
  }
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1500), "1.5 kB");
}

TEST(Memory, KnowsTheAddressSpaceLimit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes the address space that the test limits";
#endif
  // In a process of its own: the limit stays.
  const auto look = [] {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 2'000'000'000;
    setrlimit(RLIMIT_AS, &limit);
    std::exit(memory_there() < 2e9 ? 0 : 1);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}

TEST(JsonText, KeepsAResponseWhoseTextIsNoUtf8) {
  const nlohmann::json value = {{"name", "caf\xe9"}};
  EXPECT_EQ(json_text(value), "{\"name\":\"caf\xef\xbf\xbd\"}");
  EXPECT_EQ(json_text(nlohmann::ordered_json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

TEST(JsonText, KeepsBytesThatMustComeThrough) {
  EXPECT_EQ(json_bytes("caf\xc3\xa9").dump(), "\"caf\xc3\xa9\"");
  EXPECT_EQ(json_bytes("\xff!").dump(), "[255,33]");
  for (const std::string text : {"", "caf\xc3\xa9", "caf\xe9", "\xed\xa0\x80", "\xff\xfe"}) {
    EXPECT_EQ(bytes_of(nlohmann::json::parse(json_bytes(text).dump())), text);
  }
  EXPECT_THROW(bytes_of(256), nlohmann::json::exception);
}

}  // namespace
}  // namespace polyloom
