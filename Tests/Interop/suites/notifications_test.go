// Go, with nothing but its standard library. Run it with: go test notifications_test.go
package notifications

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
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
	call(t, "POST", admin+"/api/v1/sessions", `{"scenario": `+scenario+`}`, session)
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

// wait waits until as many requests match, and returns them.
func (session *Session) wait(t *testing.T, count int, match string) []Request {
	t.Helper()
	var found struct{ Requests []Request }
	call(t, "POST", session.Admin+"/requests/wait", fmt.Sprintf(`{"requests": %s, "count": %d}`, match, count), &found)
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
	if response.StatusCode >= 300 {
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

var admin = os.Getenv("MOCK_APNS_ADMIN_URL")

// TestMain starts a server for all tests, unless the variable names one that is running.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if admin == "" {
		certificates, err := os.MkdirTemp("", "mock-apns-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(certificates)
		server := exec.Command("mock-apns", "serve", "--quiet", "--port", "0", "--admin-port", "0", "--certs", certificates)
		server.Stderr = os.Stderr
		output, _ := server.StdoutPipe()
		if err := server.Start(); err != nil {
			panic(err)
		}
		defer server.Wait()
		defer server.Process.Signal(os.Interrupt)
		var ready struct{ Admin string }
		if err := json.NewDecoder(output).Decode(&ready); err != nil {
			panic(err)
		}
		admin = ready.Admin
	}
	return m.Run()
}
