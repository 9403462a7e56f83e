#include "mulberry/data/bytes/chunked.hpp"

#include <sys/mman.h>

#include <new>

namespace mulberry::data {

void* new_block(std::size_t bytes) {
  if (bytes < k_page_block) return ::operator new(bytes);
  void* const pages =
      ::mmap(nullptr, k_page_block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

void FreeBlock::operator()(void* block) const {
  if (bytes < k_page_block) {
    ::operator delete(block);
  } else {
    ::munmap(block, k_page_block);
  }
}

}  // namespace mulberry::data
