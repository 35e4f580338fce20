// Testcontainers for Go 0.42 or newer, with the package mockapns. Run it with: go test -count=1 ./...
//
// The tests of mock-apns have no engine: they run this file with a stand-in for Testcontainers.
package notifications

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"mock-apns.example/go/mockapns"
)

func TestGoal(t *testing.T) {
	t.Parallel()
	apns := newAPNs(t, mockapns.Scenario(`{"expect": [{"requests": {"status": 200}, "count": 1}]}`))
	push(t, apns, "Goal")
	if got := apns.Wait(1, mockapns.Match{Status: 200})[0]; got.At("/aps/alert") != "Goal" {
		t.Error(got.Payload)
	}
}

// push stands for your provider. Yours signs its tokens with apns.Key, apns.KeyID and apns.TeamID.
func push(t *testing.T, apns *mockapns.APNs, text string) {
	body := strings.NewReader(fmt.Sprintf(`{"aps": {"alert": %q}}`, text))
	request, err := http.NewRequest("POST", apns.URL+"/3/device/"+strings.Repeat("a", 64), body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"bearer " + apns.Token()}, "Apns-Topic": {apns.Topic}, "Apns-Push-Type": {"alert"}}
	answer, err := apns.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

// What follows is the same for all your tests.

var container *testcontainers.DockerContainer

// TestMain starts one container for the tests of this package. Four of them can have a session at a time; others wait.
func TestMain(m *testing.M) {
	var err error
	container, err = testcontainers.Run(context.Background(), "mock-apns",
		testcontainers.WithCmd("--session-ports", "2300-2303"),
		testcontainers.WithExposedPorts("2198/tcp", "2300/tcp", "2301/tcp", "2302/tcp", "2303/tcp"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort("2198/tcp")))
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		log.Print(err)
	}
	if err := testcontainers.TerminateContainer(container); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

// newAPNs opens a session in the container for a test.
func newAPNs(t *testing.T, options ...mockapns.Option) *mockapns.APNs {
	address := func(port int, scheme string) string {
		found, err := container.PortEndpoint(context.Background(), fmt.Sprintf("%d/tcp", port), scheme)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	return mockapns.New(t, append(options,
		mockapns.AdminURL(address(2198, "http")),
		mockapns.MapPort(func(port int) string { return address(port, "") }))...)
}
