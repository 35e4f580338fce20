"""Starting and stopping a server, and what is said when that goes wrong."""

import os
import pathlib
import re
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import mock_apns
import pytest
from conftest import PATIENCE, until
from mock_apns._executable import find_executable


# A program that starts a server and does not stop it.
FORGETFUL = "import mock_apns; apns = mock_apns.Server().start(); print(apns.url, apns.ca.parent.parent, flush=True)"


def is_open(url):
    address = urlsplit(url)
    with socket.socket() as client:
        return client.connect_ex((address.hostname, address.port)) == 0


def test_it_ends_with_the_block():
    with mock_apns.Server() as apns:
        url, folder = apns.url, apns.ca.parent.parent
        assert is_open(url)
    assert not is_open(url)
    assert not folder.exists()
    assert repr(apns) == "<mock_apns.Server, not running>"
    with pytest.raises(mock_apns.StartError, match="The server is not running"):
        apns.count()


def test_without_a_block():
    apns = mock_apns.Server({"rules": [{"name": "busy", "then": {"reject": "TooManyRequests"}}]})
    with pytest.raises(mock_apns.StartError, match="not running"):
        apns.url
    apns.start()
    assert apns._admin.get("/rules")["rules"][0]["name"] == "busy"
    with pytest.raises(mock_apns.StartError, match="running already"):
        apns.start()
    apns.stop()
    apns.stop()
    assert apns.start().count() == 0
    apns.close()


def test_options(tmp_path):
    log = tmp_path / "log.jsonl"
    with mock_apns.Server(auth="none", log=log, initial_streams=1000, server_name=["a.test", "b.test"]) as apns:
        names = subprocess.run(
            ["openssl", "s_client", "-connect", f"{apns.host}:{apns.port}", "-verify_hostname", "b.test",
             "-CAfile", apns.ca], input="", capture_output=True, text=True, errors="replace", timeout=PATIENCE).stdout
        assert "Verification: OK" in names
    assert '"state":"opened"' in log.read_text()


def test_a_token_for_the_admin_port(monkeypatch):
    with mock_apns.Server(admin_token="secret") as apns:
        assert apns.count() == 0
        assert apns.env["MOCK_APNS_ADMIN_TOKEN"] == "secret"
        assert "secret" not in pathlib.Path(f"/proc/{apns._process._process.pid}/cmdline").read_text()
        admin = apns.env["MOCK_APNS_ADMIN_URL"]
        with mock_apns.APNs(admin) as other, pytest.raises(mock_apns.APIError, match="Authorization"):
            other.count()
        monkeypatch.setenv("MOCK_APNS_ADMIN_TOKEN", "secret")
        with mock_apns.APNs(admin) as other:
            assert other.count() == 0


def test_a_server_started_elsewhere():
    with mock_apns.Server() as apns:
        with mock_apns.APNs(apns.env["MOCK_APNS_ADMIN_URL"]) as other:
            assert other.url == apns.url
            folder = other.ca.parent
            assert other.ca.read_text() == apns.ca.read_text()
            assert other.token().count(".") == 2
        assert not folder.exists()
        assert is_open(apns.url)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("https://127.0.0.1:2197", "is not the address of an admin port, such as http://127.0.0.1:2198."),
        ("http://127.0.0.1:x", "has no port number"),
        ("http://127.0.0.1:1", "No mock-apns answers at http://127.0.0.1:1: "),
    ],
)
def test_wrong_addresses(address, message):
    with pytest.raises(mock_apns.Error, match=message):
        mock_apns.APNs(address).count()


def script(folder, text):
    file = folder / "mock-apns"
    file.write_text(text)
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#!/bin/sh\necho 'mock-apns: error: no luck' >&2\nexit 69", r"could not be started \(exit code 69\): no luck"),
        ("#!/bin/sh\nkill -9 $$", r"could not be started \(signal 9\): it said nothing."),
        ("#!/bin/sh\necho hello", "is not mock-apns: its first line is 'hello'."),
        ("#!/bin/sh\necho '[]'", r"is not mock-apns: its first line is '\[\]'."),
        ("#!/nowhere\n", "cannot be run: "),
        ("\177ELF", "cannot be run: Exec format error."),
    ],
)
def test_what_is_no_server(tmp_path, text, message):
    with pytest.raises(mock_apns.StartError, match=f"^{re.escape(str(tmp_path))}/mock-apns {message}"):
        mock_apns.Server(executable=script(tmp_path, text)).start()


def test_what_is_no_executable(tmp_path, monkeypatch):
    with pytest.raises(mock_apns.StartError, match=f"^There is no executable {tmp_path}/x.$"):
        mock_apns.Server(executable=tmp_path / "x").start()
    (tmp_path / "x").touch()
    monkeypatch.setenv("MOCK_APNS_EXECUTABLE", str(tmp_path / "x"))
    with pytest.raises(mock_apns.StartError, match="x is not executable.$"):
        mock_apns.Server().start()
    monkeypatch.delenv("MOCK_APNS_EXECUTABLE")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(mock_apns.StartError, match="was installed without it"):
        mock_apns.Server().start()
    assert find_executable(script(tmp_path, "")) == str(tmp_path / "mock-apns")
    assert find_executable() == str(tmp_path / "mock-apns")


@pytest.mark.parametrize(
    "given, meant", [("ath", "auth"), ("scenaro", "scenario"), ("executeable", "executable"), ("adminPort", "admin_port")]
)
def test_a_misspelled_keyword_of_server_is_told(given, meant):
    with pytest.raises(TypeError, match=f'^mock_apns.Server has no "{given}"; did you mean "{meant}"[?]$'):
        mock_apns.Server(**{given: "none"})
    with pytest.raises(TypeError, match='^mock_apns.Server has no "timout"; there are scenario, executable, auth, '):
        mock_apns.Server(timout=5)


def test_wrong_options():
    with pytest.raises(mock_apns.StartError, match=r"\(exit code 64\): The value 'vrify' is invalid for [^\n]*$"):
        mock_apns.Server(auth="vrify").start()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(mock_apns.StartError, match=r"\(exit code 69\): Port "):
            mock_apns.Server(port=taken.getsockname()[1], host="127.0.0.1").start()


def test_a_server_that_ends_by_itself():
    with mock_apns.Server() as apns:
        process = apns._process._process
        process.kill()
        with pytest.raises(mock_apns.Error, match=r"ended by itself \(signal 9\)"):
            apns.count()


def test_it_ends_with_a_process_that_is_killed():
    program = FORGETFUL + "; input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as user:
        url, folder = user.stdout.readline().split()
        assert is_open(url)
        user.kill()
    until(lambda: not is_open(url))
    until(lambda: not os.path.exists(folder))


def test_it_ends_with_a_program_that_forgets_it():
    done = subprocess.run([sys.executable, "-c", FORGETFUL], capture_output=True, text=True, timeout=PATIENCE, check=True)
    url, folder = done.stdout.split()
    assert not is_open(url)
    assert not os.path.exists(folder)


def test_a_forked_process_leaves_it_alone():
    with mock_apns.Server() as apns:
        child = os.fork()
        if child == 0:
            apns.stop()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert is_open(apns.url)


def test_servers_end_with_killed_processes_despite_surviving_children():
    program = FORGETFUL + "; import os; os.fork() and os.kill(os.getpid(), 9); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as user:
        url, folder = user.stdout.readline().split()
        assert user.wait(PATIENCE) == -9
        until(lambda: not is_open(url))
    until(lambda: not os.path.exists(folder))
