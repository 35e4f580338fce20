"""The files of the folder Clients that users copy: providers, test files, drivers, and a manifest for Kubernetes."""

import shutil

from server import ROOT

CLIENTS = ROOT / "Clients"
# Language -> folder. What is beside them in `python` belongs to the package.
FOLDERS = {folder.name: folder / "examples" if folder.name == "python" else folder
           for folder in sorted(CLIENTS.iterdir()) if folder.is_dir()}
# What a package has beside them.
PACKAGE_FILES = {"README.md", "go.mod"}
COPIES = {file.name: file for folder in FOLDERS.values() for file in sorted(folder.iterdir())
          if file.is_file() and file.name not in PACKAGE_FILES}
PROVIDERS, DRIVERS, SUITES = (
    {name: file for name, file in COPIES.items() if name.lower().startswith(word)} for word in ("push", "driver", "notifications"))
# What a test file needs beside it.
SUITE_PARTS = {"mock-apns.js": COPIES["mock-apns.js"], "go.mod": CLIENTS / "go/go.mod"}
SUITE_PARTS |= {f"mockapns/{file.name}": file for file in sorted((CLIENTS / "go/mockapns").iterdir())}
SWIFT_PACKAGE = FOLDERS["swift"] / "package"
KUBERNETES = COPIES["fleet.yaml"]


def copy_suites(folder):
    """Copies all test files to a new folder."""
    for name, file in {**SUITES, **SUITE_PARTS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / name)
