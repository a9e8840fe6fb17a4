/* Network file systems: see local_disk.h.
 *
 * Sources of the numbers: linux/magic.h, and the drivers of those that are not in Linux. A FUSE file system may be
 * anything (sshfs, s3fs, also a local disk): it cannot be told, so it counts as a network's. */
#include "db/local_disk.h"

#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *skep_network_file_system(uint64_t magic) {
  static const struct {
    uint32_t magic;
    const char *name;
  } known[] = {
      {0x6969, "NFS"},       {0x517b, "SMB"},          {0xff534d42, "CIFS"},
      {0xfe534d42, "SMB2"},  {0x01021997, "9P"},       {0x65735546, "FUSE"},
      {0x00c36400, "Ceph"},  {0x0bd00bd0, "Lustre"},   {0x5346414f, "AFS"},
      {0x6b414653, "AFS"},   {0x73757245, "Coda"},     {0x47504653, "GPFS"},
      {0x01161970, "GFS2"},  {0x7461636f, "OCFS2"},    {0x19830326, "BeeGFS"},
      {0xaad7aaea, "PanFS"}, {0x20030528, "OrangeFS"}, {0x786f4256, "VirtualBox shared folder"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].magic == (uint32_t)magic) return known[i].name;
  }
  return NULL;
}

static skep_status too_long(const char *path, skep_err *err) {
  return skep_fail(err, SKEP_ERR_LIMIT, "path of %zu bytes", strlen(path));
}

skep_status skep_directory_of(const char *path, char *dir, size_t size, skep_err *err) {
  const char *slash = strrchr(path, '/');
  size_t n = slash == NULL ? 0 : (size_t)(slash - path);
  if (n >= size - 1) return too_long(path, err);
  memcpy(dir, slash == NULL ? "." : path, n);
  if (n == 0) dir[n++] = slash == NULL ? '.' : '/';
  dir[n] = 0;
  return SKEP_OK;
}

skep_status skep_check_file_system(const char *path, uint64_t magic, skep_err *err) {
  char promise[4096];
  const char *name = skep_network_file_system(magic);
  if (name == NULL) return SKEP_OK;
  int n = snprintf(promise, sizeof promise, "%s-one-machine", path);
  if (n < 0 || (size_t)n >= sizeof promise) return too_long(path, err);
  if (access(promise, F_OK) == 0) return SKEP_OK;
  char quoted[300];
  const char *slash = strrchr(promise, '/');
  skep_quote(quoted, sizeof quoted, slash != NULL ? slash + 1 : promise, strlen(slash != NULL ? slash + 1 : promise));
  return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                   "it is on a network file system (%s), where SQLite cannot keep the processes of several machines "
                   "apart: put the metastore on a local disk or into PostgreSQL; where only this machine uses it, an "
                   "empty file %s beside it says so",
                   name, quoted);
}

skep_status skep_check_local_disk(const char *path, skep_err *err) {
  char dir[4096];
  struct statfs fs;
  SKEP_TRY(skep_directory_of(path, dir, sizeof dir, err));
  if (statfs(dir, &fs) != 0) return SKEP_OK; /* opening says what is wrong */
  return skep_check_file_system(path, (uint64_t)fs.f_type, err);
}
