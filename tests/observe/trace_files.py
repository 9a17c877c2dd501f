# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers of traces, in both formats, which give the same: a list of slices, instants, counters and arrows."""
from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass
class Trace:
    groups: dict = field(default_factory=dict)  # identifier: name
    tracks: dict = field(default_factory=dict)  # identifier: (group, name)
    slices: list = field(default_factory=list)  # (track, begin, end, category, name, arguments); times are nanoseconds
    instants: list = field(default_factory=list)  # (track, time, category, name, arguments)
    counters: list = field(default_factory=list)  # (track, time, value)
    flows: dict = field(default_factory=dict)  # identifier: [(time, track)]

    def name_of(self, track) -> str:
        return self.tracks[track][1]

    def group_of(self, track) -> str:
        return self.groups[self.tracks[track][0]]

    def named(self, name: str) -> list:
        return [s for s in self.slices if s[4] == name]

    def check_nesting(self) -> None:
        """Slices of a track are nested or apart."""
        by_track = {}
        for track, begin, end, _, name, _ in self.slices:
            assert begin <= end, name
            by_track.setdefault(track, []).append((begin, -end, name))
        for track, slices in by_track.items():
            open_ends = []
            for begin, minus_end, name in sorted(slices):
                while open_ends and open_ends[-1] <= begin:
                    open_ends.pop()
                assert not open_ends or -minus_end <= open_ends[-1], f"{name} overlaps on {self.name_of(track)}"
                open_ends.append(-minus_end)


def nanoseconds(microseconds: str | float) -> int:
    return round(float(microseconds) * 1000)


def read_json(text: str) -> Trace:
    trace = Trace()
    for event in json.loads(text):
        phase, process = event["ph"], event["pid"]
        track = (process, event["tid"])
        if phase == "M":
            if event["name"] == "process_name":
                trace.groups[process] = event["args"]["name"]
            elif event["name"] == "thread_name":
                assert track not in trace.tracks, "a track is named twice"
                trace.tracks[track] = (process, event["args"]["name"])
            continue
        time = nanoseconds(event["ts"])
        if phase == "X":
            trace.slices.append((track, time, time + nanoseconds(event["dur"]), event["cat"], event["name"], event.get("args", {})))
        elif phase == "i":
            trace.instants.append((track, time, event["cat"], event["name"], event.get("args", {})))
        elif phase == "C":
            trace.counters.append((track, time, event["args"]["bytes"]))
        else:
            assert phase in "stf", phase
            trace.flows.setdefault(int(event["id"], 16), []).append((time, track))
    return trace


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message of protocol buffers: numbers and values, which are numbers or bytes."""
    found, at = [], 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                assert value < 2**64
                return value

    while at < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            value = number()
        elif kind == 1:
            value = int.from_bytes(data[at:at + 8], "little")
            at += 8
        else:
            assert kind == 2, f"wire type {kind}"
            size = number()
            value = data[at:at + size]
            assert len(value) == size, "a field ends behind the message"
            at += size
        found.append((key >> 3, value))
    return found


def one(message: list, field_number: int, default=None):
    values = [value for number, value in message if number == field_number]
    assert len(values) <= 1
    return values[0] if values else default


def annotations(event: list) -> dict:
    arguments = {}
    for number, value in event:
        if number != 4:
            continue
        annotation = fields(value)
        content = [(n, v) for n, v in annotation if n != 10]
        assert len(content) == 1
        kind, raw = content[0]
        if kind == 6:
            raw = raw.decode()
        elif kind == 7:
            raw = hex(raw)
        elif kind == 4 and raw >= 2**63:
            raw -= 2**64
        arguments[one(annotation, 10).decode()] = raw
    return arguments


def read_perfetto(data: bytes) -> Trace:
    trace, events, parents = Trace(), [], {}
    for number, packet_bytes in fields(data):
        assert number == 1
        packet = fields(packet_bytes)
        assert one(packet, 10), "a packet without a sequence"
        if (descriptor_bytes := one(packet, 60)) is not None:
            descriptor = fields(descriptor_bytes)
            track, parent = one(descriptor, 1), one(descriptor, 5)
            process, thread = one(descriptor, 3), one(descriptor, 4)
            if process is not None:
                trace.groups[track] = one(fields(process), 6).decode()
            elif parent in trace.groups and thread is None and one(descriptor, 8) is None and parent not in parents:
                # A child of the process: a group of an agent.
                trace.groups[track] = one(descriptor, 2).decode()
                parents[track] = parent
            else:
                name = one(fields(thread), 5) if thread is not None else one(descriptor, 2)
                trace.tracks[track] = (parent, name.decode())
        else:
            events.append((one(packet, 8), len(events), fields(one(packet, 11))))
    # As readers do: by time, and otherwise as they come.
    open_slices = {}
    for time, _, event in sorted(events, key=lambda e: e[:2]):
        kind, track = one(event, 9), one(event, 11)
        for number, value in event:
            if number in (47, 48):
                trace.flows.setdefault(value, []).append((time, track))
        text = lambda number: (one(event, number) or b"").decode()
        if kind == 1:
            open_slices.setdefault(track, []).append((time, text(22), text(23), annotations(event)))
        elif kind == 2:
            begin, category, name, arguments = open_slices[track].pop()
            trace.slices.append((track, begin, time, category, name, arguments))
        elif kind == 3:
            trace.instants.append((track, time, text(22), text(23), annotations(event)))
        else:
            assert kind == 4
            trace.counters.append((track, time, one(event, 30)))
    assert not any(open_slices.values()), "a slice that does not end"
    return trace
