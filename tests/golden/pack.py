#!/usr/bin/env python3
"""Pack golden scenarios into archives: pack.py SOURCE [NAME...] writes NAME.tar.zst here for every scenario folder of SOURCE.

A scenario's snapshots list the directories that hold no file (empty_directories of meta.json), which version control drops: they
are made again before packing, so that an archive is the table exactly as Hive left it. Archives are reproducible: sorted names, no
owners, no times."""
import glob, json, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def pack(source, name):
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, name)
        shutil.copytree(os.path.join(source, name), folder)
        for meta in glob.glob(os.path.join(folder, "*", "meta.json")):
            table = os.path.join(os.path.dirname(meta), "table")
            os.makedirs(table, exist_ok=True)
            for empty in json.load(open(meta)).get("empty_directories") or []:
                os.makedirs(os.path.join(table, empty), exist_ok=True)
        subprocess.run(["chmod", "-R", "u+rwX,go+rX", folder], check=True)
        tar = subprocess.Popen(["tar", "-C", work, "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0",
                                "--mode=u=rwX,go=rX", "-cf", "-", name], stdout=subprocess.PIPE)
        subprocess.run(["zstd", "-q", "-f", "-19", "-o", os.path.join(HERE, name + ".tar.zst")], stdin=tar.stdout, check=True)
        if tar.wait() != 0:
            sys.exit("tar failed for " + name)


names = sys.argv[2:] or sorted(d for d in os.listdir(sys.argv[1]) if os.path.isdir(os.path.join(sys.argv[1], d)))
for scenario in names:
    pack(sys.argv[1], scenario)
