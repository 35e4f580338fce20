"""Each row of screens.json: what a push does to a screen, by what the API tells and by what can be read on the page."""

import json
import pathlib
import tempfile
import unittest

from browser import PageTest
from server import TOPIC

TABLE = json.loads((pathlib.Path(__file__).parent / "screens.json").read_text())
TOKENS = {each["name"]: each["token"] for each in TABLE["scenario"]["devices"]}
FIELDS = {"expiration": "expiration", "collapseID": "collapse_id", "priority": "priority"}


def has(value, expected):
    """Whether a value has all members of the other; lists have to have as many elements."""
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(key in value and has(value[key], each) for key, each in expected.items())
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(map(has, value, expected))
    return value == expected


class Screens(PageTest):
    def push(self, push):
        fields = {FIELDS[name]: value for name, value in push.items() if name in FIELDS}
        body = push["body"].encode() if "body" in push else push["payload"]
        return self.provider.push(
            body, to=TOKENS[push["device"]], kind=push.get("pushType", "alert"), topic=push.get("topic", TOPIC), **fields)

    def test_every_row(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        scenario = pathlib.Path(folder) / "scenario.json"
        scenario.write_text(json.dumps(TABLE["scenario"]))
        with self.serving("--scenario", str(scenario)):
            for row in TABLE["rows"]:
                with self.subTest(row["row"]):
                    self.check(row)

    def check(self, row):
        # The page of the row before would go on asking for its pushes.
        self.page.open("about:blank")
        self.server.post("/api/v1/reset", {})
        statuses = [self.push(each) for each in row["pushes"]]
        self.assertEqual(statuses, [row.get("status", 200)] * len(statuses))
        screen = self.server.get(f"/api/v1/requests/{row.get('asked', len(statuses))}/screen")
        self.assertTrue(has(screen, row["screen"]), screen)
        if "device" in row:
            device = self.server.get(f"/api/v1/devices/{row['device']['name']}")
            self.assertTrue(has(device, row["device"]), device)
        page = row["page"]
        # In a wide window, everything of a push is there at once.
        is_wide = page.get("isWide", False)
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 1600 if is_wide else 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.open(page["at"])
        place = ".device" if page["at"].startswith("devices/") else ".detail" if is_wide else "[role=tabpanel]"
        self.page.until(
            "given[1].every((text) => document.querySelector(given[0])?.innerText.includes(text))"
            " && (given[2] === null || document.querySelector(given[0] + ' ' + given[2]) !== null)",
            place, page["reads"], page.get("finds"))
        if "lacks" in page:
            found = self.page.run("return document.querySelectorAll(arguments[0]).length", f"{place} {page['lacks']}")
            self.assertEqual(found, 0)


if __name__ == "__main__":
    unittest.main()
