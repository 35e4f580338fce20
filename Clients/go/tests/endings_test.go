package tests

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mock-apns.example/go/mockapns"
)

// TestRunner is run by TestEndings in a process of its own, which ends in the way that the variable names.
func TestRunner(t *testing.T) {
	ending := os.Getenv("ENDING")
	if ending == "" {
		t.Skip("it is run by TestEndings")
	}
	apns := mockapns.New(t, mockapns.Scenario(busy))
	own := mockapns.New(t, mockapns.OwnServer())
	push(t, apns, alice, "Goal")
	apns.Dir()
	for _, each := range []*mockapns.APNs{apns, own} {
		fmt.Printf("server %d %s\n", pid(t, each), strings.TrimPrefix(each.URL, "https://"))
	}
	switch ending {
	case "kill":
		kill(t, os.Getpid())
		select {}
	case "panic":
		panic("as the test wants it")
	case "panic elsewhere":
		go panic("as the test wants it")
		select {}
	case "exit":
		os.Exit(3)
	case "timeout":
		select {}
	case "failure":
		t.Fatal("my own mistake")
	case "normal":
		push(t, apns, alice, "Goal")
	}
}

// TestEndings has test processes end in all ways. Each returns, and nothing is left: no server, no port, no folder.
func TestEndings(t *testing.T) {
	for ending, said := range map[string]string{
		"kill":            "",
		"panic":           "panic: as the test wants it",
		"panic elsewhere": "panic: as the test wants it",
		"exit":            "",
		"timeout":         "panic: test timed out after ",
		"failure":         "FAILED  tried again",
		"normal":          "PASS",
	} {
		ending, said := ending, said
		t.Run(ending, func(t *testing.T) {
			folder := t.TempDir()
			limit := patience
			if ending == "timeout" {
				limit = 5 * time.Second
			}
			output, err := runner(ending, folder, limit)
			for strings.Count(output, "server ") < 2 && limit < patience { // a busy machine: the timeout came before the servers
				limit *= 4
				output, err = runner(ending, folder, limit)
			}
			ended := time.Now()
			if (err == nil) != (ending == "normal") {
				t.Errorf("%v: %s", err, output)
			}
			contains(t, output, said)
			if ending == "panic" || ending == "failure" {
				contains(t, output, "FAILED  tried again", "mock-apns: 1 request:")
			}
			servers := 0
			for _, line := range strings.Split(output, "\n") {
				var number int
				var address string
				if count, _ := fmt.Sscanf(line, "server %d %s", &number, &address); count == 2 {
					servers++
					until(t, "process of a server", func() bool { return hasEnded(number) })
					until(t, "port", func() bool {
						connection, err := net.Dial("tcp", address)
						if err == nil {
							connection.Close()
						}
						return err != nil
					})
				}
			}
			equal(t, servers, 2)
			until(t, "folder", func() bool {
				left, _ := filepath.Glob(filepath.Join(folder, "*"))
				return len(left) == 0
			})
			t.Logf("all was gone %v after the runner", time.Since(ended).Round(time.Millisecond))
		})
	}
}

// runner runs TestRunner in a process of its own. It returns when no process has its standard output and error any more.
func runner(ending, folder string, limit time.Duration) (string, error) {
	command := exec.Command(os.Args[0], "-test.run=^TestRunner$", "-test.count=1", fmt.Sprintf("-test.timeout=%s", limit))
	command.Env = append(os.Environ(), "ENDING="+ending, "TMPDIR="+folder, "MOCK_APNS_ADMIN_URL=")
	output, err := command.CombinedOutput()
	return string(output), err
}

// hasEnded tells whether a process has ended, even if it is still a zombie, as in a container.
func hasEnded(process int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	return syscall.Kill(process, 0) != nil || strings.Contains(string(stat), ") Z ")
}

func until(t *testing.T, what string, isGone func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !isGone(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a %s is left", what)
		}
	}
}

func pid(t testing.TB, apns *mockapns.APNs) int {
	t.Helper()
	var identity struct{ PID int }
	if err := apns.Call("GET", "/identity", nil, &identity); err != nil {
		t.Fatal(err)
	}
	return identity.PID
}

func kill(t testing.TB, process int) {
	t.Helper()
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
