// SPDX-License-Identifier: Apache-2.0
// Covers: what a heartbeat says: since when, how far, what remains; lengths of time in short. Leaves out:
// when a line is shown, and where (tests/test_progress.py).
#include "fabric/host/progress_line.h"

#include <gtest/gtest.h>

namespace polyloom::fabric {
namespace {

TEST(Heartbeat, SaysSinceWhenAndWhatRemainsWhereThatIsKnown) {
  Heartbeat heartbeat("reading edges.txt");
  EXPECT_EQ(heartbeat.text(7.2), "reading edges.txt, 7 s");
  heartbeat.at(0, 80);
  EXPECT_EQ(heartbeat.text(2), "reading edges.txt, 0 %, 2 s");
  heartbeat.at(20, 80);  // a quarter in 10 s: 30 s for the others
  EXPECT_EQ(heartbeat.text(10), "reading edges.txt, 25 %, 10 s, about 30 s left");
  heartbeat.at(1, 3601);
  EXPECT_EQ(heartbeat.text(3), "reading edges.txt, 0 %, 3 s, about 3 h left");
  heartbeat.at(0, 0);
  EXPECT_EQ(heartbeat.text(11), "reading edges.txt, 11 s");
}

TEST(ShortDuration, HasOneUnit) {
  EXPECT_EQ(short_duration(0.4), "0 s");
  EXPECT_EQ(short_duration(119.4), "119 s");
  EXPECT_EQ(short_duration(150), "2 min");
  EXPECT_EQ(short_duration(7199), "119 min");
  EXPECT_EQ(short_duration(7200), "2 h");
}

}  // namespace
}  // namespace polyloom::fabric
