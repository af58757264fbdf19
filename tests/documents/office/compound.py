"""A compound file (MS-CFB) of given streams, and an Outlook message made of one; written by hand for the tests."""

from __future__ import annotations

import itertools
import struct
from typing import Any

SECTOR, MINI_SECTOR, CUTOFF = 512, 64, 4096
END, FREE, NONE, FAT_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFD
Storage = dict[str, Any]  # names with bytes, or with a storage


def compound(root: Storage) -> bytes:
    """Version 3, sectors of 512 bytes; siblings are a list to the right, which every reader takes."""
    entries: list[dict[str, Any]] = []
    _listed("Root Entry", root, entries, is_root=True)
    mini, mini_fat, body, fat = bytearray(), list[int](), bytearray(), list[int]()
    for entry in entries:
        content = entry.get("content")
        if content is None:
            continue
        entry["size"] = len(content)
        if len(content) < CUTOFF:
            entry["start"] = _chained(content, mini, mini_fat, MINI_SECTOR)
        else:
            entry["start"] = _chained(content, body, fat, SECTOR)
    entries[0] |= {"start": _chained(bytes(mini), body, fat, SECTOR), "size": len(mini)}
    mini_start = _chained(struct.pack(f"<{len(mini_fat)}I", *mini_fat), body, fat, SECTOR, padding=b"\xff")
    directory = b"".join(_entry(entry) for entry in entries)
    directory_start = _chained(directory, body, fat, SECTOR)
    num_fat = 1
    while (len(fat) + num_fat) * 4 > num_fat * SECTOR:
        num_fat += 1
    fat_sectors = list(range(len(fat), len(fat) + num_fat))
    fat += [FAT_SECTOR] * num_fat
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(num_fat * SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    num_mini = -(-len(mini_fat) * 4 // SECTOR)
    head += struct.pack(
        "<9I", 0, num_fat, directory_start, 0, CUTOFF, mini_start if mini_fat else END, num_mini, END, 0
    )
    head += struct.pack("<109I", *(fat_sectors + [FREE] * (109 - num_fat)))
    return head + bytes(body) + table


def message(texts: dict[int, str | bytes], parts: Storage | None = None, header: int = 32, **numbers: int) -> Storage:
    """A message's storage: strings and bytes by the number of their property, `number_0E08=5` for fixed ones."""
    storage: Storage = {}
    for number, value in texts.items():
        if isinstance(value, str):
            storage[f"__substg1.0_{number:04X}001F"] = value.encode("utf-16-le")
        else:
            storage[f"__substg1.0_{number:04X}0102"] = value
    fixed = b"".join(
        struct.pack("<IIQ", int(name.rpartition("_")[2], 16) << 16 | 3, 6, value) for name, value in numbers.items()
    )
    storage["__properties_version1.0"] = bytes(header) + fixed
    return storage | (parts or {})


def _listed(name: str, value: Storage | bytes, entries: list[dict[str, Any]], *, is_root: bool = False) -> int:
    number = len(entries)
    entry: dict[str, Any] = {"name": name, "kind": 5 if is_root else 1 if isinstance(value, dict) else 2}
    entries.append(entry)
    if isinstance(value, dict):
        numbers = [_listed(inner, value[inner], entries) for inner in sorted(value, key=lambda k: (len(k), k.upper()))]
        entry["child"] = numbers[0] if numbers else NONE
        for left, right in itertools.pairwise(numbers):
            entries[left]["right"] = right
    else:
        entry["content"] = value
    return number


def _chained(content: bytes, body: bytearray, table: list[int], size: int, padding: bytes = b"\0") -> int:
    num_sectors = -(-len(content) // size)
    if not num_sectors:
        return END
    start = len(table)
    table += [*range(start + 1, start + num_sectors), END]
    body += content.ljust(num_sectors * size, padding)
    return start


def _entry(entry: dict[str, Any]) -> bytes:
    name = entry["name"].encode("utf-16-le")
    head = name.ljust(64, b"\0") + struct.pack("<HBB", len(name) + 2, entry["kind"], 1)
    head += struct.pack("<III", NONE, entry.get("right", NONE), entry.get("child", NONE)) + bytes(36)
    return head + struct.pack("<IQ", entry.get("start", END if entry["kind"] == 2 else 0), entry.get("size", 0))
