"""A ground station on pymavlink, for live-peers.test.ts: asks for a message and prints what it heard as JSON.

station.py LINK SECONDS
"""

import json
import os
import sys
import time

os.environ["MAVLINK20"] = "1"
from pymavlink import mavutil  # noqa: E402

link, seconds = sys.argv[1], float(sys.argv[2])
station = mavutil.mavlink_connection(link, source_system=255, source_component=190)
print("ready", flush=True)
first = station.wait_heartbeat(timeout=10)
heard, acks, versions = {}, [], 0
asked = 0
end = time.time() + seconds
while first and time.time() < end:
    # once, after some time in which the collector's own requests are answered
    if asked == 0 and time.time() > end - seconds / 2:
        asked = 1
        station.mav.command_long_send(1, 1, 512, 0, 148, 0, 0, 0, 0, 0, 0)
    message = station.recv_match(blocking=True, timeout=0.2)
    if message is None:
        continue
    name = message.get_type()
    heard[name] = heard.get(name, 0) + 1
    if name == "COMMAND_ACK":
        acks.append([message.target_system, message.command, message.result])
    if name == "AUTOPILOT_VERSION":
        versions += 1
print(json.dumps({"heard": heard, "acks": acks, "versions": versions, "lost": station.mav_loss}))
