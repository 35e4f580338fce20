"""The Python code in the documentation is run, and a shown report is the one that comes."""

import re

import pytest
from conftest import PYTHON, ROOT

ARTICLE = (ROOT / "Sources/MockAPNS/MockAPNS.docc/Guides/PythonTests.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", ARTICLE, re.DOTALL | re.MULTILINE)

# The user's own provider.
PROVIDER = '''
import subprocess, ssl
import httpx
from mock_apns._executable import find_executable

class Provider:
    def __init__(self, url, ca, key, key_id, team_id):
        command = [find_executable(), "token", "--key", key, "--key-id", key_id, "--team-id", team_id]
        self.token = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        self.client = httpx.Client(http2=True, base_url=url, verify=ssl.create_default_context(cafile=ca))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def push(self, token, text, topic, retries=2, **fields):
        headers = {"authorization": f"bearer {self.token}", "apns-topic": topic, "apns-push-type": "alert"}
        headers.update({"apns-" + name.replace("_", "-"): str(value) for name, value in fields.items()})
        for _ in range(retries + 1):
            answer = self.client.post(f"/3/device/{token}", headers=headers, json={"aps": {"alert": text}})
            if answer.status_code not in (429, 503):
                break
        return answer
'''


def test_the_article(pytester):
    conftests = [block for block in BLOCKS if "@pytest.fixture" in block]
    tests = [block for block in BLOCKS if "def test_" in block]
    assert len(conftests) == 1 and len(tests) > 3
    pytester.path.joinpath("notifications.py").write_text(PROVIDER)
    pytester.makeconftest(conftests[0])
    pytester.makepyfile("\n\n".join(tests))
    result = pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=len(re.findall(r"^def test_", "\n".join(tests), re.MULTILINE)) - 1, failed=1)
    (shown,) = re.findall(r"^```text\n(.*?)^```$", ARTICLE, re.DOTALL | re.MULTILINE)
    came = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "10:00:00.123", result.stdout.str())
    assert shown in came


@pytest.mark.parametrize("block", [block for block in BLOCKS if "def " not in block], ids=lambda block: block[:20])
def test_a_program(block):
    exec(compile(block, "PythonTests.md", "exec"), {})


def test_the_readme():
    """Its test is run by test_wheel.py, and the first of the article."""
    (shown,) = re.findall(r"^```python\n(.*?)^```$", (PYTHON / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert shown == BLOCKS[0]


def test_members():
    """The tables of the article name what there is."""
    import mock_apns

    shown = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", " ".join(re.findall(r"^\| ([^|]*) \|", ARTICLE, re.MULTILINE))))
    public = {name for name in dir(mock_apns.APNs) if not name.startswith("_")}
    assert public - {"close", "ssl_context"} <= shown
