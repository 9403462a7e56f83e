#include "mulberry/core/visible.hpp"

#include <gtest/gtest.h>

namespace mulberry::core {
namespace {

TEST(Visible, EscapesWhatATerminalObeys) {
  EXPECT_EQ(visible("a\x1b[31mb\a\x7f"), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");  // U+009B in UTF-8
  EXPECT_EQ(visible("\x9b"
                    "31m \xff"),
            "\\x9b31m \xff");  // the same as a byte
  EXPECT_EQ(visible("one\r\ntwo\tthree\n"), "one\\x0d\ntwo\tthree\n");
  EXPECT_EQ(visible_line("one\ntwo\t"), "one\\x0atwo\\x09");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
}

TEST(Visible, LeavesTextAlone) {
  const std::string text = "é ー 漢字 🙂 \xc2\xa0 ─█";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(visible_line(text), text);
  EXPECT_EQ(visible("\xe3\x83"), "\xe3\\x83");  // cut off in the middle
}

}  // namespace
}  // namespace mulberry::core
