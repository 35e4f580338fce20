//go:build !windows

package mockapns

import (
	"os/exec"
	"syscall"
)

// inSession starts a command in a session of its own: Control-C is for our process, with which the command ends.
func inSession(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
