"""What a package that uses the Swift library has to fetch."""

import pathlib
import subprocess
import tempfile
import unittest

from server import PATIENCE, ROOT

MANIFEST = """
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "provider", platforms: [.macOS(.v15)],
    dependencies: [.package(path: "{root}", traits: [])],
    targets: [
        .testTarget(name: "ProviderTests", dependencies: [.product(name: "MockAPNSTesting", package: "{package}")])
    ])
"""


@unittest.skipUnless((ROOT / ".build/tests/checkouts").exists(), "the package is built elsewhere")
class Package(unittest.TestCase):
    def test_a_test_target_fetches_little(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "Tests/ProviderTests").mkdir(parents=True)
        (folder / "Tests/ProviderTests/ProviderTests.swift").write_text("import MockAPNSTesting\n")
        manifest = MANIFEST.format(root=ROOT, package=ROOT.name.lower()).lstrip()
        (folder / "Package.swift").write_text(manifest)
        command = ["swift", "package", "--package-path", str(folder), "resolve"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        fetched = sorted(path.name for path in (folder / ".build/checkouts").iterdir())
        self.assertEqual(fetched, ["swift-atomics", "swift-collections", "swift-log", "swift-nio", "swift-system"])


if __name__ == "__main__":
    unittest.main()
