"""The files of the folder Clients that users copy: providers, test files, drivers, and a manifest for Kubernetes."""

import shutil

from server import ROOT

CLIENTS = ROOT / "Clients"
# Language -> folder. What is beside them in `python`, and in folders of their own, belongs to the packages.
FOLDERS = {folder.name: folder / "examples" if folder.name == "python" else folder
           for folder in sorted(CLIENTS.iterdir()) if folder.is_dir()}
PACKAGE_FILES = {"README.md", "go.mod", "package.json", "pom.xml"}
COPIES = {file.name: file for folder in FOLDERS.values() for file in sorted(folder.iterdir())
          if file.is_file() and file.name not in PACKAGE_FILES}
PROVIDERS, DRIVERS, SUITES = (
    {name: file for name, file in COPIES.items() if name.lower().startswith(word)} for word in ("push", "driver", "notifications"))
# What a test file needs beside it, by its place there.
SUITE_PARTS = {"go.mod": CLIENTS / "go/go.mod"}
SUITE_PARTS |= {f"mockapns/{file.name}": file for file in sorted((CLIENTS / "go/mockapns").iterdir())}
JAVA_PACKAGE = FOLDERS["java"] / "src"
NODE_PACKAGE = FOLDERS["node"]
SWIFT_PACKAGE = FOLDERS["swift"] / "package"
SWIFT_TESTS = FOLDERS["swift"] / "tests"
SWIFT_SUITE = FOLDERS["swift"] / "executable"
KUBERNETES = COPIES["fleet.yaml"]


def copy_suites(folder):
    """Copies all test files, with what they need beside them, to a new folder."""
    for name, file in {**SUITES, **SUITE_PARTS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / name)
    shutil.copytree(JAVA_PACKAGE, folder, dirs_exist_ok=True)
    install_node_package(folder)


def install_node_package(folder):
    """Puts the package where npm would install it."""
    (folder / "node_modules").mkdir()
    shutil.copytree(NODE_PACKAGE, folder / "node_modules/mock-apns", ignore=shutil.ignore_patterns("test"))
