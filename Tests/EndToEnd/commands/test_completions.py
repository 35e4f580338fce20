"""The completions for bash, as a shell asks for them."""

import pathlib
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE

# Asks for the completions of the words after the script, the last of which is being typed.
ASK = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
function=$(complete -p mock-apns)
function=${function##*-F } function=${function%% *}
"$function" mock-apns "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-completions-")))
        self.script = self.folder / "script.bash"
        told = subprocess.run([EXECUTABLE, "--generate-completion-script", "bash"], check=True, capture_output=True, timeout=PATIENCE)
        self.script.write_bytes(told.stdout)
        self.work = self.folder / "work"
        (self.work / "busy-certs").mkdir(parents=True)
        for name in ("busy.json", "busy.txt"):
            (self.work / name).touch()

    def completed(self, *words):
        done = subprocess.run(["bash", "-c", ASK, "bash", self.script, "mock-apns", *words], cwd=self.work, capture_output=True,
                              text=True, timeout=PATIENCE)
        return set(done.stdout.split())

    def test_files_and_folders(self):
        scenario = {"busy.json", "busy-certs"}
        for words in (["serve", "--scenario"], ["exec", "--scenario"], ["lint", "--scenario"], ["check"]):
            self.assertEqual(self.completed(*words, "bu"), scenario, words)
        for words in (["serve", "--log"], ["verify", "--log"], ["exec", "--junit"], ["exec", "--report"], ["token", "--key"],
                      ["exec", "--"], ["exec", "--", "sh"]):
            self.assertEqual(self.completed(*words, "bu"), {"busy.json", "busy.txt", "busy-certs"}, words)
        for words in (["serve", "--certs"], ["certs", "--certs"], ["token", "--certs"]):
            self.assertEqual(self.completed(*words, "bu"), {"busy-certs"}, words)

    def test_words(self):
        self.assertIn("exec", self.completed("ex"))
        self.assertEqual(self.completed("certs", "--kind", "rev"), {"revoked"})
        self.assertEqual(self.completed("serve", "--scen"), {"--scenario"})


if __name__ == "__main__":
    unittest.main()
