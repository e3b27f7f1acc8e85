#!/usr/bin/env python3
"""Opens envelopes as Strongroom's guide "The format of an envelope" describes them, with no code of the library.

usage: decode.py ENVELOPE <KEYS      prints the data keys, then each slot; the keys are lines as in a key file,
                                     or imitated providers and private keys as in the vectors
       decode.py --vectors GUIDE     opens each vector of the guide with each of its keys alone

Needs the package cryptography (python3-cryptography in Debian) for AES-GCM and X25519.
"""
import hashlib
import hmac
import sys
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RAW, SCRYPT, EXTERNAL, PAIR = 1, 2, 3, 4


def check(condition, defect):
    if not condition:
        sys.exit(f"refused: {defect}")


def hkdf(key, purpose, length=32, salt=b""):
    extracted = hmac.digest(salt or bytes(32), key, "sha256")
    return hmac.digest(extracted, b"strongroom envelope: " + purpose + b"\1", "sha256")[:length]


def key_of(line):
    """The kind of slot that a line of a key file opens, and the bytes of its key."""
    if line.startswith("raw:"):
        return RAW, bytes.fromhex(line[4:])
    if line.startswith("x25519:"):
        return PAIR, bytes.fromhex(line[7:])
    if line.startswith("external:"):
        return EXTERNAL, tuple(line.split(":", 2)[1:])
    if not line.startswith("recovery:"):
        return SCRYPT, line.encode()
    bits = "".join(f"{ALPHABET.index(c):05b}" for group in line[9:].split("-") for c in group[:4])
    return RAW, hkdf(int(bits, 2).to_bytes(20, "big"), b"recovery key")


def slots_of(data):
    at, slots = 52, []
    for _ in range(data[51]):
        kind, sealed_at = data[at + 17], at + 38 + data[at + 37]
        end = sealed_at + 28 + 32 * data[42] + (int.from_bytes(data[at + 19:at + 21], "big") if kind > SCRYPT else 0)
        check(kind != PAIR or data[at:at + 8] == hkdf(data[end - 64:end - 32], b"public key", 8, salt=data[10:26]),
              "the fingerprint of a public key is that of another")
        slots.append((kind, data[at:sealed_at], data[sealed_at:end]))
        at = end
    check(at == len(data) - 64, "its slots do not end where its authentication code begins")
    return slots


def unwrap(further, length, key, context):
    """The slot key that the imitated provider has wrapped; None if the slot has another identifier."""
    secret, identifier = key
    if further[:length] != identifier.encode():
        return None
    wrapped = further[length:]
    return AESGCM(bytes.fromhex(secret)).decrypt(wrapped[:12], wrapped[12:], context)


def hpke(private, public, encapsulated):
    """The key and the nonce of the first message of RFC 9180, base mode, for the purpose of a public key."""
    kem, suite = b"KEM\0\x20", b"HPKE\0\x20\0\1\0\2"

    def extract(suite, salt, label, key):
        return hmac.digest(salt, b"HPKE-v1" + suite + label + key, "sha256")

    def expand(suite, key, label, info, length):
        text = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info + b"\1"
        return hmac.digest(key, text, "sha256")[:length]

    shared = private.exchange(X25519PublicKey.from_public_bytes(encapsulated))
    shared = expand(kem, extract(kem, b"", b"eae_prk", shared), b"shared_secret", encapsulated + public, 32)
    context = b"\0" + extract(suite, b"", b"psk_id_hash", b"")
    context += extract(suite, b"", b"info_hash", b"strongroom envelope: public key")
    secret = extract(suite, shared, b"secret", b"")
    return expand(suite, secret, b"key", context, 32), expand(suite, secret, b"base_nonce", context, 12)


def key_of_pair(further, key):
    """The public key in a slot, the key of AES-GCM and its nonce; None if the slot is that of another private key."""
    private, public = X25519PrivateKey.from_private_bytes(key), further[:32]
    if private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) != public:
        return None
    return public, *hpke(private, public, further[32:])


def open_slot(data, kind, head, sealed, key):
    """The data keys in a slot; None if it is the slot of another key."""
    salt, further = head[21:37], b""
    if kind in (EXTERNAL, PAIR):
        end = 28 + 32 * data[42]
        sealed, further = sealed[:end], sealed[end:]
    if kind == PAIR:
        found = key_of_pair(further, key)
        if found is None:
            return None
        check(sealed[:12] == found[2], "a slot was changed")
        return decrypted(found[1], sealed, data[:43] + head + further)
    if kind == EXTERNAL:
        key = unwrap(further, head[18], key, data[10:26])
        if key is None:
            return None
    elif kind == SCRYPT:
        key = hashlib.scrypt(key, salt=salt, n=1 << head[18], r=head[19], p=head[20], maxmem=1 << 29, dklen=32)
    else:
        key = hkdf(key, b"raw key", salt=salt)
    if head[:8] != hkdf(key, b"fingerprint", 8):
        return None
    return decrypted(hkdf(key, b"wrapping"), sealed, data[:43] + head + further)


def decrypted(key, sealed, authenticated):
    try:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], authenticated)
    except InvalidTag:
        sys.exit("refused: a slot was changed")


def open_envelope(data, line):
    """The data keys, one after the other, and the slots."""
    check(data[:8] == b"STRGKEYS" and hashlib.sha256(data[:-32]).digest() == data[-32:], "it is damaged")
    check(data[8:10] == b"\0\1", "it has another version")
    key_kind, key = key_of(line)
    slots = slots_of(data)
    opened = [open_slot(data, *slot, key) for slot in slots if slot[0] == key_kind]
    keys = next(filter(None, opened), None)
    check(keys, "no slot belongs to the key")
    check(data[26:42] == hkdf(keys, b"identifier", 16), "its data keys are others")
    code = hmac.digest(hkdf(keys, b"authentication"), data[:-64], "sha256")
    check(hmac.compare_digest(code, data[-64:-32]), "it was changed")
    return keys, slots


def vectors(guide):
    """The blocks of the guide that begin with `vector:`, as lists of names and values."""
    for block in open(guide, encoding="utf-8").read().split("```text\nvector: ")[1:]:
        fields, envelope = ("vector: " + block.split("\n```")[0]).split("\nenvelope:\n")
        yield [line.split(": ", 1) for line in fields.split("\n")], bytes.fromhex(envelope)


if sys.argv[1] == "--vectors":
    for fields, envelope in vectors(sys.argv[2]):
        keys, data_keys, labels = ([v for n, v in fields if n == name] for name in ("key", "data key", "label"))
        for key in keys:
            opened, slots = open_envelope(envelope, key)
            check(opened.hex() == "".join(data_keys), "it has other data keys")
            check([head[38:].decode() for _, head, _ in slots] == labels, "it has other labels")
        print(f"{fields[0][1]}: {len(keys)} of {len(slots)} slots opened")
else:
    envelope = open(sys.argv[1], "rb").read()
    results = [open_envelope(envelope, line) for line in sys.stdin.read().split("\n") if line]
    check(results and all(result == results[0] for result in results), "its keys open different data keys")
    print(results[0][0].hex())
    for kind, head, _ in results[0][1]:
        print(head[:8].hex(), int.from_bytes(head[8:16], "big", signed=True), head[16], kind, head[38:].decode())
