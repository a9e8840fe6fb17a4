#!/usr/bin/env python3
"""Decide whether a history of transactions is one of snapshot isolation.

usage: check.py HISTORY.jsonl

A history is a line of JSON for each transaction: {"txn": name, "p": process, "begin": ns, "end": ns, "status": "ok" | "fail" | "unknown",
"ops": [...]}. Operations, in their order within the transaction:

A transaction may have two lines: what it was about to commit ("unknown"), and how that ended.

  ["append", key, id]          the id was put at the end of a list: a read and a write of the key
  ["read", key, [ids]]         the list
  ["write", key, id, n]        a register's n-th version, read back in the transaction (n is null when that failed)
  ["get", key, n, id]          the register's version and value; version 0 is the first
  ["add", key, id]             the id was put into a bag
  ["set", key, [ids]]          the bag

Versions of a key have an order that the values show (a list is its own history, a register counts), so all dependencies between
transactions are known, and the question has an answer: a history is one of snapshot isolation if and only if every transaction reads its
own writes and nothing unfinished (below: internal, aborted, intermediate), and the relation (order in time | write-read |
write-write) followed by at most one read-write dependency has no cycle (Cerone, Gotsman: Analysing Snapshot Isolation, theorem 9). Order in
time: a transaction that had ended before another began comes before it; there is one metastore, so snapshots may not be old.

Write skew, a cycle with two read-write dependencies in a row, is allowed and not looked for."""
import collections, json, sys

sys.setrecursionlimit(10000)
KINDS = ("lost update", "dirty or aborted read", "intermediate read", "internal", "read skew", "long fork", "circular", "stale read", "lost write", "phantom", "order")


class Txn:
    __slots__ = ("name", "p", "begin", "end", "status", "ops", "at")

    def __init__(self, line):
        self.name, self.p, self.begin, self.end = line["txn"], line.get("p", 0), line["begin"], line["end"]
        self.status, self.ops = line["status"], line["ops"]


class History:
    def __init__(self, lines):
        self.txns = list({line["txn"]: Txn(line) for line in lines}.values())  # a later line of one transaction counts
        self.problems = []  # (kind, text)
        self.edges = []  # of each committed transaction: list of (other, "wr" | "ww" | "time", key)
        self.anti = []  # likewise, read-write
        self.n_dependencies = 0

    def problem(self, kind, text):
        assert kind in KINDS
        self.problems.append((kind, text))

    # ---- which transactions count ----

    def settle(self):
        """An unknown outcome is a commit when somebody else saw it; a write that nobody wrote is of a process that was killed."""
        self.writer = {}  # (key, id) -> transaction
        for t in self.txns:
            for op in t.ops:
                if op[0] in ("append", "write", "add"):
                    if (op[1], op[2]) in self.writer and self.writer[op[1], op[2]] is not t:
                        self.problem("phantom", f"{op[1]} {op[2]} was written twice")
                    self.writer[op[1], op[2]] = t
        seen = set()
        for t in self.txns:
            if t.status != "ok":
                continue
            for op in t.ops:
                ids = op[2] if op[0] in ("read", "set") else [op[3]] if op[0] == "get" and op[2] else []
                for one in ids:
                    w = self.writer.get((op[1], one))
                    if w is None:
                        self.problem("phantom", f"{t.name} saw {one} in {op[1]}, which nobody wrote")
                    elif w is not t:
                        seen.add((w, op[1], one, t))
        for w, key, one, t in seen:
            if w.status == "unknown":
                w.status, w.end = "ok", float("inf")  # when it was committed nobody knows
            elif w.status == "fail":
                self.problem("dirty or aborted read", f"{t.name} saw {one} in {key}, which {w.name} wrote and which was never committed")
        self.good = [t for t in self.txns if t.status == "ok"]
        for i, t in enumerate(self.good):
            t.at = i
        self.edges, self.anti = [[] for _ in self.good], [[] for _ in self.good]

    # ---- within one transaction ----

    def internal(self):
        for t in self.good:
            lists, mine, bags, added, regs = {}, collections.defaultdict(list), {}, collections.defaultdict(set), {}
            for op in t.ops:
                kind, key = op[0], op[1]
                if kind == "append":
                    mine[key].append(op[2])
                elif kind == "read":
                    own = mine[key]
                    if own and op[2][-len(own):] != own:
                        self.problem("internal", f"{t.name} does not see its own {own} at the end of {key}: {op[2][-5:]}")
                    base = op[2][: len(op[2]) - len(own)] if own else op[2]
                    if lists.setdefault(key, base) != base:
                        self.problem("internal", f"{t.name} read {key} twice and differently: {tail(lists[key])} and {tail(base)}")
                elif kind == "add":
                    added[key].add(op[2])
                elif kind == "set":
                    if len(op[2]) != len(set(op[2])):
                        self.problem("phantom", f"{t.name} saw something twice in {key}")
                    if not added[key] <= set(op[2]):
                        self.problem("internal", f"{t.name} does not see what it put into {key}")
                    base = frozenset(op[2]) - added[key]
                    if bags.setdefault(key, base) != base:
                        self.problem("internal", f"{t.name} read {key} twice and differently: {sorted(bags[key] ^ base)[:5]}")
                elif kind == "write":
                    if key in regs and op[3] != regs[key] + 1:
                        self.problem("internal", f"{t.name} read version {regs[key]} of {key} and wrote version {op[3]}")
                    regs[key] = op[3]
                elif kind == "get":
                    if key in regs and op[2] != regs[key]:
                        self.problem("internal", f"{t.name} has version {regs[key]} of {key} and reads version {op[2]}")
                    regs[key] = op[2]

    # ---- between transactions ----

    def edge(self, a, b, kind, key):
        if a is not b:
            (self.anti if kind == "rw" else self.edges)[a.at].append((b.at, kind, key))
            self.n_dependencies += 1

    def versions(self, key, writers, readers):
        """writers: transactions in the order of their versions of the key; readers: (transaction, how many of these it saw)."""
        for a, b in zip(writers, writers[1:]):
            self.edge(a, b, "ww", key)
        for t, n in readers:
            if n:
                self.edge(writers[n - 1], t, "wr", key)
            following = writers[n] if n < len(writers) else None
            if following is t:  # what it saw and replaced
                following = writers[n + 1] if n + 1 < len(writers) else None
                if following is not None:
                    self.edge(t, following, "ww", key)
            elif following is not None:
                self.edge(t, following, "rw", key)

    def lists(self):
        appends, reads = collections.defaultdict(dict), collections.defaultdict(list)
        for t in self.good:
            own = collections.defaultdict(int)
            first = set()
            for op in t.ops:
                if op[0] == "append":
                    appends[op[1]].setdefault(t, []).append(op[2])
                    own[op[1]] += 1
                elif op[0] == "read" and op[1] not in first:
                    first.add(op[1])
                    reads[op[1]].append((t, op[2][: len(op[2]) - own[op[1]]]))
        for key in set(appends) | set(reads):
            self.one_list(key, appends[key], reads[key])

    def one_list(self, key, appends, reads):
        longest = max((ids for _, ids in reads), key=len, default=[])
        # own appends behind what was read count as well: they are the newest versions of some transactions
        order = list(longest)
        place = {one: i for i, one in enumerate(order)}
        for t, ids in reads:
            if order[: len(ids)] != ids:
                at = next(i for i in range(len(ids)) if order[i] != ids[i])
                self.problem("order", f"{t.name} saw {key} as .. {ids[at:at + 3]} at {at}, others as .. {order[at:at + 3]}: two versions have one place")
        writers, ends = [], {}
        for one in order:
            w = self.writer.get((key, one))
            if w is None or w.status != "ok":
                continue  # told already
            if not writers or writers[-1] is not w:
                if w in ends:
                    self.problem("order", f"the appends of {w.name} to {key} do not stand together")
                writers.append(w)
            ends[w] = place[one]
        at_end = {ends[w]: i + 1 for i, w in enumerate(writers)}
        readers = []
        for t, ids in reads:
            if not ids:
                readers.append((t, 0))
            elif place.get(ids[-1], -1) in at_end:
                readers.append((t, at_end[place[ids[-1]]]))
            elif order[: len(ids)] == ids and self.writer.get((key, ids[-1])) in ends:
                self.problem("intermediate read", f"{t.name} saw {ids[-1]} in {key}, but not what {self.writer[key, ids[-1]].name} appended after it")
        for t, ids in appends.items():
            missing = [one for one in ids if one not in place]
            if missing:
                self.lost(key, t, missing, longest)
        self.versions(key, writers, readers)

    def lost(self, key, t, missing, longest):
        """A committed append that is not there: always so when a later read exists; the end of a history reads everything."""
        self.problem("lost update", f"{t.name} appended {missing} to {key} and was committed, but it is not there ({len(longest)} others are)")

    def registers(self):
        by_key, gets = collections.defaultdict(lambda: collections.defaultdict(list)), collections.defaultdict(list)
        for t in self.good:
            last, wrote, got = {}, set(), set()
            for op in t.ops:
                if op[0] == "write" and op[3] is not None:
                    last[op[1]] = (op[3], op[2])
                    wrote.add(op[1])
                elif op[0] == "get":
                    w = self.writer.get((op[1], op[3]))
                    if op[2] and w is not None and w is not t:
                        final = [o for o in w.ops if o[0] == "write" and o[1] == op[1]][-1]
                        if final[2] != op[3]:
                            self.problem("intermediate read", f"{t.name} saw {op[3]} in {op[1]}, which {w.name} replaced itself")
                        elif final[3] != op[2]:
                            self.problem("order", f"{t.name} saw {op[3]} in {op[1]} as version {op[2]}, {w.name} wrote it as {final[3]}")
                    if op[1] not in wrote and op[1] not in got:
                        got.add(op[1])
                        gets[op[1]].append((t, op[2]))
            for key, (n, _) in last.items():
                by_key[key][n].append(t)
        for key in set(by_key) | set(gets):
            numbers = sorted(by_key[key])
            for n in numbers:
                if len(by_key[key][n]) > 1:
                    self.problem("lost update", f"{' and '.join(t.name for t in by_key[key][n])} both wrote version {n} of {key}")
            writers = [by_key[key][n][0] for n in numbers]
            self.versions(key, writers, [(t, sum(1 for m in numbers if m <= n)) for t, n in gets[key]])

    def bags(self):
        adds, sets = collections.defaultdict(dict), collections.defaultdict(list)
        for t in self.good:
            seen = set()
            for op in t.ops:
                if op[0] == "add":
                    adds[op[1]].setdefault(t, set()).add(op[2])
                elif op[0] == "set" and op[1] not in seen:
                    seen.add(op[1])
                    sets[op[1]].append((t, frozenset(op[2])))
        for key, readers in sets.items():
            for t, ids in readers:
                for w, its in adds[key].items():
                    if w is t:
                        continue
                    found = len(its & ids)
                    if 0 < found < len(its):
                        self.problem("intermediate read", f"{t.name} saw some of what {w.name} put into {key}, and not all")
                    self.edge(*((w, t, "wr", key) if found else (t, w, "rw", key)))

    # ---- cycles ----

    def graph(self):
        """Two nodes a transaction: 2i, reached by a dependency; 2i+1, the same, but a read-write dependency may follow. Then nodes for moments."""
        n = len(self.good)
        out = [[] for _ in range(2 * n)]
        for i in range(n):
            for j, kind, key in self.edges[i]:
                out[2 * i].append((2 * j, kind, key))
                out[2 * i].append((2 * j + 1, kind, key))
            for j, kind, key in self.anti[i]:
                out[2 * i + 1].append((2 * j, kind, key))
        moments = sorted([(t.end, 0, i) for i, t in enumerate(self.good)] + [(t.begin, 1, i) for i, t in enumerate(self.good)])
        last = None
        for _, kind, i in moments:
            if kind == 0:  # ended: a moment after which others begin
                node = len(out)
                out.append([])
                out[2 * i].append((node, "time", None))
                if last is not None:
                    out[last].append((node, "time", None))
                last = node
            elif last is not None:
                out[last].append((2 * i, "time", None))
                out[last].append((2 * i + 1, "time", None))
        return out

    def cycles(self):
        out = self.graph()
        for part in components(out):
            if len(part) > 1:
                self.tell_cycle(out, part)
                if len(self.problems) > 20:
                    return

    def tell_cycle(self, out, part):
        cycle = shortest(out, set(part))
        steps = []  # (from, kind, key, to): moments left out
        at = None
        for node, kind, key in cycle:
            if node < 2 * len(self.good):
                steps.append((at, kind, key, node // 2))
                at = node // 2
            # a moment: the edge after it is "time" too
        steps[0] = (steps[-1][3], *steps[0][1:])
        kinds = [s[1] for s in steps]
        text = ", ".join(f"{self.good[a].name} -{kind}{'(' + key + ')' if key else ''}-> {self.good[b].name}" for a, kind, key, b in steps)
        keys = {s[2] for s in steps if s[2]}
        if kinds.count("rw") == 0:
            name = "stale read" if "time" in kinds else "circular"
        elif kinds.count("rw") > 1:
            name = "long fork"
        elif "time" in kinds:
            name = "stale read"
        else:
            name = "lost update" if "ww" in kinds and len(keys) == 1 else "read skew"
        self.problem(name, text)

    def check(self):
        self.settle()
        self.internal()
        self.lists()
        self.registers()
        self.bags()
        self.cycles()
        return self.problems


def tail(ids):
    return f"{len(ids)} up to {ids[-1] if ids else 'nothing'}"


def components(out):
    """Strongly connected components (Tarjan, without recursion)."""
    index, low, on, stack, n = [0] * len(out), [0] * len(out), bytearray(len(out)), [], 0
    for root in range(len(out)):
        if index[root]:
            continue
        n += 1
        index[root] = low[root] = n
        stack.append(root)
        on[root] = 1
        work = [(root, iter(out[root]))]
        while work:
            node, edges = work[-1]
            for other, _, _ in edges:
                if not index[other]:
                    n += 1
                    index[other] = low[other] = n
                    stack.append(other)
                    on[other] = 1
                    work.append((other, iter(out[other])))
                    break
                if on[other] and index[other] < low[node]:
                    low[node] = index[other]
            else:
                work.pop()
                if work and low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
                if low[node] == index[node]:
                    part = []
                    while True:
                        other = stack.pop()
                        on[other] = 0
                        part.append(other)
                        if other == node:
                            break
                    yield part


def shortest(out, part):
    """A shortest cycle through some of the nodes of a component: [(node, kind and key of the edge to it)]."""
    best = None
    for start in sorted(part)[:40]:
        came, queue = {start: None}, collections.deque([start])
        while queue:
            node = queue.popleft()
            for other, kind, key in out[node]:
                if other == start:
                    path, at = [(start, kind, key)], node
                    while came[at] is not None:
                        path.append((at, *came[at][1:]))
                        at = came[at][0]
                    path.reverse()
                    if best is None or len(path) < len(best):
                        best = path
                    queue.clear()
                    break
                if other in part and other not in came:
                    came[other] = (node, kind, key)
                    queue.append(other)
    return best


def read(path):
    """The lines of a file. A process may be killed in the middle of one: the next line then stands behind its beginning, which counts for
    nothing (the transaction's line that matters is written before its commit begins)."""
    with open(path, encoding="utf-8") as f:
        whole = [line[line.rindex('{"txn":"') :] for line in f if line.endswith("}\n")]
    return [json.loads(line) for line in whole]


def check(lines):
    return History(lines).check()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    history = History(read(sys.argv[1]))
    problems = history.check()
    for kind, text in problems[:20]:
        print(f"{kind}: {text}")
    count = collections.Counter(t.status for t in history.txns)
    print(f"{len(history.txns)} transactions, {count['ok']} committed, {history.n_dependencies} dependencies: {'no anomaly' if not problems else str(len(problems)) + ' anomalies'}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
