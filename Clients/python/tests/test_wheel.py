"""The wheel, as a user gets it: installed offline into an environment of its own."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile

import pytest
from conftest import PATIENCE, PYTHON, ROOT

VERSION = re.search(
    r'text = "(.*)"', (ROOT / "Sources/MockAPNSCore/Words/MockAPNSVersion.swift").read_text()
).group(1)
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")


def run(*command, **rest):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE, **rest)


def build(executable, output, *options):
    env = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    notices = ["--notices", PYTHON / "README.md"]  # stands for those, which a release makes
    done = run(sys.executable, PYTHON / "build.py", "--executable", executable, *notices, "--output", output, *options, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Stands for the executable, which is large: it runs the one under test."""
    file = tmp_path_factory.mktemp("command") / "mock-apns"
    file.write_text(f'#!/bin/sh\nexec "{os.environ["MOCK_APNS_EXECUTABLE"]}" "$@"\n')
    file.chmod(0o755)
    return file


@pytest.fixture(scope="module")
def wheel(command, tmp_path_factory):
    return build(command, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of commands of an environment with the wheel, and pytest and httpx from the one around."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    done = run(sys.executable, "-m", "pip", "--python", folder, "install", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stderr
    site = sysconfig.get_path("purelib", vars={"base": str(folder)})
    # Its own packages come first, and what is editable in the one around is not seen.
    with open(os.path.join(site, "around.pth"), "w") as file:
        file.write(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def environment():
    """The one of a user who has nothing but the wheel."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MOCK_APNS", "PYTEST", "PYTHON"))}
    return {**plain, "PYTHONDONTWRITEBYTECODE": "1"}


def test_what_is_inside(wheel):
    assert os.path.basename(wheel) == f"mock_apns-{VERSION}-py3-none-{PLATFORM}.whl"
    info = f"mock_apns-{VERSION}.dist-info"
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        metadata = file.read(f"{info}/METADATA").decode()
        assert "pytest11" in file.read(f"{info}/entry_points.txt").decode()
        assert f"Tag: py3-none-{PLATFORM}" in file.read(f"{info}/WHEEL").decode()
        assert "Root-Is-Purelib: false" in file.read(f"{info}/WHEEL").decode()
        command = file.getinfo(f"mock_apns-{VERSION}.data/scripts/mock-apns")
        assert command.external_attr >> 16 & 0o777 == 0o755
        assert {each.date_time for each in file.infolist()} == {(2020, 1, 1, 0, 0, 0)}
        assert file.read("mock_apns/NOTICES") == (PYTHON / "README.md").read_bytes()
        schema = "scenarios/scenario.schema.json"
        assert file.read(f"mock_apns/{schema}") == (ROOT / schema).read_bytes()
    modules = {f"mock_apns/{each.name}" for each in (PYTHON / "src/mock_apns").iterdir() if each.is_file()}
    scenarios = {f"mock_apns/scenarios/{each.name}" for each in (ROOT / "scenarios").iterdir()}
    assert {name for name in names if "/" in name and name.startswith("mock_apns/")} == modules | scenarios | {"mock_apns/NOTICES"}
    assert "mock_apns/py.typed" in modules
    assert f"\nVersion: {VERSION}\n" in metadata
    assert "Requires-Python: >=3.9" in metadata
    assert "Requires-Dist" not in metadata
    fields = metadata.partition("\n\n")[0]
    assert "http" not in fields, "no address that does not exist"


def test_it_can_be_built_again(command, wheel, tmp_path):
    again = build(command, tmp_path)
    with open(wheel, "rb") as one, open(again, "rb") as two:
        assert one.read() == two.read()
    assert os.path.basename(build(command, tmp_path, "--tag", "manylinux_2_36_x86_64")).endswith(
        "-py3-none-manylinux_2_36_x86_64.whl"
    )
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".whl", ".whl"]


def test_what_cannot_be_built(tmp_path):
    build_py, readme = [sys.executable, PYTHON / "build.py", "--output", tmp_path], PYTHON / "README.md"
    done = run(*build_py, "--executable", tmp_path / "x", "--notices", readme)
    assert done.returncode == 2 and f"{tmp_path}/x is no executable" in done.stderr
    done = run(*build_py, "--executable", sys.executable, "--notices", tmp_path / "x")
    assert done.returncode == 2 and f"{tmp_path}/x is no file" in done.stderr
    env = {name: value for name, value in os.environ.items() if name != "MOCK_APNS_EXECUTABLE"}
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=PYTHON, env=env)
    assert done.returncode != 0 and "The variable MOCK_APNS_EXECUTABLE has to name the executable" in done.stderr


def test_the_command(installed):
    done = run(installed / "mock-apns", "--version")
    assert done.stdout.startswith(f"mock-apns {VERSION} "), done.stderr


def test_what_it_brings(installed):
    """The version, and scenarios by their names without any file."""
    program = """if True:
        import mock_apns
        with mock_apns.Server(scenario="tour") as apns:
            print(mock_apns.__version__, "__version__" in dir(mock_apns), apns.device("alice").token[:4])
    """
    done = run(installed / "python", "-c", program, env=environment())
    assert done.stdout == f"{VERSION} True 00fc\n", done.stderr


def test_ten_lines(installed, tmp_path):
    """The README's test, green; and red when the provider does what it should not."""
    readme = (PYTHON / "README.md").read_text()
    (text,) = re.findall(r"^```python\n(import httpx.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    file = tmp_path / "test_goal.py"
    file.write_text(text)
    command = [installed / "python", "-m", "pytest", "-p", "no:cacheprovider", "-v", file]
    done = run(*command, cwd=tmp_path, env=environment())
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr

    assert '"apns-push-type": "alert"' in text
    file.write_text(text.replace('"apns-push-type": "alert"', '"apns-push-type": "alert", "apns-priority": "7"'))
    done = run(*command, cwd=tmp_path, env=environment())
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout
    assert "BadPriority" in done.stdout
    assert 'apns-priority is "7"' in done.stdout


def test_the_installed_package_is_what_is_tested(installed):
    program = "import mock_apns, mock_apns._executable as e; print(mock_apns.__file__); print(e.find_executable())"
    done = run(installed / "python", "-c", program, env={**environment(), "PATH": "/usr/bin:/bin"})
    package, command = done.stdout.split()
    assert package.startswith(str(installed.parent))
    assert command == str(installed / "mock-apns")


def test_other_places(wheel, tmp_path):
    """`pip install --target` puts the command beside the package."""
    done = run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", tmp_path, wheel)
    assert done.returncode == 0, done.stderr
    program = "import mock_apns._executable as e; print(e.find_executable())"
    # Without the commands of this environment, which come first.
    done = run(sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}",
               env=environment())
    assert done.stdout.strip() == str(tmp_path / "bin/mock-apns"), done.stderr


def test_a_copied_folder_is_no_clone(command, tmp_path):
    copy = tmp_path / "Clients/python"
    shutil.copytree(PYTHON, copy, ignore=lambda *_: ["tests", "scenarios"])
    done = run(sys.executable, copy / "build.py", "--executable", command, "--output", tmp_path)
    assert done.returncode == 2
    assert "this folder is no clone of the repository, in which the version and the scenarios are" in done.stderr
