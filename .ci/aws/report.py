"""Prints what a proxy has counted, and fails if a request breached a rule: `report.py LABEL ENDPOINT`."""

import json
import sys
import urllib.request

label, endpoint = sys.argv[1:]
with urllib.request.urlopen(f"{endpoint}/_proxy/report") as response:
    report = json.load(response)
counts = {name: sum(report[name].values()) for name in ("breaches", "faults", "rejections")}
print(f"{label}: {report['requests']} requests, " + ", ".join(f"{count} {name}" for name, count in counts.items()))
for name in ("breaches", "faults", "rejections"):
    for text, count in report[name].items():
        print(f"  {name}: {count} x {text}")
sys.exit(bool(counts["breaches"]) or not report["requests"])
