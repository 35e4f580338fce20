"""The workflows for GitHub, which have never been run, and the formula for Homebrew, as far as they can be tried without either:
their schemas, the rules of zizmor, what they name in this repository, two steps of a release, and the formula's own test."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

from server import EXECUTABLE, PATIENCE, ROOT

TOOLS = pathlib.Path(sys.executable).parent
GITHUB = ROOT / ".github"
WORKFLOWS = {path.name: path.read_text() for path in sorted((GITHUB / "workflows").glob("*.yml"))}
VERSION_FILE = "Sources/MockAPNSCore/Words/MockAPNSVersion.swift"
VERSION = re.search(r'let text = "(.*)"', (ROOT / VERSION_FILE).read_text())[1]
ADDRESS = "https://github.com/OWNER/mock-apns"
# What the formula downloads, and where.
ARCHIVES = {"": f"mock-apns-{VERSION}.tar.gz", "linux intel": f"mock-apns-{VERSION}-linux-x86_64.tar.gz",
            "linux arm": f"mock-apns-{VERSION}-linux-aarch64.tar.gz"}
# As much of Homebrew as the formula asks for, but to install it. Prints what is downloaded where, then runs the formula's test.
HOMEBREW = r"""
require "json"
require "pathname"
class Formula
  @@where, @@downloads, @@test = [], {}, nil
  def self.desc(text) = nil
  def self.homepage(text) = nil
  def self.depends_on(what) = nil
  def self.url(text) = @@downloads[@@where.join(" ")] = [text]
  def self.sha256(text) = @@downloads[@@where.join(" ")] << text
  def self.resource(name) = yield
  %w[macos linux intel arm].each do |name|
    define_singleton_method("on_#{name}") { |&block| @@where.push(name); block.call; @@where.pop }
  end
  def self.test(&block) = @@test = block
  def self.finish = puts(JSON.generate(@@downloads)) || new.instance_eval(&@@test)
  def bin = Pathname(ARGV[1])
  def version = ARGV[2]
  def shell_output(command) = `#{command}`
  def assert_match(part, text) = text.include?(part) || raise("no #{part} in #{text}")
  def system(*words) = Kernel.system(*words.map(&:to_s), exception: true)
end
load ARGV[0]
MockApns.finish
"""


def steps(text):
    return [step for job in yaml.safe_load(text)["jobs"].values() for step in job.get("steps", ())]


class Workflows(unittest.TestCase):
    def passes(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_schemas(self):
        for schema, files in (("github-workflows", [GITHUB / "workflows" / name for name in WORKFLOWS]),
                              ("dependabot", [GITHUB / "dependabot.yml"])):
            with self.subTest(schema):
                self.passes(TOOLS / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)

    def test_zizmor_finds_nothing(self):
        self.passes(TOOLS / "zizmor", "--offline", "--no-progress", "--persona", "pedantic", GITHUB)

    def test_they_say_that_they_have_never_run(self):
        self.assertEqual(set(WORKFLOWS), {"ci.yml", "release.yml"})
        for name, text in WORKFLOWS.items():
            with self.subTest(name):
                self.assertTrue(text.startswith("# This has never been run: "))

    def test_actions_are_pinned(self):
        """By a commit, with its version beside it, which is the same everywhere."""
        pins = {}
        for name, text in WORKFLOWS.items():
            for line in re.findall(r"^.*\buses: .*$", text, re.MULTILINE):
                with self.subTest(name, line=line.strip()):
                    if "uses: $/" in line:
                        self.assertTrue((ROOT / line.partition("$/")[2]).is_file())
                        continue
                    found = re.search(r"uses: ([\w-]+/[\w/-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$", line)
                    self.assertIsNotNone(found)
                    self.assertEqual(pins.setdefault(found[1], found[2]), found[2])

    def test_what_they_name_exists(self):
        """The targets of the Makefile, the scripts, and the image that the Dockerfile builds with."""
        made = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        image = re.search(r"BUILD_BASE=docker\.io/library/(\S+)", (ROOT / "Dockerfile").read_text())[1]
        targets, scripts = set(), set()
        for text in WORKFLOWS.values():
            runs = "\n".join(step.get("run", "") for step in steps(text))
            targets |= set(re.findall(r"^(?:sudo )?make (.*)$", runs, re.MULTILINE))
            scripts |= set(re.findall(r"\.ci/\w+", runs))
            self.assertEqual(set(re.findall(r"image: ([\w.-]+:\S+)", text)), {image})
        self.assertEqual(targets, {"test", "sanitize", "container-test", "dist"})
        self.assertLessEqual(targets, made)
        self.assertEqual([script for script in scripts if not os.access(ROOT / script, os.X_OK)], [])


class Release(unittest.TestCase):
    """The steps of a release that need nothing of GitHub, in a repository that has what they read."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-release-")))
        for name in (VERSION_FILE, ".ci/formula"):
            (self.folder / name).parent.mkdir(parents=True)
            shutil.copy(ROOT / name, self.folder / name)
        (self.folder / "LICENSE").touch()
        self.changelog(f"## {VERSION}, 2026-12-01")

    def changelog(self, heading):
        (self.folder / "CHANGELOG.md").write_text(
            f"# Changelog\n\n## 99.0.0, 2027-01-01\n\nNewer.\n\n{heading}\n\nNew.\n\n## 0.1.0, 2026-01-01\n")

    def step(self, name, tag=f"v{VERSION}"):
        """Runs it as GitHub does. Returns the exit code and what was said."""
        (script,) = [step["run"] for step in steps(WORKFLOWS["release.yml"]) if step.get("id") == name]
        server, _, repository = ADDRESS.rpartition("/OWNER/")
        environment = {**os.environ, "GITHUB_REF_NAME": tag, "GITHUB_SERVER_URL": server,
                       "GITHUB_REPOSITORY": f"OWNER/{repository}"}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def test_the_version_is_the_tag(self):
        self.assertEqual(self.step("check"), (0, ""))
        self.assertEqual(self.step("check", tag="v99.0.0"),
                         (1, f"::error::The tag is v99.0.0, but the version in the code is {VERSION}.\n"))
        self.changelog(f"## {VERSION}, not yet released")
        self.assertEqual(self.step("check"), (1, f"::error::CHANGELOG.md has no date for {VERSION}.\n"))
        self.changelog(f"## {VERSION}, 2026-12-01")
        (self.folder / "LICENSE").unlink()
        self.assertEqual(self.step("check"), (1, "::error::There is no LICENSE.\n"))

    def test_the_version_is_the_same_everywhere(self):
        """As CONTRIBUTING says of a release's commit."""
        found = [re.search(r"<version>(.*?)</version>", (ROOT / "Clients/java/pom.xml").read_text())[1]]
        found.append(json.loads((ROOT / "Clients/node/package.json").read_text())["version"])
        found.append(json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text())["info"]["version"])
        self.assertEqual(set(found), {VERSION})

    def test_all_files_are_collected(self):
        git = functools.partial(subprocess.run, cwd=self.folder, check=True, capture_output=True, timeout=PATIENCE)
        git(["git", "init", "--quiet"])
        git(["git", "add", "."])
        git(["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "A"])
        dist = self.folder / "dist"
        dist.mkdir()
        packages = {*list(ARCHIVES.values())[1:], "mock-apns.deb", "mock_apns.whl"}
        for name in packages:
            (dist / name).write_text(name)
        self.assertEqual(self.step("collect"), (0, ""))
        self.assertEqual({file.name for file in dist.iterdir()}, {*packages, ARCHIVES[""], "SHA256SUMS", "mock-apns.rb"})
        git(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=dist)
        sums = dict(reversed(line.split()) for line in (dist / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {*packages, ARCHIVES[""]})
        formula = (dist / "mock-apns.rb").read_text()
        for name in ARCHIVES.values():
            self.assertIn(f'"{ADDRESS}/releases/download/v{VERSION}/{name}"', formula)
            self.assertIn(f'"{sums[name]}"', formula)
        told = subprocess.run(["tar", "-tzf", dist / ARCHIVES[""]], check=True, capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn(f"mock-apns-{VERSION}/{VERSION_FILE}", told.stdout.splitlines())
        self.assertEqual((self.folder / "notes.md").read_text(), "\nNew.\n\n")


class Formula(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-formula-")))
        self.sums = {name: f"{number:064x}" for number, name in enumerate(ARCHIVES.values(), 10)}

    def made(self):
        (self.folder / "SHA256SUMS").write_text("".join(f"{value}  {name}\n" for name, value in self.sums.items()))
        return subprocess.run([ROOT / ".ci/formula", VERSION, self.folder / "SHA256SUMS", ADDRESS], capture_output=True, text=True,
                              timeout=PATIENCE)

    def test_a_sum_is_missing(self):
        for name in list(self.sums):
            with self.subTest(name):
                value = self.sums.pop(name)
                done = self.made()
                self.assertEqual((done.returncode, done.stdout), (65, ""))
                self.assertEqual(done.stderr, f"There is no sum of {name} in {self.folder}/SHA256SUMS\n")
                self.sums[name] = value

    @unittest.skipUnless(shutil.which("ruby"), "ruby is missing")
    def test_it_downloads_what_the_sums_are_of_and_its_test_passes(self):
        file = self.folder / "mock-apns.rb"
        file.write_text(self.made().stdout)
        self.assertRegex(file.read_text(), r'^class MockApns < Formula\n  desc "[A-Z][^"]{1,78}[^."]"\n  homepage "https://')
        warned = subprocess.run(["ruby", "-wc", file], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((warned.returncode, warned.stdout, warned.stderr), (0, "Syntax OK\n", ""))
        (self.folder / "mock-apns").symlink_to(EXECUTABLE)
        done = subprocess.run(["ruby", "-e", HOMEBREW, file, self.folder, VERSION], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        address = f"{ADDRESS}/releases/download/v{VERSION}"
        self.assertEqual(json.loads(done.stdout.splitlines()[0]),
                         {where: [f"{address}/{name}", self.sums[name]] for where, name in ARCHIVES.items()})


if __name__ == "__main__":
    unittest.main()
