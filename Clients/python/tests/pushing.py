"""A provider for the tests: the fixture `push`."""

import httpx
import pytest

ALICE = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"


@pytest.fixture
def push(apns):
    """Pushes an alert to Alice and returns the answer; keyword arguments are header fields."""
    with httpx.Client(http2=True, verify=apns.ssl_context()) as client:

        def push(alert="Goal", token=ALICE, **fields):
            headers = {"authorization": f"bearer {apns.token()}", "apns-topic": apns.topic, "apns-push-type": "alert"}
            headers.update({f"apns-{name.replace('_', '-')}": value for name, value in fields.items()})
            return client.post(f"{apns.url}/3/device/{token}", headers=headers, json={"aps": {"alert": alert}})

        yield push
