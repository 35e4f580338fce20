"""Regular expressions that take forever, in rules and in questions."""

import json
import threading
import time

from victim import Failure, attack, demand
from witness import Witness

PATTERNS = [
    "(.|.)*x", "a*a*a*a*a*a*a*a*b", ".*alert.*title.*body.*missing.*", "(a+)+b", "(?:a|a?)+b", "(x+x+)+y",
    r"(\w+\s?)*!", "((a{0,50}){0,50}){0,50}b", r"^(([a-z])+.)+[A-Z]([a-z])+$", "(?:(?:a*)*)*b", r"(a|b|ab)*c\d{99}",
    "(?=(a+))a*b\\1", "(" * 200 + "a" + ")*" * 200,
]
BODY = json.dumps({"aps": {"alert": {"title": "a" * 1500, "body": "alert title body " * 80}}}).encode()
QUICK = 2.0


def ask(victim, method, path, value, what):
    """The status of a call that may not take long."""
    began = time.monotonic()
    try:
        status, _ = victim.call(method, path, value, timeout=8)
    except OSError as error:
        raise Failure(f"{what} was not answered: {error!r}") from error
    demand(time.monotonic() - began < QUICK, f"{what} took {time.monotonic() - began:.1f} s")
    return status


@attack("patterns-in-rules", seconds=60)
def patterns_in_rules(victim, random, scale):
    """Each pattern as the condition of a rule; a push has to be answered within a second."""
    taken, slowest = 0, 0.0
    for pattern in PATTERNS:
        for when in ({"body": {"matches": pattern}}, {"payload": {"/aps/alert/title": {"not": {"matches": pattern}}}}):
            rule = {"name": "hostile", "when": when, "then": {"pass": True}}
            status = ask(victim, "POST", "/api/v1/rules", rule, f"a rule with {pattern[:40]}")
            if status >= 400:
                continue
            taken += 1
            for _ in range(3):
                try:
                    status, seconds = victim.push(timeout=8, body=BODY)
                except (OSError, AssertionError) as error:
                    raise Failure(f"with the rule {pattern[:40]} a push was not answered: {error!r}") from error
                demand(status == 200, f"with the rule {pattern[:40]} a push was answered {status}")
                demand(seconds < 1, f"with the rule {pattern[:40]} a push took {seconds:.1f} s")
                slowest = max(slowest, seconds)
            ask(victim, "DELETE", "/api/v1/rules/hostile", None, "removing a rule")
    return f"{taken} of {2 * len(PATTERNS)} rules taken, slowest push {slowest * 1000:.0f} ms"


@attack("patterns-in-questions", "--log-limit", "5000", memory=32, seconds=120)
def patterns_in_questions(victim, random, scale):
    """Each pattern in find, count, wait and verify, over many payloads, from several askers at once."""
    victim.push_many(int(2000 * max(scale, 0.2)), body=BODY)
    answers, slowest = [], 0.0

    def run(path, value):
        began = time.monotonic()
        try:
            status, _ = victim.call("POST", path, value, timeout=25)
            answers.append((status, time.monotonic() - began, path))
        except OSError as error:
            answers.append((0, time.monotonic() - began, f"{path} {error!r}"))

    with Witness(victim):
        for pattern in PATTERNS:
            match = {"body": {"matches": pattern}}
            threads = [threading.Thread(target=run, args=arguments, daemon=True) for arguments in (
                ("/api/v1/requests/find", {"requests": match}), ("/api/v1/requests/count", {"requests": match}),
                ("/api/v1/requests/wait", {"requests": match, "timeout": "200ms"}),
                ("/api/v1/verify", {"expect": [{"requests": match, "count": 0}]}),
            )]
            for thread in threads:
                thread.start()
            began = time.monotonic()
            demand(ask(victim, "GET", "/readyz", None, "/readyz") == 200, "/readyz is not 200")
            slowest = max(slowest, time.monotonic() - began)
            for thread in threads:
                thread.join(30)
                demand(not thread.is_alive(), f"a question with {pattern[:40]} was not answered within 30 s")
    failed = [answer for answer in answers if answer[0] == 0 or answer[0] >= 500]
    demand(not failed, f"{len(failed)} questions failed, such as {failed[:1]}")
    longest = max(seconds for _, seconds, _ in answers)
    return f"{len(answers)} questions, longest {longest:.1f} s; /readyz meanwhile at most {slowest * 1000:.0f} ms"


@attack("sigterm-in-question", "--log-limit", "5000", ends=True)
def sigterm_in_question(victim, random, scale):
    """SIGTERM while such a question is at work: the end comes all the same."""
    victim.push_many(2000, body=BODY)

    def run():
        try:
            victim.call("POST", "/api/v1/requests/count", {"requests": {"body": {"matches": "(.|.)*x"}}}, timeout=30)
        except OSError:
            pass

    for _ in range(4):
        threading.Thread(target=run, daemon=True).start()
    time.sleep(0.2)
    return victim.end()
