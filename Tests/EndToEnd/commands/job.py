"""A shell for one job: runs a pipeline as the foreground of its terminal, tells when it stops, and continues it when told.

Standard input, output and error are the terminal. Arguments: two file descriptors, of orders (`fg` or `bg`, a line each)
and of what happens (`stopped`, or `ended` and the exit codes), and the commands of the pipeline as JSON.
"""

import fcntl
import json
import os
import signal
import sys
import termios

TERMINAL = 2


def start(commands):
    pids, source = [], 0
    for number, words in enumerate(commands):
        reader, writer = os.pipe() if number + 1 < len(commands) else (0, 1)
        pid = os.fork()
        group = pids[0] if pids else 0
        if pid == 0:
            os.setpgid(0, group)
            if not pids:
                os.tcsetpgrp(TERMINAL, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.dup2(source, 0)
            os.dup2(writer, 1)
            os.closerange(3, 64)
            os.execvp(words[0], words)
        try:
            os.setpgid(pid, group or pid)
        except PermissionError:
            pass  # it has done so itself, and runs its command
        pids.append(pid)
        for descriptor in (source, writer):
            if descriptor > TERMINAL:
                os.close(descriptor)
        source = reader
    return pids


def main():
    orders, happenings = os.fdopen(int(sys.argv[1])), os.fdopen(int(sys.argv[2]), "w", buffering=1)
    fcntl.ioctl(TERMINAL, termios.TIOCSCTTY, 0)
    # The tests may run under nohup; the job of this shell does not.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Who is not in the foreground is stopped for changing who is, unless it does not listen.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pids = start(json.loads(sys.argv[3]))
    codes, stopped = {}, set()
    while len(codes) < len(pids):
        pid, status = os.waitpid(-1, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            stopped.add(pid)
        else:
            codes[pid] = os.waitstatus_to_exitcode(status)
            stopped.discard(pid)
        if stopped and len(stopped) + len(codes) == len(pids):
            stopped.clear()
            os.tcsetpgrp(TERMINAL, os.getpgrp())
            print("stopped", file=happenings)
            if orders.readline() == "fg\n":
                os.tcsetpgrp(TERMINAL, pids[0])
            os.killpg(pids[0], signal.SIGCONT)
    print("ended", *(codes[pid] for pid in pids), file=happenings)


main()
