/* Network file systems are told by their numbers, and refused unless somebody promised. */
#include "db/local_disk.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

static void network_file_systems_are_known(void **state) {
  (void)state;
  const struct {
    uint64_t magic;
    const char *name; /* NULL: a disk's */
  } cases[] = {
      {0x6969, "NFS"},
      {0xff534d42, "CIFS"},
      {0xffffffffff534d42u, "CIFS"}, /* f_type is signed on some machines */
      {0xfe534d42, "SMB2"},
      {0x01021997, "9P"},
      {0x65735546, "FUSE"},
      {0xef53, NULL},     /* ext2 to ext4 */
      {0x58465342, NULL}, /* XFS */
      {0x9123683e, NULL}, /* btrfs */
      {0x01021994, NULL}, /* tmpfs */
      {0x794c7630, NULL}, /* overlayfs */
      {0x2fc12fc1, NULL}, /* ZFS */
      {0, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *name = skep_network_file_system(cases[i].magic);
    if (cases[i].name == NULL) {
      assert_null(name);
    } else {
      assert_string_equal(name, cases[i].name);
    }
  }
}

static void a_promise_lets_it_pass(void **state) {
  (void)state;
  skep_err err = {0};
  char dir[] = "/tmp/skep_disk_XXXXXX", path[64], promise[96];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/m.sqlite", dir);
  snprintf(promise, sizeof promise, "%s-one-machine", path);
  assert_ok(skep_check_file_system(path, 0xef53, &err), err);
  assert_fails(skep_check_file_system(path, 0x6969, &err), SKEP_ERR_UNSUPPORTED, err, "network file system (NFS)");
  assert_non_null(strstr(err.text, "an empty file m.sqlite-one-machine beside it"));
  FILE *out = fopen(promise, "w");
  assert_non_null(out);
  fclose(out);
  assert_ok(skep_check_file_system(path, 0x6969, &err), err);
  unlink(promise);
  rmdir(dir);
}

static void a_local_disk_is_fine(void **state) {
  (void)state;
  skep_err err = {0};
  assert_ok(skep_check_local_disk("/tmp/m.sqlite", &err), err);
  assert_ok(skep_check_local_disk("/m.sqlite", &err), err);
  assert_ok(skep_check_local_disk("m.sqlite", &err), err);
  assert_ok(skep_check_local_disk("/no/such/place/m.sqlite", &err), err); /* said by whoever opens it */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(network_file_systems_are_known),
      cmocka_unit_test(a_promise_lets_it_pass),
      cmocka_unit_test(a_local_disk_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
