"""Decodes inputs by packages that others wrote, for peers.test.ts.

decode.py mavlink|nmea|ubx: reads inputs from standard input, each after its length in four bytes, and prints a line of
JSON for each: a list of [offset, length, name, fields]. A name of null is a stretch that the package threw away, with
the kind of its error as "why".
"""

import io
import json
import logging
import math
import os
import struct
import sys


def plain(value):
    """What JSON can say; other numbers as text."""
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(value)]
    if isinstance(value, int) and abs(value) > 2**53:
        return str(value)
    if isinstance(value, bytes):
        text = value.split(b"\0", 1)[0]
        try:
            return text.decode("utf-8")
        except UnicodeDecodeError:
            return text.decode("latin-1")
    return value if isinstance(value, (int, float, str)) else str(value)


def mavlink():
    os.environ["MAVLINK20"] = "1"
    from pymavlink.dialects.v20 import all as dialect

    def fields(message):
        values = {}
        for name in message.fieldnames:
            values[name] = plain(getattr(message, "_%s_raw" % name, getattr(message, name)))
        return values

    def decode(data):
        reader = dialect.MAVLink(io.BytesIO())
        reader.robust_parsing = True
        found, at = [], 0
        for message in reader.parse_buffer(data) or []:
            kind = message.get_type()
            # what it cannot check it takes as it is, whatever its checksum
            is_bad = kind == "BAD_DATA" or kind.startswith("UNKNOWN")
            length = len(message.data if is_bad else message.get_msgbuf())
            found.append([at, length, None if is_bad else kind, {"why": "BAD_DATA" if kind == "BAD_DATA" else "UNKNOWN"} if is_bad else fields(message)])
            at += length
        return found

    return decode


def walk(data, make, describe):
    """Reads on after every error. The packages take their bytes one by one, so the stream tells what they took."""
    stream = io.BytesIO(data)
    reader = make(stream)
    found, before = [], 0
    while before < len(data):
        try:
            raw, parsed = reader.read()
            why = "skipped"
        except Exception as error:
            raw, why = None, type(error).__name__
        at = stream.tell()
        start = at - len(raw or b"")
        if start > before:
            found.append([before, start - before, None, {"why": why}])
        if raw:
            found.append([start, len(raw), *describe(raw, parsed)])
        if at == before:
            break
        before = at
    return found


def nmea():
    from pynmeagps import NMEAReader

    def describe(_, message):
        if message is None:
            return [None, {"why": "unknown"}]
        values = {name: plain(value) for name, value in vars(message).items() if not name.startswith("_")}
        return [message.talker + message.msgID, values]

    return lambda data: walk(data, lambda stream: NMEAReader(stream, quitonerror=2), describe)


def ubx():
    from pyubx2 import UBXReader
    from pyubx2.ubxhelpers import calc_checksum
    from pyubx2.ubxtypes_core import UBX_MSGIDS

    def describe(raw, _):
        if calc_checksum(raw[2:-2]) != raw[-2:]:
            return [None, {"why": "wrong checksum"}]
        return [UBX_MSGIDS.get(raw[2:4], "%02X-%02X" % (raw[2], raw[3])), {}]

    return lambda data: walk(data, lambda stream: UBXReader(stream, protfilter=2, quitonerror=2, parsing=False), describe)


logging.disable(logging.CRITICAL)
decode = {"mavlink": mavlink, "nmea": nmea, "ubx": ubx}[sys.argv[1]]()
stream = sys.stdin.buffer
while True:
    head = stream.read(4)
    if len(head) < 4:
        break
    (length,) = struct.unpack("<I", head)
    print(json.dumps(decode(stream.read(length))), flush=True)
