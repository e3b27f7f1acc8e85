#!/usr/bin/env python3
"""Splits and restores recovery keys as Strongroom's guide "The format of an envelope" describes, with no code of it.

usage: shares.py KEY K N    prints N shares, of which K restore the key
       shares.py SHARE...   prints the key
"""
import hmac
import secrets
import sys

ALPHABET, EXP = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", [1]
while len(EXP) < 255:
    EXP.append(EXP[-1] ^ EXP[-1] << 1 ^ (0x11B if EXP[-1] & 0x80 else 0))


def product(*factors):
    return 0 if 0 in factors else EXP[sum(map(EXP.index, factors)) % 255]


def check(group, values):
    for value in [*values, 0]:
        group = group << 1 ^ value ^ (0x25 if group & 0x10 else 0)
    return group


def encoded(data):
    bits = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}"
    groups = [[int(bits[at + bit:at + bit + 5], 2) for bit in (0, 5, 10, 15)] for at in range(0, len(bits), 20)]
    return "-".join("".join(ALPHABET[v] for v in [*g, check(n, g)]) for n, g in enumerate(groups, 1))


def decoded(text):
    groups = [[ALPHABET.index(character) for character in group] for group in text.split("-")]
    wrong = [n for n, group in enumerate(groups, 1) if check(n, group[:4]) != group[4]]
    bits = "".join(f"{value:05b}" for group in groups for value in group[:4])
    return sys.exit(f"refused: groups {wrong}") if wrong else int(bits, 2).to_bytes(len(bits) // 8, "big")


def digest(key):
    return hmac.digest(hmac.digest(bytes(32), key, "sha256"), b"strongroom envelope: recovery shares\1", "sha256")[:5]


def split(text, threshold, count):
    key = decoded(text)
    rows = [key + digest(key), *(secrets.token_bytes(25) for _ in range(threshold - 1))]
    head = secrets.token_bytes(3) + bytes([threshold])
    for x in range(1, count + 1):
        value = bytes(25)
        for power, row in enumerate(rows):
            value = bytes(v ^ product(b, EXP[EXP.index(x) * power % 255]) for v, b in zip(value, row))
        yield encoded(head + bytes([x]) + value)


def combine(texts):
    shares, content = {share[4]: share for share in map(decoded, texts)}, bytes(25)
    for x, share in shares.items():
        # The inverse of EXP[n] is EXP[-n], and that of 1 is EXP[0].
        weight = product(*(product(y, EXP[-EXP.index(x ^ y) % 255]) for y in shares if y != x))
        content = bytes(c ^ product(weight, s) for c, s in zip(content, share[5:]))
    return encoded(content[:20]) if digest(content[:20]) == content[20:] else sys.exit("refused: another key")


if sys.argv[2:] and sys.argv[2].isdecimal():
    print("\n".join(split(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
else:
    print(combine(sys.argv[1:]))
