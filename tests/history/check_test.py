#!/usr/bin/env python3
"""The checker is right: it finds each anomaly in a small history made by hand, accepts what snapshot isolation allows, and agrees with a
simulated database that keeps or breaks the rules."""
import collections, os, random, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402


def history(*txns):
    """Of (name, begin, end, status, ops)."""
    return [{"txn": n, "p": i, "begin": b, "end": e, "status": s, "ops": ops} for i, (n, b, e, s, ops) in enumerate(txns)]


def kinds(lines):
    return {kind for kind, _ in check.check(lines)}


A, R, W, G, I, S = "append", "read", "write", "get", "add", "set"

# what, history, kinds that must be found (one of each set); an empty list: none may be found
CASES = [
    ("one after the other", history(("1", 0, 1, "ok", [[A, "x", 1]]), ("2", 2, 3, "ok", [[A, "x", 2]]), ("3", 4, 5, "ok", [[R, "x", [1, 2]]])), []),
    ("a reader beside a writer may see the old state", history(("1", 0, 9, "ok", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", []]]), ("3", 10, 11, "ok", [[R, "x", [1]]])), []),
    ("a reader after a writer may not", history(("1", 0, 1, "ok", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", []]]), ("3", 10, 11, "ok", [[R, "x", [1]]])), ["stale read"]),
    ("write skew is allowed", history(("1", 0, 9, "ok", [[R, "x", []], [R, "y", []], [A, "x", 1]]), ("2", 0, 9, "ok", [[R, "x", []], [R, "y", []], [A, "y", 2]]), ("3", 10, 11, "ok", [[R, "x", [1]], [R, "y", [2]]])), []),
    ("write skew of three is allowed", history(("1", 0, 9, "ok", [[R, "y", []], [A, "x", 1]]), ("2", 0, 9, "ok", [[R, "z", []], [A, "y", 2]]), ("3", 0, 9, "ok", [[R, "x", []], [A, "z", 3]]), ("4", 10, 11, "ok", [[R, "x", [1]], [R, "y", [2]], [R, "z", [3]]])), []),
    ("an append is gone", history(("1", 0, 9, "ok", [[A, "x", 1]]), ("2", 0, 9, "ok", [[A, "x", 2]]), ("3", 10, 11, "ok", [[R, "x", [2]]])), ["lost update"]),
    ("two lists of one length", history(("1", 0, 9, "ok", [[A, "x", 1]]), ("2", 0, 9, "ok", [[A, "x", 2]]), ("3", 4, 11, "ok", [[R, "x", [2]]]), ("4", 4, 11, "ok", [[R, "x", [1]]])), ["order"]),
    ("both read, both wrote", history(("1", 0, 9, "ok", [[R, "x", []], [A, "x", 1]]), ("2", 0, 9, "ok", [[R, "x", []], [A, "x", 2]]), ("3", 10, 11, "ok", [[R, "x", [1, 2]]])), ["lost update"]),
    ("one register version twice", history(("1", 0, 9, "ok", [[W, "x", 1, 1], [G, "x", 1, 1]]), ("2", 0, 9, "ok", [[W, "x", 2, 1], [G, "x", 1, 2]])), ["lost update"]),
    ("a register that goes on", history(("1", 0, 9, "ok", [[W, "x", 1, 1], [G, "x", 1, 1]]), ("2", 0, 19, "ok", [[G, "x", 0, 0]]), ("3", 10, 19, "ok", [[G, "x", 1, 1], [W, "x", 2, 2], [G, "x", 2, 2]])), []),
    ("an aborted write is seen", history(("1", 0, 1, "fail", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", [1]]])), ["dirty or aborted read"]),
    ("an aborted register", history(("1", 0, 1, "fail", [[W, "x", 1, 1]]), ("2", 2, 3, "ok", [[G, "x", 1, 1]])), ["dirty or aborted read"]),
    ("an aborted member of a bag", history(("1", 0, 1, "fail", [[I, "x", 1]]), ("2", 2, 3, "ok", [[S, "x", [1]]])), ["dirty or aborted read"]),
    ("an unknown commit that is seen", history(("1", 0, 1, "unknown", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", [1]]])), []),
    ("an unknown commit that is not seen", history(("1", 0, 1, "unknown", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", []]])), []),
    ("an unknown commit seen and then not", history(("1", 0, 1, "unknown", [[A, "x", 1]]), ("2", 2, 3, "ok", [[R, "x", [1]]]), ("3", 4, 5, "ok", [[R, "x", []]])), ["stale read"]),
    ("the middle of a transaction", history(("1", 0, 9, "ok", [[A, "x", 1], [A, "x", 2]]), ("2", 2, 3, "ok", [[R, "x", [1]]]), ("3", 10, 11, "ok", [[R, "x", [1, 2]]])), ["intermediate read"]),
    ("the middle of a register's writer", history(("1", 0, 9, "ok", [[W, "x", 1, 1], [W, "x", 2, 2]]), ("2", 2, 3, "ok", [[G, "x", 1, 1]])), ["intermediate read"]),
    ("half of a bag's writer", history(("1", 0, 9, "ok", [[I, "x", 1], [I, "x", 2]]), ("2", 2, 3, "ok", [[S, "x", [1]]])), ["intermediate read"]),
    ("own appends are not there", history(("1", 0, 9, "ok", [[A, "x", 1], [R, "x", []]]), ("2", 10, 11, "ok", [[R, "x", [1]]])), ["internal"]),
    ("two readings differ", history(("1", 0, 9, "ok", [[R, "x", []], [R, "x", [2]]]), ("2", 2, 3, "ok", [[A, "x", 2]])), ["internal"]),
    ("two readings of a bag differ", history(("1", 0, 9, "ok", [[S, "x", []], [S, "x", [2]]]), ("2", 2, 3, "ok", [[I, "x", 2]])), ["internal"]),
    ("own member of a bag is not there", history(("1", 0, 9, "ok", [[I, "x", 1], [S, "x", []]])), ["internal"]),
    ("read skew: one key old, one new", history(("1", 0, 9, "ok", [[A, "x", 1], [A, "y", 1]]), ("2", 2, 8, "ok", [[R, "x", [1]], [R, "y", []]]), ("3", 10, 11, "ok", [[R, "x", [1]], [R, "y", [1]]])), ["read skew"]),
    ("read skew through a third", history(("1", 0, 20, "ok", [[R, "x", []], [R, "y", [2]]]), ("2", 1, 9, "ok", [[A, "x", 1], [A, "z", 1]]), ("3", 1, 9, "ok", [[R, "z", [1]], [A, "y", 2]]), ("4", 30, 31, "ok", [[R, "x", [1]], [R, "y", [2]]])), ["read skew"]),
    ("read skew between list and bag", history(("1", 0, 9, "ok", [[A, "x", 1], [I, "b", 1]]), ("2", 2, 8, "ok", [[R, "x", [1]], [S, "b", []]])), ["read skew"]),
    ("long fork", history(("1", 0, 9, "ok", [[A, "x", 1]]), ("2", 0, 9, "ok", [[A, "y", 2]]), ("3", 0, 9, "ok", [[R, "x", [1]], [R, "y", []]]), ("4", 0, 9, "ok", [[R, "x", []], [R, "y", [2]]])), ["long fork"]),
    ("long fork of bags", history(("1", 0, 9, "ok", [[I, "x", 1]]), ("2", 0, 9, "ok", [[I, "y", 2]]), ("3", 0, 9, "ok", [[S, "x", [1]], [S, "y", []]]), ("4", 0, 9, "ok", [[S, "x", []], [S, "y", [2]]])), ["long fork"]),
    ("no fork when one comes first", history(("1", 0, 9, "ok", [[A, "x", 1]]), ("2", 0, 9, "ok", [[A, "y", 2]]), ("3", 0, 9, "ok", [[R, "x", [1]], [R, "y", []]]), ("4", 0, 9, "ok", [[R, "x", [1]], [R, "y", [2]]])), []),
    ("each saw the other's write", history(("1", 0, 9, "ok", [[A, "x", 1], [R, "y", [2]]]), ("2", 0, 9, "ok", [[A, "y", 2], [R, "x", [1]]])), ["circular"]),
    ("writes in two orders", history(("1", 0, 9, "ok", [[A, "x", 1], [A, "y", 1]]), ("2", 0, 9, "ok", [[A, "x", 2], [A, "y", 2]]), ("3", 10, 11, "ok", [[R, "x", [1, 2]], [R, "y", [2, 1]]])), ["circular"]),
    ("time between processes", history(("1", 0, 1, "ok", [[A, "x", 1]]), ("2", 2, 3, "ok", [[A, "y", 2]]), ("3", 0, 9, "ok", [[R, "x", []], [R, "y", [2]]]), ("4", 10, 11, "ok", [[R, "x", [1]], [R, "y", [2]]])), ["stale read"]),
    ("nobody wrote that", history(("1", 0, 1, "ok", [[R, "x", [7]]])), ["phantom"]),
    ("twice in a bag", history(("1", 0, 1, "ok", [[I, "x", 7]]), ("2", 2, 3, "ok", [[S, "x", [7, 7]]])), ["phantom"]),
]


class Database:
    """Snapshot isolation over lists, in memory, with rules that can be broken."""

    def __init__(self, rng, wrong):
        self.rng, self.wrong, self.versions, self.time = rng, wrong, collections.defaultdict(lambda: [(0, [])]), 0

    def tick(self):
        self.time += 1
        return self.time

    def begin(self):
        at = self.tick()
        late = self.wrong == "old snapshot" and self.rng.random() < 0.2
        return {"begin": at, "snapshot": max(0, at - 40) if late else at, "mine": {}, "ops": []}

    def value(self, t, key):
        at = self.tick() if self.wrong == "snapshot for each statement" else t["snapshot"]
        return [v for when, v in self.versions[key] if when <= at][-1] + t["mine"].get(key, [])

    def read(self, t, key):
        t["ops"].append([R, key, self.value(t, key)])

    def append(self, t, key, one):
        t["mine"].setdefault(key, []).append(one)
        t["ops"].append([A, key, one])
        if self.wrong == "dirty write" and self.rng.random() < 0.3:
            self.versions[key].append((self.tick(), self.value(t, key)))

    def commit(self, t):
        status = "ok"
        for key in t["mine"]:
            if self.wrong != "no conflicts" and self.versions[key][-1][0] > t["snapshot"]:
                status = "fail"
        if status == "ok" or self.wrong == "aborted writes stay":
            for key, mine in t["mine"].items():
                base = self.value({**t, "mine": {}}, key) if self.wrong == "no conflicts" else self.versions[key][-1][1]
                if self.wrong == "dirty write":
                    mine = [one for one in mine if one not in base]
                self.versions[key].append((self.time + 1, base + mine))
        at = self.tick()
        return {"begin": t["begin"], "end": at, "status": status, "ops": t["ops"]}


def simulate(seed, wrong, n=150):
    rng = random.Random(seed)
    db, open_txns, lines, number = Database(rng, wrong), [], [], 0
    while len(lines) < n:
        if len(open_txns) < 5 and rng.random() < 0.5:
            open_txns.append(db.begin())
        elif open_txns:
            t = rng.choice(open_txns)
            if rng.random() < 0.3:
                open_txns.remove(t)
                lines.append(db.commit(t))
            elif rng.random() < 0.5:
                db.read(t, rng.choice("xyz"))
            else:
                number += 1
                db.append(t, rng.choice("xyz"), number)
    t = db.begin()
    for key in "xyz":
        db.read(t, key)
    lines.append(db.commit(t))
    for i, line in enumerate(lines):
        line["txn"], line["p"] = str(i), 0
    return lines


def main():
    failures = []
    for what, lines, wanted in CASES:
        found = kinds(lines)
        if bool(found) != bool(wanted) or not set(wanted) <= found:
            failures.append(f"{what}: wanted {wanted or 'nothing'}, found {sorted(found) or 'nothing'}: {check.check(lines)[:3]}")
    for seed in range(40):
        found = check.check(simulate(seed, None))
        if found:
            failures.append(f"seed {seed}: a history of snapshot isolation is refused: {found[:3]}")
    for wrong in ("no conflicts", "snapshot for each statement", "old snapshot", "aborted writes stay", "dirty write"):
        missed = [seed for seed in range(20) if not check.check(simulate(seed, wrong))]
        if len(missed) > 6:  # a broken rule does not show in every short history
            failures.append(f"{wrong}: not noticed in {len(missed)} of 20 histories")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write('{"txn":"1.1","p":1,"ops":[["r{"txn":"2.1","p":2}\n{"txn":"3.1","p":3}\n{"txn":"1.2"')
        f.flush()
        names = [line["txn"] for line in check.read(f.name)]
    if names != ["2.1", "3.1"]:
        failures.append(f"lines of killed processes: read {names}")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(CASES)} cases, 40 good histories, 100 bad ones")


main()
