package tests

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mock-apns.example/go/mockapns"
)

func TestAServerOfOnesOwn(t *testing.T) {
	t.Parallel()
	var address, folder string
	said, failed := run(t, func(t testing.TB) {
		apns := mockapns.New(t, mockapns.OwnServer("--auth", "none"), mockapns.Scenario(JSON{}), mockapns.AdminToken("secret"))
		address, folder = strings.TrimPrefix(apns.URL, "https://"), filepath.Dir(apns.Dir())
		equal(t, push(t, apns, alice, "Goal", "authorization", ""), 200)
		contains(t, strings.Join(apns.Env(), "\n"), "MOCK_APNS_ADMIN_TOKEN=secret", "MOCK_APNS_ADMIN_URL="+apns.AdminURL)
		_, err := os.Stat(folder)
		equal(t, err, nil)

		// Other tests use it by its address.
		contains(t, failure(asTest(t), func(t testing.TB) {
			mockapns.New(t, mockapns.AdminURL(apns.AdminURL))
		}), "(401 unauthorized)")
		theirs := mockapns.New(t, mockapns.AdminURL(apns.AdminURL), mockapns.AdminToken("secret"))
		equal(t, theirs.Count(Match{}), 0)
		equal(t, theirs.URL == apns.URL, false)
		contains(t, strings.Join(theirs.Env(), "\n"), "MOCK_APNS_CA="+theirs.Dir())
	})
	if failed {
		t.Error(said)
	}
	if connection, err := net.Dial("tcp", address); err == nil {
		connection.Close()
		t.Error("the port is open")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Error(folder, err)
	}
}

// asTest is the test of ours in which another runs.
func asTest(t testing.TB) *testing.T { return t.(*other).TB.(*testing.T) }

func TestTheScenarioOfAServerStartedElsewhere(t *testing.T) {
	t.Parallel()
	server := mockapns.New(t, mockapns.OwnServer(), mockapns.Scenario(JSON{"rules": []JSON{{"then": mockapns.Reject("Shutdown")}}}))
	equal(t, push(t, mockapns.New(t, mockapns.AdminURL(server.AdminURL)), alice, "Goal"), 503)
	equal(t, push(t, mockapns.New(t, mockapns.AdminURL(server.AdminURL), mockapns.Scenario("{}")), alice, "Goal"), 200)
}

func TestPublishedPorts(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t, mockapns.MapPort(func(port int) string { return fmt.Sprintf("localhost:%d", port) }))
	contains(t, apns.URL, "https://localhost:")
	equal(t, push(t, apns, alice, "Goal"), 200)
}

// TestOneNameTwice is what two runs at the same test do.
func TestOneNameTwice(t *testing.T) {
	t.Parallel()
	one, two := mockapns.New(t), mockapns.New(t)
	contains(t, one.AdminURL, "/api/v1/sessions/testonenametwice")
	contains(t, two.AdminURL, "/api/v1/sessions/testonenametwice-")
	t.Run(strings.Repeat("Long and strange ✓ ", 10), func(t *testing.T) {
		equal(t, mockapns.New(t).Count(Match{}), 0)
	})
}

// TestTokensInParallel is for the race detector.
func TestTokensInParallel(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	tokens := make(chan string)
	for i := 0; i < 2; i++ {
		go func() { tokens <- apns.Token() }()
	}
	equal(t, <-tokens, <-tokens)
}

func TestWrongAddresses(t *testing.T) {
	for address, message := range map[string]string{
		"https://127.0.0.1:2197": "is not the address of an admin port, such as http://127.0.0.1:2198",
		"http://127.0.0.1:1":     "no mock-apns answers at http://127.0.0.1:1: ",
	} {
		contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.AdminURL(address)) }), message)
	}
}

func TestAnAddressForAServerOfOnesOwn(t *testing.T) {
	said := failure(t, func(t testing.TB) { mockapns.New(t, mockapns.OwnServer(), mockapns.AdminURL("http://127.0.0.1:1")) })
	equal(t, said, "OwnServer starts a server, AdminURL names one that is running: New takes one of the two")
	t.Setenv("MOCK_APNS_ADMIN_URL", "http://127.0.0.1:1") // as under mock-apns exec
	equal(t, mockapns.New(t, mockapns.OwnServer(), mockapns.AdminURL("")).Count(Match{}), 0)
}

func TestWhatIsNoServer(t *testing.T) {
	for script, message := range map[string]string{
		"#!/bin/sh\necho 'mock-apns: no luck' >&2\nexit 69": "could not be started (exit status 69): mock-apns: no luck",
		"#!/bin/sh\nkill -9 $$":                             "could not be started (signal: killed): it said nothing.",
		"#!/bin/sh\necho hello":                             `is not mock-apns: its first line is "hello\n"`,
		"#!/bin/sh\necho '[]'":                              `is not mock-apns: its first line is "[]\n"`,
		"#!/nowhere\n":                                      "cannot be run: ",
		"\177ELF":                                           "cannot be run: ",
	} {
		file := filepath.Join(t.TempDir(), "mock-apns")
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, own := range []mockapns.Option{mockapns.OwnServer(), mockapns.Executable(file)} {
			contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Executable(file), own) }), file+" "+message)
		}
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "mock-apns-*", "stderr.txt"))
	for _, file := range left {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), "no luck") {
			t.Error(file, "is left")
		}
	}
}

func TestWhatIsNoExecutable(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "mock-apns")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Executable(missing)) }),
		missing+" is no executable: ", "no such file")
	t.Setenv("MOCK_APNS_EXECUTABLE", missing)
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.OwnServer()) }), missing+" is no executable")
	t.Setenv("MOCK_APNS_EXECUTABLE", "")
	t.Setenv("PATH", t.TempDir())
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.OwnServer()) }),
		"the command mock-apns is not on the PATH", "Guides/Installing.md")
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.OwnServer("--auth=vrify")) }),
		"could not be started (exit status 64)", "The value 'vrify' is invalid")
}

func TestAServerThatEndsByItself(t *testing.T) {
	t.Parallel()
	said := failure(t, func(t testing.TB) {
		apns := mockapns.New(t, mockapns.OwnServer())
		kill(t, pid(t, apns))
		apns.Count(Match{})
	})
	equal(t, strings.Count(said, "ended by itself (signal: killed)"), 1)
}
