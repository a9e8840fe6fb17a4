/* Which locks a statement takes: Hive's rules as pure functions, without a database or a session.
 *
 * A statement names what it touches as entities (an object and what is done to it); skep_locks_decide makes one lock
 * component an object of them. What a definition does to its table is skep_locks_of_ddl.
 *
 * Source: Apache Hive 4.0 AcidUtils.makeLockComponents, LockRequestBuilder, the analyzers' write entities (txn-protocol
 * 7.7, 7.8), with the defaults of a real 4.0.1 (golden 19-metastore/conf): INSERT r, UPDATE, DELETE and MERGE x, INSERT
 * OVERWRITE e. */
#ifndef SQL_LOCKS_H
#define SQL_LOCKS_H

#include "lock/lock.h"

/* Hive's switches. */
typedef struct skep_locks_conf {
  bool xlock_write;                    /* hive.txn.xlock.write: UPDATE and DELETE exclude each other */
  bool xlock_iow;                      /* hive.txn.xlock.iow: INSERT OVERWRITE excludes readers */
  bool xlock_ctas;                     /* hive.txn.xlock.ctas */
  bool xlock_mergeinsert;              /* hive.txn.xlock.mergeinsert: the INSERT of a MERGE excludes writers */
  bool row_conflicts;                  /* skep.conflict.granularity=row: UPDATE and DELETE do not exclude each other */
  bool strict_locking;                 /* hive.txn.strict.locking.mode: inserts into plain tables exclude everybody */
  bool lockless_reads;                 /* hive.acid.lockless.reads.enabled */
  bool read_locks, nonacid_read_locks; /* hive.txn.read.locks, hive.txn.nonacid.read.locks */
  bool ext_locking;                    /* hive.txn.ext.locking.enabled: external tables are locked */
  bool truncate_base;                  /* hive.acid.truncate.usebase */
  bool soft_drop;                      /* hive.acid.createtable.softdelete */
  bool drop_partition_base;            /* hive.acid.droppartition.usebase */
  bool rename_partition_copy;          /* hive.acid.renamepartition.makecopy */
  int64_t max_partitions;              /* hive.locks.max.partitions: so many, or more, become one lock of the table;
                                          0 or less: never */
  const char *exclusive;               /* hive.query.exclusive.lock: statements with the same name run one after the
                                          other; NULL: none */
} skep_locks_conf;

/* Hive's defaults, but for max_partitions, which Hive does not limit: ten thousand rows a SELECT are too many. */
#define SKEP_LOCKS_CONF_DEFAULT                                                                             \
  {                                                                                                         \
    .xlock_write = true, .xlock_iow = true, .xlock_ctas = true, .strict_locking = true, .read_locks = true, \
    .nonacid_read_locks = true, .truncate_base = true, .max_partitions = 1000                               \
  }

typedef enum skep_lock_object { /* what an entity is */
                                SKEP_LOCK_OBJECT_DATABASE,
                                SKEP_LOCK_OBJECT_ACID, /* full ACID or insert-only */
                                SKEP_LOCK_OBJECT_PLAIN,
                                SKEP_LOCK_OBJECT_EXTERNAL,
                                SKEP_LOCK_OBJECT_VIEW
} skep_lock_object;

typedef enum skep_lock_use { /* what is done to it */
                             SKEP_LOCK_USE_READ,
                             SKEP_LOCK_USE_INSERT,
                             SKEP_LOCK_USE_MERGE_INSERT,
                             SKEP_LOCK_USE_INSERT_OVERWRITE,
                             SKEP_LOCK_USE_CHANGE, /* UPDATE, DELETE, and those clauses of MERGE */
                             SKEP_LOCK_USE_CTAS,   /* the new table */
                             SKEP_LOCK_USE_DDL_NONE,
                             SKEP_LOCK_USE_DDL_SHARED,
                             SKEP_LOCK_USE_DDL_EXCL_WRITE,
                             SKEP_LOCK_USE_DDL_EXCLUSIVE
} skep_lock_use;

typedef struct skep_lock_entity {
  const char *database, *table; /* table NULL: the database */
  skep_lock_object object;
  skep_lock_use use;
  const char *const *partitions; /* escaped names: these and not the whole table */
  uint32_t n_partitions;         /* 0: the whole table (dynamic partitions; nothing is left after pruning) */
  bool is_partitioned;           /* the table is: for legacy_locks.h */
} skep_lock_entity;

/* The components of a statement, merged: one an object. *n 0: it takes no locks. Texts are borrowed from the entities;
 * the array lives in the arena. */
SKEP_NODISCARD skep_status skep_locks_decide(const skep_locks_conf *conf, const skep_lock_entity *entities, uint32_t n,
                                             skep_arena *arena, skep_lock_component **out, uint32_t *n_out,
                                             skep_err *err);

/* Definitions, by what they lock. */
typedef enum skep_locks_ddl {
  SKEP_LOCKS_DDL_NONE,             /* TOUCH, COMPACT, CREATE and ALTER DATABASE */
  SKEP_LOCKS_DDL_DROP_DATABASE,    /* of the database */
  SKEP_LOCKS_DDL_DROP_TABLE,       /* of the table; its database is DDL_SHARED beside */
  SKEP_LOCKS_DDL_CREATE_TABLE,     /* of the database */
  SKEP_LOCKS_DDL_TRUNCATE,         /* of the partitions, or the table */
  SKEP_LOCKS_DDL_ADD_PARTITION,    /* of the table */
  SKEP_LOCKS_DDL_ADD_PARTITION_IF, /* ... with IF NOT EXISTS */
  SKEP_LOCKS_DDL_DROP_PARTITION,   /* of the partitions */
  SKEP_LOCKS_DDL_RENAME_PARTITION, /* of the partition */
  SKEP_LOCKS_DDL_PLACE,            /* SET LOCATION, INTO n BUCKETS, ARCHIVE, ..: what lies on disk */
  SKEP_LOCKS_DDL_DEFINITION,       /* columns, format, SerDe, owner, RENAME, UNSET TBLPROPERTIES, ADD CONSTRAINT */
  SKEP_LOCKS_DDL_DROP_CONSTRAINT,
  SKEP_LOCKS_DDL_PROPERTIES, /* SET TBLPROPERTIES, SET SERDEPROPERTIES, UPDATE STATISTICS */
  SKEP_LOCKS_DDL_CONVERT,    /* SET TBLPROPERTIES that makes a table transactional */
  SKEP_LOCKS_DDL_COUNT
} skep_locks_ddl;

skep_lock_use skep_locks_of_ddl(const skep_locks_conf *conf, skep_locks_ddl ddl, bool transactional);

#endif
