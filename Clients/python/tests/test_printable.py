"""Text of others cannot steer the terminal of who reads a report, nor forge a line of it."""

import json

import mock_apns
import pytest
from mock_apns import _printable
from pushing import ALICE
from test_plugin import run

# The title of a terminal, a colour, a text from right to left, and a line that looks like another request.
FIELD = "x\u202e\x9b31m\u2066\u2028\U000e0001"
HOSTILE = f"\x1b]0;P\x07\n  2  10:00:00.000  alert to FAKE, 200\r{FIELD}"
RAW = set(HOSTILE) - set(map(chr, range(0x20, 0x7F))) - {"\n"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Tor für 山田 👩‍👧 \xa0", "Tor für 山田 👩‍👧 \xa0"),
        ("\0\t\n\r\x1b\x7f", r"\0\t\n\r\u{1B}\u{7F}"),
        ("\x9b\u202e\u2028\u2029\ue000\ufeff\u0378", r"\u{009B}\u{202E}\u{2028}\u{2029}\u{E000}\u{FEFF}\u{0378}"),
        ("\U000e0001\ud800", r"\u{000E0001}\u{D800}"),
        ("\u200c\u200d", "\u200c\u200d"),
    ],
)
def test_escapes_are_those_of_the_command(text, shown):
    assert _printable.line(text) == shown
    assert _printable.block(text) == shown.replace(r"\n", "\n").replace(r"\t", "\t")


def test_a_report(users):
    scenario = {
        "authentication": {"mode": "none"},
        "devices": [{"name": HOSTILE, "token": ALICE, "topic": "com.example.app"}],
        "rules": [{"name": HOSTILE, "when": {"priority": 5}, "then": {"reject": "TooManyRequests"}}],
        "expect": [{"name": HOSTILE, "requests": {"device": HOSTILE, "status": 410}, "count": 1}],
    }
    users.path.joinpath("hostile.json").write_text(json.dumps(scenario))
    result = run(users, f"""
        import httpx, json, pytest

        @pytest.mark.apns(scenario="hostile.json")
        def test_it(apns):
            field, hostile = {FIELD!r}.encode(), {HOSTILE!r}
            good = {{"apns-topic": b"com.example.app", "apns-collapse-id": field}}
            bodies = [json.dumps({{"aps": {{"alert": hostile}}}}, ensure_ascii=False), hostile]
            with httpx.Client(http2=True, verify=apns.ssl_context()) as client:
                for headers in (good, {{**good, "apns-priority": b"5"}}, {{"apns-topic": field}}):
                    for body in bodies:
                        client.post(f"{{apns.url}}/3/device/{ALICE}", headers=headers, content=body.encode())
    """)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert not RAW & set(text)
    assert not [line for line in result.stdout.lines if "FAKE" in line and "  2  10:00" in line[:12]]
    _, _, requests = text.partition("mock-apns requests")
    assert "6 requests:" in requests
    for place in (
        r"push to \u{1B}]0;P\u{07}\n  2  10:00:00.000",  # device name
        r"decided by rule:\u{1B}]0;P\u{07}\n",
        r"collapse-id x\u{202E}\u{009B}31m\u{2066}\u{2028}\u{000E0001}",
        r'{"aps": {"alert": "\u001b]0;P\u0007\n  2  10:00:00.000',  # payload
        r"     \u{1B}]0;P\u{07}\n  2  10:00:00.000  alert to FAKE, 200\r",  # payload_text
    ):
        assert place in requests, place


def test_messages_and_names(apns, push):
    messages = []
    for call in (
        lambda: apns.device(HOSTILE).raw,
        lambda: apns.channel(HOSTILE),
        lambda: apns.play({HOSTILE: 1}),
        lambda: apns.rule({"reject": HOSTILE}),
        lambda: apns.session(published_ports=HOSTILE.replace("\n", "")),
    ):
        with pytest.raises(mock_apns.Error) as raised:
            call()
        messages.append(str(raised.value))
    with pytest.raises(mock_apns.RequestsMissing) as missing:
        apns.wait(timeout=0, topic=HOSTILE)
    with pytest.raises(mock_apns.ExpectationsFailed) as failed:
        apns.verify({"name": HOSTILE, "requests": {"topic": HOSTILE}, "count": 1})
    messages += [repr(apns.device(HOSTILE)), str(missing.value), str(failed.value)]
    for message in messages:
        assert not RAW & set(message), ascii(message)
        assert not [line for line in message.splitlines() if line.startswith("  2  ")], message
