// What a shell command prints, and how it ended.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace mulberry::tests {

struct Said {
  int code = -1;  // as a shell gives it: 128 + the number of a signal
  std::string text = {};
};

inline Said shell(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no pipe for " + command);
  Said out;
  std::array<char, 1 << 16> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
    out.text.append(block.data(), got);
  }
  const int status = pclose(pipe);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

}  // namespace mulberry::tests
