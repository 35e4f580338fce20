// Go, with nothing but its standard library. Give it a package of its own, and run it with: go test -count=1 ./...
package notifications

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

const alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

func TestTriesAgainWhenBusy(t *testing.T) {
	t.Parallel()
	apns := open(t, `{
		"rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}],
		"expect": [{"name": "tried again until it worked", "requests": {"status": 200}, "count": 1}]
	}`)
	push(t, apns, alice, "Goal")
	for _, request := range apns.wait(t, 1, `{"status": 200}`) {
		if request.PushType != "alert" || request.Topic != apns.Topic {
			t.Errorf("unexpected request: %+v", request)
		}
	}
}

// push is your provider; this one shows a client certificate.
func push(t *testing.T, apns *Session, device, text string) {
	certificate, err := tls.X509KeyPair([]byte(apns.ClientCertificate), []byte(apns.ClientKey))
	check(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(apns.CertificateAuthority))
	client := http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}},
	}}
	defer client.CloseIdleConnections()
	for tries := 0; tries < 3; tries++ {
		body := strings.NewReader(fmt.Sprintf(`{"aps": {"alert": %q}}`, text))
		request, err := http.NewRequest("POST", apns.APNs+"/3/device/"+device, body)
		check(t, err)
		request.Header.Set("apns-topic", apns.Topic)
		request.Header.Set("apns-push-type", "alert")
		answer, err := client.Do(request)
		check(t, err)
		answer.Body.Close()
		if answer.StatusCode == 200 {
			return
		}
	}
}

// Session is a mock APNs server of a test's own.
type Session struct {
	APNs, Admin, Topic           string
	CertificateAuthority         string
	SigningKey, KeyID, TeamID    string
	ClientCertificate, ClientKey string
}

// Request is a record of the server.
type Request struct {
	Topic, PushType, CollapseID string
	Status                      int
	Payload                     json.RawMessage
}

// open opens a session with a scenario. When the test ends, what the scenario expects has to have happened.
func open(t *testing.T, scenario string) *Session {
	t.Helper()
	session := &Session{}
	call(t, "POST", admin(t)+"/api/v1/sessions", `{"scenario": `+scenario+`}`, session)
	t.Cleanup(func() {
		var verdict struct {
			Passed bool
			Report string
		}
		call(t, "DELETE", session.Admin, "", &verdict)
		if !verdict.Passed {
			t.Error(verdict.Report)
		}
	})
	return session
}

// wait waits until at least so many requests match, and returns them.
func (session *Session) wait(t *testing.T, count int, match string) []Request {
	t.Helper()
	var found struct{ Requests []Request }
	call(t, "POST", session.Admin+"/requests/wait", fmt.Sprintf(`{"requests": %s, "count": %d}`, match, count), &found)
	if len(found.Requests) < count {
		var verdict struct{ Report string }
		expect := fmt.Sprintf(`{"expect": [{"requests": %s, "count": {"atLeast": %d}}]}`, match, count)
		call(t, "POST", session.Admin+"/verify", expect, &verdict)
		t.Fatal(verdict.Report)
	}
	return found.Requests
}

func call(t *testing.T, method, url, body string, answer any) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	check(t, err)
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	var text json.RawMessage
	check(t, json.NewDecoder(response.Body).Decode(&text))
	if response.StatusCode >= 300 && response.StatusCode != http.StatusRequestTimeout {
		t.Fatalf("%s %s: %s", method, url, text)
	}
	check(t, json.Unmarshal(text, answer))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// server is the one for all tests.
var server struct {
	start sync.Once
	admin string
	err   error
	stop  func()
}

// TestMain stops the server after all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	if server.stop != nil {
		server.stop()
	}
	os.Exit(code)
}

// admin is the address of a server for all tests, started unless the variable names one that is running. The variable
// is read within a test, so that Go's test cache notices when it changes.
func admin(t *testing.T) string {
	t.Helper()
	server.start.Do(func() {
		if server.admin = os.Getenv("MOCK_APNS_ADMIN_URL"); server.admin == "" {
			server.err = start()
		}
	})
	check(t, server.err)
	return server.admin
}

func start() error {
	path, err := exec.LookPath("mock-apns")
	if err != nil {
		return errors.New("the command mock-apns is not on the PATH")
	}
	certificates, err := os.MkdirTemp("", "mock-apns-")
	if err != nil {
		return err
	}
	command := exec.Command(path, "serve", "--exit-with-parent", "--quiet", "--port", "0", "--admin-port", "0", "--certs", certificates)
	// With os.Stderr, go test would wait for the server, too.
	var words bytes.Buffer
	command.Stderr = &words
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	server.stop = func() {
		if command.Process != nil {
			command.Process.Signal(os.Interrupt)
			command.Wait()
		}
		os.RemoveAll(certificates)
	}
	if err := command.Start(); err != nil {
		return err
	}
	var ready struct{ Admin string }
	if err := json.NewDecoder(output).Decode(&ready); err != nil {
		server.stop()
		return fmt.Errorf("mock-apns did not start: %s", words.String())
	}
	server.admin = ready.Admin
	return nil
}
