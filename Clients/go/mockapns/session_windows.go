package mockapns

import "os/exec"

// inSession does nothing: there is no mock-apns for Windows, whose tests use a server that runs elsewhere.
func inSession(*exec.Cmd) {}
