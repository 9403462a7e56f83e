#include "mulberry/data/bytes/byte_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "mulberry/core/error.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/bytes/text_reader.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

std::string gzip(std::string_view text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string read_all(ByteSource& source, std::size_t step = 1000) {
  std::string out, buffer(step, '\0');
  while (const std::size_t got = source.read(buffer.data(), step)) out.append(buffer, 0, got);
  return out;
}

std::string read_all(std::string_view bytes, std::size_t step = 1000) {
  return read_all(*open_bytes(bytes, "memory"), step);
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string long_text() {
  std::string out;
  for (int k = 0; k < 200000; ++k) out += std::to_string(k * 7919 % 100003) + (k % 9 ? " " : "\n");
  return out;
}

TEST(ByteSource, ReadsPlainGzipAndZstdTheSame) {
  const std::string text = long_text();
  for (const std::size_t step : {std::size_t{1} << 20, std::size_t{777}}) {
    EXPECT_EQ(read_all(text, step), text);
    EXPECT_EQ(read_all(gzip(text), step), text);
    EXPECT_EQ(read_all(zstd(text), step), text);
  }
}

TEST(ByteSource, ReadsSeveralMembersAndFrames) {
  EXPECT_EQ(read_all(gzip("ab") + gzip("") + gzip("cd")), "abcd");
  EXPECT_EQ(read_all(zstd("ab") + zstd("") + zstd("cd")), "abcd");
}

TEST(ByteSource, PeekTakesNothing) {
  const std::string bytes = gzip("hello");
  const auto source = open_bytes(bytes, "memory");
  EXPECT_EQ(source->peek(3), "hel");
  EXPECT_EQ(source->peek(100), "hello");
  EXPECT_EQ(read_all(*source, 2), "hello");
  EXPECT_EQ(source->peek(4), "");
}

TEST(ByteSource, NoDamageGoesUnnoticed) {
  const std::string text = long_text().substr(0, 300);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      EXPECT_THROW(read_all(whole.substr(0, size)), Error) << size;
    }
  }
  // A flipped bit is an error, or one of the few that mean nothing (the header's time, padding).
  const std::string whole = gzip(text);
  int harmless = 0;
  for (std::size_t k = 4; k < whole.size(); ++k) {
    std::string damaged = whole;
    damaged[k] = static_cast<char>(damaged[k] ^ 4);
    const std::string message = error_of([&] {
      EXPECT_EQ(read_all(damaged), text);
      ++harmless;
    });
  }
  EXPECT_LE(harmless, 7);
}

TEST(ByteSource, BytesAfterTheEndAreAnError) {
  EXPECT_THROW(read_all(gzip("ab") + "x"), Error);
  EXPECT_THROW(read_all(gzip("ab") + std::string(512, '\0')), Error);
  EXPECT_THROW(read_all(zstd("ab") + "x"), Error);
  EXPECT_THROW(read_all(zstd("ab") + gzip("ab")), Error);
}

TEST(ByteSource, ABombEndsInAnError) {
  const std::string zeros(std::size_t{1} << 24, '1');
  const std::string gzip_part = gzip(zeros), zstd_part = zstd(zeros);
  std::string gzip_bomb, zstd_bomb;
  for (int k = 0; k < 20; ++k) gzip_bomb += gzip_part, zstd_bomb += zstd_part;
  for (const std::string& bomb : {gzip_bomb, zstd_bomb}) {
    const auto source = open_bytes(bomb, "bomb");
    std::vector<char> buffer(std::size_t{1} << 20);
    const auto message = error_of([&] {
      while (source->read(buffer.data(), buffer.size()) > 0) {
      }
    });
    EXPECT_NE(message.find("expands at most 250 times"), std::string::npos) << message;
  }
}

TEST(ByteSource, FilesThatCannotBeReadHaveMessagesOfTheirOwn) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& path) { return error_of([&] { open_bytes(path); }); };
  EXPECT_NE(message(folder.file("none")).find("nothing of this name"), std::string::npos);
  EXPECT_NE(message(folder.path()).find("a directory"), std::string::npos);
  EXPECT_NE(message(folder.put("empty", "")).find("an empty file"), std::string::npos);
  EXPECT_NE(message(folder.put("file", "x") + "/below").find("nothing of this name"),
            std::string::npos);
  if (::geteuid() != 0) {  // root reads everything
    const std::string path = folder.put("secret", "x");
    ::chmod(path.c_str(), 0);
    EXPECT_NE(message(path).find("permission"), std::string::npos);
  }
}

std::vector<std::string> lines_of(std::string_view bytes) {
  TextReader text(open_bytes(bytes, "t"), "t");
  std::vector<std::string> out;
  while (text.next()) out.emplace_back(text.line());
  return out;
}

using Lines = std::vector<std::string>;

TEST(TextReader, TakesEveryLineEnding) {
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r"), (Lines{"a"}));
  EXPECT_EQ(lines_of("\n"), (Lines{""}));
  EXPECT_EQ(lines_of("a\rb\n"), (Lines{"a\rb"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a"),
            (Lines{"a"}));
}

TEST(TextReader, LongLinesAndManyBuffersStayWhole) {
  Lines expected;
  std::string text;
  for (std::size_t k = 0; k < 40; ++k) {
    expected.push_back(std::string(k * k * 700, static_cast<char>('a' + k % 26)));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(text), expected);
  EXPECT_EQ(lines_of(gzip(text)), expected);
}

TEST(TextReader, PlacesCountLinesAndCharacters) {
  const std::string text = "a\r\n\xC3\xA4\xC3\xB6x\n";
  TextReader reader(open_bytes(text, "t"), "t");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.ending(), "\r\n");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.ending(), "\n");
  EXPECT_EQ(reader.place(reader.line().data() + 4).text(), "t:2:3");
  EXPECT_EQ(reader.place(reader.line().data() + 5).text(), "t:2:4");
}

TEST(TextReader, OldMacintoshLines) {
  EXPECT_EQ(lines_of("a\rb\r\rc"), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("a\rb\r"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\r"), (Lines{"a"}));
  EXPECT_EQ(lines_of("a\rb\nc\r\n"), (Lines{"a\rb", "c"}));  // a file of LF has a CR inside
  const std::string text = "a\r\xC3\xA4\xC3\xB6x\r";
  TextReader reader(open_bytes(text, "t"), "t");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.ending(), "\r");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.place(reader.line().data() + 4).text(), "t:2:3");
  // Lines across the borders of buffers; other line ends that come later count as well.
  Lines expected;
  std::string many;
  for (std::size_t k = 0; k < 300000; ++k) {
    expected.push_back(std::to_string(k));
    many += expected.back() + (k < 100000 ? "\r" : k % 2 == 0 ? "\r\n" : "\n");
  }
  EXPECT_EQ(lines_of(many), expected);
  many += std::string("x\r\0", 3);
  EXPECT_EQ(error_of([&] { lines_of(many); }).substr(0, 11), "t:300002:1:");
}

TEST(TextReader, WhatIsNotTextIsSaidToBeSo) {
  const auto message = [](std::string_view bytes) { return error_of([&] { lines_of(bytes); }); };
  EXPECT_EQ(message(std::string_view("ab\ncd\0e", 7)).substr(0, 6), "t:2:3:");
  EXPECT_NE(message(std::string_view("ab\ncd\0e", 7)).find("a NUL byte"), std::string::npos);
  EXPECT_NE(message(std::string_view("\xFF\xFE"
                                     "a\0",
                                     4))
                .find("UTF-16"),
            std::string::npos);
  EXPECT_NE(message(std::string_view("\xFE\xFF\0a", 4)).find("UTF-16"), std::string::npos);
  EXPECT_NE(message(gzip("")).find("an empty file"), std::string::npos);
}

TEST(TextReader, DamageIsReportedAtItsLine) {
  std::string text;
  for (int k = 0; k < 100000; ++k) text += std::to_string(k) + "\n";
  const std::string cut = gzip(text).substr(0, 100000);
  const std::string message = error_of([&] { lines_of(cut); });
  EXPECT_NE(message.find("its end in the middle"), std::string::npos) << message;
  std::int64_t line = 0;
  try {
    lines_of(cut);
  } catch (const Error& error) {
    line = error.where().line;
  }
  EXPECT_GT(line, 10000);
  EXPECT_LE(line, 100000);
}

TEST(TextReader, ALineWithoutEndIsAnErrorBeforeMemoryIsOut) {
  const std::string part = zstd(std::string(std::size_t{1} << 24, 'x'));
  std::string endless;
  for (int k = 0; k < 12; ++k) endless += part;
  const std::string message = error_of([&] { lines_of(endless); });
  EXPECT_NE(message.find("at most 128 MB"), std::string::npos) << message;
}

TEST(Chunked, GivesBackWhatWasPut) {
  Chunked<std::int32_t> list;
  std::vector<std::int32_t> expected;
  for (std::int32_t k = 0; k < 700000; ++k) expected.push_back(k * 31);
  list.append(std::span(expected).first(400001));
  for (std::size_t k = 400001; k < expected.size(); ++k) list.push_back(expected[k]);
  EXPECT_EQ(list.size(), expected.size());
  EXPECT_EQ(list[262144], expected[262144]);
  EXPECT_EQ(list.take(), expected);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace mulberry::data
