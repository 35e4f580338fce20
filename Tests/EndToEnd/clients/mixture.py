"""The mixture of pushes that several clients send, and the comparison of answers with the log."""

import collections
import uuid

from server import TOPIC, device

COUNT = 1000
Push = collections.namedtuple("Push", "method path headers body status reason")


def alert(text="Hello"):
    return '{"aps":{"alert":"%s"}}' % text


def make(authorization, count=COUNT):
    """`count` pushes, six of ten of them good, the others each rejected for one of many reasons."""
    base = {
        "authorization": authorization,
        "apns-topic": TOPIC,
        "apns-push-type": "alert",
        "apns-priority": "10",
    }

    def push(number, reason, status, method="POST", path=None, body=None, **changes):
        headers = dict(base, **{"apns-id": str(uuid.uuid4())})
        for name, value in changes.items():
            headers[name.replace("_", "-")] = value
        headers = {name: value for name, value in headers.items() if value is not None}
        path = path if path is not None else f"/3/device/{device(number % 50)}"
        return Push(method, path, headers, alert() if body is None else body, status, reason)

    bad = [
        lambda n: push(n, "MethodNotAllowed", 405, method="GET", body=""),
        lambda n: push(n, "BadPath", 404, path="/3/devices/" + device(n)),
        lambda n: push(n, "MissingProviderToken", 403, authorization=None),
        lambda n: push(n, "InvalidProviderToken", 403, authorization=authorization[:-12] + "AAAAAAAAAAAA"),
        lambda n: push(n, "MissingTopic", 400, apns_topic=None),
        lambda n: push(n, "MissingDeviceToken", 400, path="/3/device/"),
        lambda n: push(n, "PayloadEmpty", 400, body=""),
        lambda n: push(n, "PayloadTooLarge", 413, body=alert("x" * 4096)),
        lambda n: push(n, "BadExpirationDate", 400, apns_expiration="1518182259.475"),
        lambda n: push(n, "BadPriority", 400, apns_priority="7"),
        lambda n: push(n, "BadPriority", 400, apns_push_type="background"),
        lambda n: push(n, "BadCollapseId", 400, apns_collapse_id="c" * 65),
        lambda n: push(n, "InvalidPushType", 400, apns_push_type="alarm"),
        lambda n: push(n, "InvalidPushType", 400, apns_topic=TOPIC + ".voip"),
        lambda n: push(n, "BadDeviceToken", 400, path="/3/device/abcdef"),
        lambda n: push(n, "DeviceTokenNotForTopic", 400, apns_push_type="voip"),
    ]
    good = [
        lambda n: push(n, None, 200),
        lambda n: push(n, None, 200, apns_push_type=None, apns_priority=None),
        lambda n: push(n, None, 200, apns_collapse_id="c" * 64, apns_expiration="0"),
        lambda n: push(n, None, 200, apns_priority="5", x_unknown="tolerated"),
        lambda n: push(n, None, 200, body="{}"),
        lambda n: push(n, None, 200, body=alert("x" * (4096 - len(alert(""))))),
    ]
    pushes = []
    for number in range(count):
        kinds = good if number % 10 < 6 else bad
        pushes.append(kinds[(number // 10 * 4 + number) % len(kinds)](number))
    return pushes


def compare(test, server, answers):
    """Checks `answers`, {apns-id: (status, reason)}, against the records of the API and the lines of the log file."""
    for name, records in (("API", server.records()), ("--log", server.log_lines())):
        recorded = {record["apnsID"]: (record["status"], record["reason"]) for record in records}
        test.assertEqual(len(records), len(answers), f"records of {name}")
        test.assertEqual(recorded, answers, f"answers and records of {name} differ")
        sequences = [record["sequence"] for record in records]
        test.assertEqual(sequences, list(range(1, len(records) + 1)), f"sequence of {name}")
        for record in records:
            if record["reason"] is None:
                test.assertIsNone(record["explanation"], record)
            else:
                test.assertTrue(record["explanation"], f"{record['reason']} without explanation")
