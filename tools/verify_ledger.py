#!/usr/bin/env python3
"""Checks a file of the ledger (see docs/ledger.md) on its own: Python 3.9 or newer, the standard library alone.

  verify_ledger.py RECORD.ndjson JWKS.json [CHECKPOINT ...]

RECORD is what the portal or `portico ledger export` gave, JWKS the keys of /.well-known/jwks.json, CHECKPOINT notes of the same
log that were kept earlier; to compare with those, it reads tiles below --log URL. Exit status 0: all holds; 1: it says what does
not; 2: the files cannot be read.
"""
import argparse, base64, functools, hashlib, json, re, struct, sys, urllib.request

# Ed25519 (RFC 8032), verification alone: nothing here is secret.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def recover(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and sign):
        raise ValueError("no point of the curve")
    return P - x if x & 1 != sign else x

def add(a, b):
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(s, p):
    q = (0, 1, 1, 0)
    while s:
        q, p, s = (add(q, p) if s & 1 else q), add(p, p), s >> 1
    return q

def point(data):
    n = int.from_bytes(data, "little")
    y = n & (2**255 - 1)
    x = recover(y, n >> 255)
    return x, y, 1, x * y % P

BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def signed(key, message, signature):
    try:
        r, a, s = point(signature[:32]), point(key), int.from_bytes(signature[32:], "little")
    except ValueError:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(k, a))
    same = (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0
    return len(signature) == 64 and s < L and same

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def node(left, right):
    return sha(b"\x01", left, right)

def checkpoint(note, keys):
    """Origin, size and root of a signed note (C2SP signed-note, tlog-checkpoint)."""
    text, _, lines = note.rpartition("\n\n")
    text += "\n"
    origin, size, root = text.split("\n")[:3]
    good = False
    for line in lines.splitlines():
        dash, name, data = line.split(" ")
        data = base64.b64decode(data, validate=True)
        for key in keys:
            if dash == "\u2014" and name == origin and data[:4] == sha(name.encode(), b"\n\x01", key)[:4]:
                if not signed(key, text.encode(), data[4:]):
                    raise ValueError("the signature of the checkpoint does not hold")
                good = True
    if not good:
        raise ValueError("none of the keys has signed the checkpoint")
    return origin, int(size), base64.b64decode(root, validate=True)

def included(leaf, index, size, path):
    """The root that follows from a leaf and its path (RFC 9162, 2.1.3.2); None where the path is of another length."""
    at, last, root = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node(sibling, root)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            root = node(root, sibling)
        at, last = at >> 1, last >> 1
    return root if last == 0 and 0 <= index < size else None

def tiled_root(log, size, total):
    """The root of the first `size` entries, from the tiles of a log that has `total` now (C2SP tlog-tiles)."""
    @functools.lru_cache(None)
    def tile(level, n):
        have = min(256, (total >> 8 * level) - 256 * n)
        name = re.sub(r"(...)(?=.)", r"x\1/", f"{n:0{-(-len(str(n)) // 3) * 3}d}")
        with urllib.request.urlopen(f"{log}/tile/{level}/{name}" + ("" if have == 256 else f".p/{have}")) as answer:
            return answer.read()

    def perfect(height, i):
        if height % 8:
            return node(perfect(height - 1, 2 * i), perfect(height - 1, 2 * i + 1))
        return tile(height // 8, i >> 8)[(i & 255) * 32:(i & 255) * 32 + 32]

    parts = [perfect(height, (size >> height) - 1) for height in range(size.bit_length()) if size >> height & 1]
    return functools.reduce(lambda root, part: node(part, root), parts) if parts else sha()

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record"), parser.add_argument("keys")
    parser.add_argument("checkpoints", nargs="*"), parser.add_argument("--log")
    given, faults, numbers, calls = parser.parse_args(), [], [], []
    with open(given.keys) as file:
        keys = [base64.urlsafe_b64decode(k["x"] + "=") for k in json.load(file)["keys"] if k.get("crv") == "Ed25519"]
    with open(given.record) as file:
        head, *entries = map(json.loads, file)
    origin, size, root = checkpoint(head["checkpoint"], keys)
    for entry in entries:
        number, text = entry["number"], json.loads(entry["text"])
        subject = text["firm"] if text["kind"] == "key" else text.get("client") or text.get("grant")
        salted = sha(base64.b64decode(entry["salt"]), struct.pack(">Q", number), sha(entry["text"].encode()))
        path = [base64.b64decode(part) for part in entry["proof"]]
        if subject != head["subject"] or included(sha(b"\0", salted), entry["index"], size, path) != root:
            faults.append(f"entry {number} is not in the log as it is shown")
        numbers.append(number), calls.extend([number] * (text["kind"] == "call"))
    first, have = min(calls, default=head["count"] + 1) if head["subject"].startswith("usr_") else 1, set(numbers)
    first = next((n for n in range(first, 1, -1) if n - 1 not in have), 1)
    faults += [f"entry {number} is missing" for number in sorted(set(range(first, head["count"] + 1)) - have)]
    if len(have) < len(numbers) or max(numbers, default=0) > head["count"]:
        faults.append("there are entries twice, or beyond the last")
    for name in given.checkpoints:
        with open(name) as file:
            other, before, earlier = checkpoint(file.read(), keys)
        if other != origin or before > size or (earlier != root if before == size else
                                               given.log and tiled_root(given.log, before, size) != earlier):
            faults.append(f"the log does not begin with what {name} says")
        elif before < size and not given.log:
            faults.append(f"{name} is older: name the log with --log, so that it can be compared")
    print("\n".join(faults) or f"{len(numbers)} entries, all from {first} to {head['count']}, hold under {origin}, {size} entries")
    return 1 if faults else 0

if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        print(f"cannot be checked: {error}", file=sys.stderr)
        sys.exit(1 if "checkpoint" in str(error) else 2)
