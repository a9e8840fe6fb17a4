/* Statuses and the caller-owned error of every Skep call.
 *
 * A function that can fail returns a skep_status and takes a skep_err, which may be NULL. Nothing about errors is
 * global or per thread. The text reads from the outside in: "t/delta_1_1/bucket_0: stripe 3: column 5 LENGTH: ...". */
#ifndef SKEP_STATUS_H
#define SKEP_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SKEP_API __attribute__((visibility("default")))
#define SKEP_NODISCARD __attribute__((warn_unused_result))
#define SKEP_PRINTF(fmt_index, first_index) __attribute__((format(printf, fmt_index, first_index)))
#else
#define SKEP_API
#define SKEP_NODISCARD
#define SKEP_PRINTF(fmt_index, first_index)
#endif

/* The one table of statuses: symbol, name in messages, meaning. Values are stable: append only. */
#define SKEP_STATUS_TABLE(X)                                                                               \
  X(SKEP_OK, "ok", "success")                                                                              \
  X(SKEP_END, "end", "an iterator has no more items; no message")                                          \
  X(SKEP_ERR_ARGUMENT, "argument", "the caller's mistake: a bad option, name, type or value")              \
  X(SKEP_ERR_NOT_FOUND, "not found", "a file, directory, column or object does not exist")                 \
  X(SKEP_ERR_EXISTS, "exists", "the thing to create is there already")                                     \
  X(SKEP_ERR_CORRUPT, "corrupt", "bytes contradict their format")                                          \
  X(SKEP_ERR_UNSUPPORTED, "unsupported", "valid, but not something this version reads or does")            \
  X(SKEP_ERR_LIMIT, "limit", "a configured limit was exceeded")                                            \
  X(SKEP_ERR_RANGE, "range", "a value does not fit the type asked for")                                    \
  X(SKEP_ERR_IO, "io", "the operating system or network failed")                                           \
  X(SKEP_ERR_NOMEM, "memory", "out of memory")                                                             \
  X(SKEP_ERR_CANCELLED, "cancelled", "the caller asked to stop")                                           \
  X(SKEP_ERR_SNAPSHOT, "snapshot", "no consistent view: a snapshot is missing or too old")                 \
  X(SKEP_ERR_INTERNAL, "internal", "a bug in Skep")                                                        \
  X(SKEP_ERR_SYNTAX, "syntax", "a statement does not parse; the text says line and column")                \
  X(SKEP_ERR_SEMANTIC, "semantic", "a statement parses and means nothing here, or is forbidden")           \
  X(SKEP_ERR_CONFLICT, "conflict", "an overlapping transaction committed a change to the same data first") \
  X(SKEP_ERR_ABORTED, "aborted", "the transaction was aborted, by somebody or by a time-out")              \
  X(SKEP_ERR_IN_DOUBT, "in doubt", "the outcome of a commit is not known and can be asked again")          \
  X(SKEP_ERR_BUSY, "busy", "another process holds what is needed, for longer than the time allowed")       \
  X(SKEP_ERR_RUNTIME, "runtime", "a running statement met a value it must not: a constraint, a cardinality")

typedef enum skep_status {
#define SKEP_STATUS_ENUM(symbol, name, meaning) symbol,
  SKEP_STATUS_TABLE(SKEP_STATUS_ENUM)
#undef SKEP_STATUS_ENUM
} skep_status;

/* Filled on failure only; `text` is NUL-terminated UTF-8, untrusted bytes in it are escaped. */
typedef struct skep_err {
  skep_status status;
  char text[1024];
} skep_err;

/* The short name of a status ("corrupt"), never NULL; "unknown" for a number that is none. */
SKEP_API const char *skep_status_name(skep_status status);

#ifdef __cplusplus
}
#endif
#endif
