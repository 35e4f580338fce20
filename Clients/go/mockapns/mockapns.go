// Package mockapns gives each test a mock APNs server to push to, with nothing but the standard library.
//
//	func TestGoal(t *testing.T) {
//		apns := mockapns.New(t, mockapns.Scenario("busy.json"))
//		provider := NewProvider(apns.URL, apns.TLSConfig(), apns.Key, apns.KeyID, apns.TeamID)
//		provider.Push(alice, "Goal")
//		push := apns.Wait(1, mockapns.Match{Status: 200})[0]
//		…
//	}
//
// New starts one server for all tests of the process and opens a session on it for each test, so that tests can run in
// parallel. The server ends with the process, however that ends. What the scenario expects is judged at the end of the
// test, which fails with the report. Whatever goes wrong fails the test with t.Fatal, so call the methods in its goroutine.
package mockapns

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// JSON is an object as it stands in a scenario, such as JSON{"reject": "TooManyRequests"}.
type JSON = map[string]any

// APNs is a mock APNs server as a test sees it: what a provider needs to push to it, what it has received, and how it
// answers next. Durations are those of the scenario's clock, except for those of Wait, WaitUpTo and WaitForNone.
type APNs struct {
	Identity
	// AdminURL is the address of its admin API.
	AdminURL string

	t        testing.TB
	admin    *admin
	process  *process   // nil if the server was started elsewhere
	folder   string     // has the files of Dir
	lock     sync.Mutex // of what Token and Client keep
	client   *http.Client
	token    string // what Token has signed last
	signed   time.Time
	mapPort  func(int) string
	reported string // what has failed the test
}

type settings struct {
	scenario   any
	executable string
	adminURL   string
	adminToken string
	isNamed    bool // whether an option has the adminURL
	own        bool
	arguments  []string
	mapPort    func(int) string
}

// Option is an option of New.
type Option func(*settings)

// Scenario is what the server plays: the path of a file, the name of a built-in scenario such as "tour", JSON text, or
// a value that becomes JSON.
func Scenario(scenario any) Option { return func(s *settings) { s.scenario = scenario } }

// Executable is the path of the command mock-apns. Without it, the variable MOCK_APNS_EXECUTABLE has the path, or the
// command is on the PATH.
func Executable(path string) Option { return func(s *settings) { s.executable = path } }

// OwnServer starts a server for this test alone, with arguments of mock-apns serve such as "--initial-streams=1000".
func OwnServer(arguments ...string) Option {
	return func(s *settings) { s.own, s.arguments = true, arguments }
}

// AdminURL opens the session on a server that is running already, by the address of its admin port. The default is the
// variable MOCK_APNS_ADMIN_URL, which mock-apns exec sets. If that is empty, a server is started.
func AdminURL(address string) Option {
	return func(s *settings) { s.adminURL, s.isNamed = address, address != "" }
}

// AdminToken is the token of the admin API. The default is the variable MOCK_APNS_ADMIN_TOKEN.
func AdminToken(token string) Option { return func(s *settings) { s.adminToken = token } }

// MapPort says at which host and port a port of the server is reached, where a container publishes it under another
// number, as Testcontainers does: "localhost:49153".
func MapPort(address func(port int) string) Option {
	return func(s *settings) { s.mapPort = address }
}

// New gives the test a server that has received no push: a session of its own on the server of this process or of
// AdminURL, or a whole server with OwnServer. It ends with the test.
//
// Without a Scenario, a session on a server started elsewhere begins with what that server plays.
func New(t testing.TB, options ...Option) *APNs {
	t.Helper()
	// The variables are read within a test, so that Go's test cache notices when they change.
	s := settings{adminURL: os.Getenv("MOCK_APNS_ADMIN_URL"), adminToken: os.Getenv("MOCK_APNS_ADMIN_TOKEN")}
	for _, option := range options {
		option(&s)
	}
	apns := &APNs{t: t}
	if err := apns.open(s); err != nil {
		t.Fatal(err)
	}
	return apns
}

func (apns *APNs) open(s settings) (err error) {
	apns.t.Helper()
	switch {
	case s.own && s.isNamed:
		return errors.New("OwnServer starts a server, AdminURL names one that is running: New takes one of the two")
	case s.own:
		if apns.process, err = start(s.executable, s.adminToken, s.arguments); err != nil {
			return err
		}
		apns.t.Cleanup(apns.process.stop)
		apns.admin = apns.process.admin
	case s.adminURL != "":
		if apns.admin, err = newAdmin(s.adminURL, s.adminToken); err != nil {
			return err
		}
		err = apns.openSession(s.scenario == nil)
	default:
		if apns.process, err = sharedProcess(s.executable, s.adminToken); err != nil {
			return err
		}
		apns.admin = apns.process.admin
		err = apns.openSession(false)
	}
	if err != nil {
		return err
	}
	apns.AdminURL, apns.mapPort = apns.admin.address(), s.mapPort
	if s.scenario != nil {
		err = apns.play(s.scenario)
	} else {
		err = apns.identify()
	}
	if err == nil {
		apns.t.Cleanup(apns.finish)
	}
	return err
}

// openSession replaces the API of the server by that of a new session on it.
func (apns *APNs) openSession(likeServer bool) error {
	apns.t.Helper()
	asked := JSON{"name": sessionName(apns.t.Name())}
	if likeServer {
		var theirs any
		if err := apns.admin.call("GET", "/scenario", nil, &theirs); err != nil {
			return err
		}
		asked["scenario"] = theirs
	}
	var session struct{ Name string }
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err := apns.admin.call("POST", "/sessions", asked, &session)
		var refused *APIError
		if err == nil {
			break
		} else if !errors.As(err, &refused) || time.Now().After(deadline) {
			return err
		} else if refused.Code == "taken" {
			// Another run is at the same test.
			asked["name"] = fmt.Sprintf("%.50s-%d", asked["name"], time.Now().UnixNano()%1e9)
		} else if refused.Status != http.StatusServiceUnavailable { // others have all the ports
			return err
		}
	}
	server := apns.admin
	apns.admin = server.session(session.Name)
	apns.t.Cleanup(func() {
		apns.t.Helper()
		// What a test expects that was skipped does not count, not even for mock-apns exec.
		path := fmt.Sprintf("/sessions/%s?judge=%t", url.PathEscape(session.Name), !apns.t.Skipped())
		if err := server.call("DELETE", path, nil, nil); err != nil && !apns.t.Failed() {
			apns.t.Error(err)
		}
	})
	return nil
}

// finish judges what the scenario expects, and shows what came if the test has failed.
func (apns *APNs) finish() {
	apns.t.Helper()
	if apns.folder != "" && apns.process != nil {
		os.RemoveAll(apns.folder)
	}
	if !apns.t.Skipped() {
		if _, err := apns.judge("/verify?finish=true", JSON{}); err != nil && err.Error() != apns.reported {
			apns.t.Error(err)
		}
	}
	if apns.t.Failed() {
		if log := apns.log(); log != "" {
			apns.t.Log(log)
		}
	}
}

var notInName = regexp.MustCompile("[^a-z0-9]+")

// sessionName is a name for the session of a test, which may have lowercase letters, digits and hyphens, at most 63.
func sessionName(test string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(test), "-"), "-")
	if len(name) > 63 || name == "" {
		name = fmt.Sprintf("%.54s-%x", "test-"+name, sha256.Sum256([]byte(test)))[:63]
	}
	return strings.Trim(name, "-")
}

func (apns *APNs) check(err error) {
	apns.t.Helper()
	if err != nil {
		apns.reported = err.Error()
		apns.t.Fatal(err)
	}
}

// Call makes a call of the admin API, for what has no method here: apns.Call("GET", "/summary", nil, &summary). The body
// becomes JSON, a []byte is sent as it is; the answer may be nil. What the server rejects is an *APIError.
func (apns *APNs) Call(method, path string, body, answer any) error {
	return apns.admin.call(method, "/"+strings.TrimPrefix(path, "/"), body, answer)
}

// must is Call for methods that fail the test.
func (apns *APNs) must(method, path string, body, answer any) {
	apns.t.Helper()
	apns.check(apns.admin.call(method, path, body, answer))
}
