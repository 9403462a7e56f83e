#include "mulberry/data/bytes/chunked.hpp"

#include <sys/mman.h>

#include <new>

namespace mulberry::data {

void* new_pages() {
  void* const pages =
      ::mmap(nullptr, k_page_block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

void FreePages::operator()(void* pages) const { ::munmap(pages, k_page_block); }

}  // namespace mulberry::data
