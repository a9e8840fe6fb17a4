#!/usr/bin/env python3
"""Writing ORC beside pyarrow: write.py --write BENCH_WRITE --file ORC_FILE [--rounds N]. Both sides hold the rows in memory; processor time."""
import argparse, os, statistics, subprocess, tempfile, time

import pyarrow as pa
import pyarrow.orc as orc

parser = argparse.ArgumentParser()
parser.add_argument("--write", required=True)
parser.add_argument("--file", required=True)
parser.add_argument("--rounds", type=int, default=3)
args = parser.parse_args()
pa.set_cpu_count(1)
table = orc.ORCFile(args.file).read()
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out.orc")
    for peer_codec, codec in (("uncompressed", "NONE"), ("zlib", "ZLIB"), ("snappy", "SNAPPY"), ("zstd", "ZSTD")):
        seconds = []
        for _ in range(args.rounds):
            start = time.process_time()
            orc.write_table(table, out, compression=peer_codec, compression_strategy="speed", dictionary_key_size_threshold=0.8)
            seconds.append(time.process_time() - start)
        peer_bytes = os.path.getsize(out)
        rows, _, cpu, size = subprocess.run([args.write, "orc", args.file, out, codec, str(args.rounds)], capture_output=True, text=True, check=True).stdout.split()
        assert int(rows) == len(table)
        peer = statistics.median(seconds)
        print(f"write {codec:7} {peer:6.3f} {float(cpu):6.3f} s   {peer / float(cpu):5.2f}   goal >= 2   {int(size) / 1e6:.1f} / {peer_bytes / 1e6:.1f} MB")
