"""Client certificates, and the folder that a provider is given."""

import ssl
import subprocess

import httpx
import mock_apns
import pytest
from mock_apns._executable import find_executable
from pushing import ALICE

KINDS = {
    "voip": ("com.example.app.voip", "voip"),
    "watchkit": ("com.example.app.complication", "complication"),
    "pass": ("pass.com.example.app", "alert"),
    "website": ("web.com.example.app", "alert"),
    "mdm": ("com.apple.mgmt.External.5f1d3c52-9a1e-4a0e-8d0b-6c3f2b7a9e10", "mdm"),
}


def push(apns, file, key=None, **fields):
    """Pushes with a client certificate; several kinds need several devices, so the token is made of the topic."""
    context = apns.ssl_context()
    context.load_cert_chain(file, key)
    headers = {f"apns-{name.replace('_', '-')}": value for name, value in fields.items()}
    with httpx.Client(http2=True, verify=context) as client:
        token = (fields.get("push_type", "") + fields.get("topic", "")).encode().hex().ljust(64, "0")
        return client.post(f"{apns.url}/3/device/{token[:200]}", headers=headers, json={})


@pytest.fixture(params=["server", "session"])
def either(apns, request):
    """A server of one's own, and a session on it, whose folder is on another machine."""
    if request.param == "server":
        yield apns
    else:
        with apns.session() as session:
            yield session


def test_a_certificate_for_all_topics_of_the_app(either):
    made = either.client_certificate()
    assert made.topics == (either.topic,)
    assert push(either, made.combined, topic=either.topic).status_code == 200
    assert push(either, made.certificate, made.key, topic=either.topic + ".voip", push_type="voip").status_code == 200
    assert push(either, made.combined).json() == {"reason": "MissingTopic"}
    store = ["openssl", "pkcs12", "-in", made.p12, "-passin", f"pass:{made.password}", "-nodes"]
    told = subprocess.run(store, check=True, capture_output=True, text=True).stdout
    assert (told.count("BEGIN CERTIFICATE"), told.count("BEGIN PRIVATE KEY")) == (1, 1)
    assert all(file.stat().st_mode & 0o077 == 0 for file in (made.key, made.combined, made.p12))
    other = either.client_certificate(topic="com.example.other")
    assert other.topics == ("com.example.other",)
    assert push(either, other.combined, topic="com.example.other").status_code == 200
    # Each has files of its own.
    assert push(either, made.combined, topic=either.topic).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_single_topic_certificates_supply_missing_topics(either, kind):
    topic, push_type = KINDS[kind]
    made = either.client_certificate(kind=kind)
    assert made.topics == (topic,)
    assert push(either, made.combined, push_type=push_type).status_code == 200
    assert either.requests()[-1].topic == topic


@pytest.mark.parametrize("kind", ["expired", "revoked", "unknown-authority"])
def test_a_certificate_that_the_handshake_refuses(either, kind):
    made = either.client_certificate(kind=kind)
    assert either.client_certificate(kind="revoked") == either.client_certificate(kind="revoked")
    with pytest.raises((httpx.HTTPError, ssl.SSLError)):
        push(either, made.combined, topic=either.topic)
    assert either.count() == 0


def test_what_no_certificate_can_be_made_for(apns):
    for options in ({"kind": "vioce"}, {"kind": "mdm", "topic": "com.example.app"}, {"topic": "a b"}, {"topic": "x" * 256}):
        with pytest.raises(mock_apns.APIError) as caught:
            apns.client_certificate(**options)
        assert caught.value.status == 400


def test_the_folder_has_what_the_command_makes(tmp_path):
    with mock_apns.Server() as apns:
        names = {file.name for file in apns.ca.parent.iterdir()}
        assert names >= {"ca.pem", "ca.key", "client.pem", "client.key", "client.p12", "server.pem", "server.key",
                         "AuthKey_ABC123DEFG.p8"}
        assert apns.env["MOCK_APNS_CERTS"] == str(apns.ca.parent)
        with apns.session() as session:
            assert {"ca.pem", "client.pem", "client.key", "client.p12"} <= {file.name for file in session.ca.parent.iterdir()}


def test_the_scenarios_topic_is_in_the_certificate():
    device = {"token": ALICE, "topic": "com.example.device"}
    with mock_apns.Server(scenario={"devices": [device]}) as apns:
        assert apns.client_certificate().topics == ("com.example.app", "com.example.device")
    with mock_apns.Server(topic=["com.example.one", "com.example.two"]) as apns:
        assert apns.topic == "com.example.one"
        assert apns.client_certificate().topics == ("com.example.one", "com.example.two")


def test_the_variable_may_name_the_folder(monkeypatch, tmp_path):
    for name, option in (("one", "--certs {}"), ("two words", '--certs="{}"')):
        folder = tmp_path / name
        subprocess.run([find_executable(), "certs", "--certs", folder], check=True, capture_output=True)
        monkeypatch.setenv("MOCK_APNS_OPTIONS", option.format(folder))
        with mock_apns.Server() as apns:
            assert apns.ca.read_text() == (folder / "ca.pem").read_text()
            assert (apns.ca.parent / "server.pem").read_text() == (folder / "server.pem").read_text()
