/* MULBERRY_API marks what the shared library lets other programs see: the names of the headers in
 * include/mulberry and nothing else. Everything it does not mark is hidden and may change. */
#ifndef MULBERRY_EXPORT_H
#define MULBERRY_EXPORT_H

#if defined(__GNUC__)
#define MULBERRY_API __attribute__((visibility("default")))
#else
#define MULBERRY_API
#endif

#endif
