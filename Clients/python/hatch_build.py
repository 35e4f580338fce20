"""Puts the executable into the wheel, where pip makes a command of it, and the licences of what is in it."""

import os
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Executable(BuildHookInterface):
    def initialize(self, version, build_data):
        # An editable installation gets it from a variable, or from PATH.
        if version == "editable":
            return
        executable = os.environ.get("MOCK_APNS_EXECUTABLE")
        if not executable or not os.access(executable, os.X_OK):
            named = f"{executable} is not one" if executable else "it is not set"
            raise SystemExit(f"The variable MOCK_APNS_EXECUTABLE has to name the executable for the wheel; {named}.")
        notices = os.environ.get("MOCK_APNS_NOTICES")
        if notices:
            build_data["force_include"][os.path.abspath(notices)] = "mock_apns/NOTICES"
        platform = os.environ.get("MOCK_APNS_WHEEL_TAG") or sysconfig.get_platform()
        build_data["tag"] = f"py3-none-{platform.replace('-', '_').replace('.', '_')}"
        build_data["pure_python"] = False
        build_data["shared_scripts"] = {os.path.abspath(executable): "mock-apns"}
