// Amounts of memory as text, and the check before a large block is allocated.
#pragma once

#include <cstddef>
#include <string>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// From here on, memory that a computation will take is worth a note to the user.
inline constexpr std::size_t k_much_memory = 100'000'000;

// "12.3 kB", "12.3 MB", "1.23 GB".
std::string size_text(std::size_t bytes);

// Throws Error if `what` needs more than the limit: "expected at most 2.00 GB for ..., found that
// it takes 3.10 GB".
void require_memory(const std::string& what, std::size_t needed, std::size_t limit,
                    const std::string& remedy);

// What this process can still get: the least of its own limit of addresses (ulimit -v), the limit
// of its control group, and the memory and swap that the machine has to spare. Where none is known,
// the largest number.
std::size_t available_memory();

}  // namespace mulberry::core
