package tests

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mock-apns.example/go/mockapns"
)

type (
	JSON  = mockapns.JSON
	Match = mockapns.Match
)

var busy = JSON{
	"rules":  []JSON{{"name": "busy", "times": 1, "then": JSON{"reject": "TooManyRequests"}}},
	"expect": []JSON{{"name": "tried again", "requests": Match{Status: 200}, "count": 1}},
}

func TestRecords(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	equal(t, push(t, apns, alice, "Goal", "apns-collapse-id", "score-1", "apns-expiration", "0"), 200)
	equal(t, push(t, apns, alice, "Goal", "apns-priority", "7"), 400)
	records := apns.Wait(2, Match{})
	equal(t, len(records), 2)
	first, second := records[0], records[1]
	equal(t, first.Sequence, 1)
	equal(t, first.Token, alice)
	equal(t, first.Topic, apns.Topic)
	equal(t, first.CollapseID, "score-1")
	equal(t, *first.Expiration, 0)
	equal(t, first.Header("APNS-push-type"), "alert")
	equal(t, first.Status, 200)
	equal(t, first.At("/aps/alert"), "Goal")
	equal(t, first.At("/aps/alert/title"), nil)
	equal(t, first.Authentication.Verdict, "valid")
	equal(t, time.Since(first.Time) < patience, true)
	contains(t, string(first.Raw), `"decidedBy":"checks"`)
	equal(t, second.Reason, "BadPriority")
	equal(t, second.Header("apns-priority"), 7)
	contains(t, second.Explanation, "apns-priority")
	if second.Expiration != nil {
		t.Error("there was no apns-expiration")
	}
}

func TestWhatIsPrinted(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t, mockapns.Scenario(JSON{"clock": JSON{"manual": "2026-01-01T00:00:00Z"}}))
	device := apns.AddDevice(JSON{"name": "alice", "online": false})
	push(t, apns, device.Token(), "1-0", "apns-expiration", "9999999999")
	push(t, apns, device.Token(), "2-0\u202e", "apns-collapse-id", "score")
	push(t, apns, alice, strings.Repeat("é", 400), "apns-priority", "7")
	records := apns.Requests(Match{})
	equal(t, records[0].Payload, `{"aps":{"alert":"1-0"}}`)
	equal(t, records[0].ResetCode, "")
	equal(t, records[0], `request 1: alert to alice, 200, Stored - Device Offline, replaced by 2, {"aps":{"alert":"1-0"}}`)
	equal(t, fmt.Sprintf("%+v", records[:2]), "["+records[0].String()+" "+
		`request 2: alert to alice, 200, Stored - Device Offline, {"aps":{"alert":"2-0\u{202E}"}}]`)
	equal(t, records[2], `request 3: alert to aaaaaaaa…aaaa, 400 BadPriority, {"aps":{"alert":"`+strings.Repeat("é", 283)+"…")
	contains(t, fmt.Sprintf("%+v", device.State()),
		`Stored:[push 2, collapse-id score, stored until 2026-01-31T00:00:00Z, {"aps":{"alert":"2-0\u{202E}"}}]`)
	device.Online()
	equal(t, device.Displayed(), `[push 2, collapse-id score, displayed at 2026-01-01T00:00:00Z, {"aps":{"alert":"2-0\u{202E}"}}]`)
	contains(t, apns.Requests(Match{})[1].String(), "200, Delivered to Device (From Storage), ")
	text, err := json.Marshal(Match{Priority: mockapns.Absent, Body: mockapns.RawJSON(nil)})
	equal(t, string(text), `{"priority":null,"body":null}`)
	equal(t, err, nil)
}

func TestMatches(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	push(t, apns, alice, "1-0", "apns-collapse-id", "score-1")
	push(t, apns, bob, "2-0", "apns-priority", "5")
	equal(t, apns.Count(Match{}), 2)
	equal(t, apns.Count(Match{CollapseID: JSON{"prefix": "score-"}, Priority: mockapns.Absent}), 1)
	equal(t, apns.Count(Match{Priority: JSON{"atLeast": 5}}), 1)
	equal(t, apns.Count(Match{Payload: JSON{"/aps/alert": "2-0"}}), 1)
	equal(t, apns.Count(Match{Header: JSON{"apns-collapse-id": "score-1"}, Token: alice}), 1)
	equal(t, apns.Count(Match{Status: JSON{"oneOf": []int{429, 503}}}), 0)
	equal(t, apns.Requests(Match{Token: bob})[0].Sequence, 2)
	equal(t, apns.Dropped(), 0)
	apns.WaitForNone(50*time.Millisecond, Match{Status: 429})
}

func TestSessionsDoNotMeet(t *testing.T) {
	t.Parallel()
	one, two := mockapns.New(t), mockapns.New(t, mockapns.Scenario(busy), mockapns.Scenario(JSON{}))
	push(t, one, alice, "Goal")
	equal(t, one.Count(Match{}), 1)
	equal(t, two.Count(Match{}), 0)
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "gone.json")
	text := `{"devices": [{"name": "alice", "token": "` + alice + `", "registered": false}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []any{file, text, JSON{"rules": []JSON{{"then": mockapns.Reject("Unregistered")}}}} {
		apns := mockapns.New(t, mockapns.Scenario(scenario))
		equal(t, push(t, apns, alice, "Goal"), 410)
		apns.Reset()
		equal(t, apns.Count(Match{}), 0)
		apns.Play("{}")
		equal(t, push(t, apns, alice, "Goal"), 200)
	}
	apns := mockapns.New(t)
	apns.Play("tour")
	var played struct{ Name string }
	if err := apns.Call("GET", "/scenario", nil, &played); err != nil || played.Name != "tour" {
		t.Error(played, err)
	}
	apns.Play(JSON{})
}

func TestAScenarioWithFiles(t *testing.T) {
	t.Parallel()
	first := mockapns.New(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "own.p8"), []byte(first.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "own.json")
	text := `{"authentication": {"teams": [{"teamID": "TEAM123456", "topics": ["com.example.app"],
		"keys": [{"keyID": "KEY1234567", "file": "own.p8"}]}]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	apns := mockapns.New(t, mockapns.Scenario(file))
	equal(t, apns.KeyID, "KEY1234567")
	equal(t, apns.Key, "")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario(file)).Token() }), "KEY1234567 is the scenario's own")
	apns.Key = first.Key // as a provider that has it
	equal(t, push(t, apns, alice, "Goal"), 200)
}

func TestRules(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	name := apns.AddRule(mockapns.Rule{When: Match{Token: alice}, Then: mockapns.Reject("Unregistered"), Times: 1})
	equal(t, push(t, apns, alice, "1-0"), 410)
	equal(t, push(t, apns, alice, "1-0"), 200)
	apns.DeleteRule(name)
	apns.AddRule(mockapns.Rule{Name: "steps", Then: []JSON{mockapns.Reject("TooManyRequests"), {"reject": "Shutdown"}}})
	equal(t, push(t, apns, alice, "1-0"), 429)
	equal(t, push(t, apns, alice, "1-0"), 503)
	apns.DeleteRule("steps")
	equal(t, push(t, apns, alice, "1-0"), 200)
}

func TestDevicesAndClock(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t, mockapns.Scenario(JSON{"clock": JSON{"manual": "now"}}))
	device := apns.AddDevice(JSON{"name": "alice", "online": false})
	equal(t, apns.Device("alice").Token(), device.Token())
	equal(t, push(t, apns, device.Token(), "1-0", "apns-expiration", "9999999999"), 200)
	apns.Advance(10 * time.Minute)
	equal(t, len(device.Displayed()), 0)
	equal(t, device.State().Stored[0].At("/aps/alert"), "1-0")
	device.Online()
	shown := device.Displayed()
	equal(t, len(shown), 1)
	equal(t, shown[0].At("/aps/alert"), "1-0")
	equal(t, shown[0].DisplayedAt.After(time.Now().Add(9*time.Minute)), true)
	device.Dismiss(shown[0].Sequence)
	equal(t, len(device.Displayed()), 0)
	device.Power("saving")
	state := device.State()
	equal(t, state.Power, "saving")
	equal(t, state.Received, 1)
	push(t, apns, device.Token(), "1-0", "apns-priority", "5")
	equal(t, len(device.State().Stored), 1)
	device.Power("normal")
	equal(t, len(device.State().Stored), 0)
	device.Platform("tvOS")
	equal(t, device.State().Platform, "tvOS")
	device.Platform("iOS")
	before := shown[0].DisplayedAt
	apns.Advance(time.Microsecond)
	push(t, apns, device.Token(), "1-1")
	equal(t, device.Displayed()[1].DisplayedAt.Sub(before), time.Millisecond)
	device.Offline()
	equal(t, device.State().Online, false)
	device.Uninstall()
	equal(t, push(t, apns, device.Token(), "2-0"), 410)
	device.Delete()
	contains(t, failure(t, func(other testing.TB) {
		apns := mockapns.New(other)
		apns.Device("alice").State()
	}), "(404 ")
}

func TestWhatADeviceDoes(t *testing.T) {
	t.Parallel()
	actions := []JSON{{"id": "WATCH", "title": "Watch"}, {"id": "REPLY", "title": "Reply", "textInput": JSON{}}}
	apns := mockapns.New(t, mockapns.Scenario(JSON{
		"clock": JSON{"manual": "2026-01-01T00:00:00Z"},
		"apps":  []JSON{{"topic": "com.example.app", "categories": []JSON{{"id": "GAME", "actions": actions}}}},
	}))
	device := apns.AddDevice(JSON{"name": "alice", "topic": apns.Topic})
	wake := func() {
		t.Helper()
		equal(t, pushJSON(t, apns, device.Token(), JSON{"aps": JSON{"content-available": 1}}, "apns-push-type", "background",
			"apns-priority", "5"), 200)
	}
	device.App(JSON{"state": "forceQuit"})
	wake()
	equal(t, device.History(), "[push 1, dropped at 2026-01-01T00:00:00Z: The user has force-quit the app, so the push does not wake it.]")
	device.App(JSON{"state": "notRunning"}, apns.Topic)
	device.Budget("background", 1, time.Hour)
	wake()
	wake()
	apns.Advance(time.Hour)
	states := ""
	for _, entry := range device.History() {
		states += fmt.Sprintf("%d %s ", entry.Sequence, entry.State)
	}
	equal(t, states, "1 dropped 2 woke 3 heldByBudget 3 woke ")

	device.Notifications(JSON{"sound": false, "alert": false})
	for _, text := range []string{"1-0", "2-0", "3-0"} {
		pushJSON(t, apns, device.Token(), JSON{"aps": JSON{"alert": text, "category": "GAME"}})
	}
	shown := device.Displayed()
	equal(t, shown[0].Shown["banner"], false)
	device.Open(shown[0].Sequence)
	device.Choose(shown[1].Sequence, "WATCH", "")
	device.Choose(shown[2].Sequence, "REPLY", "Yes")
	equal(t, len(device.Displayed()), 0)
	history := device.History()
	for _, entry := range history[len(history)-3:] {
		equal(t, entry.State, "opened")
	}
	contains(t, history[len(history)-2].Why, `"WATCH"`)
	state := device.State()
	equal(t, state.Notifications, map[string]any{"authorization": "authorized", "alert": false, "badge": true, "sound": false})
	equal(t, state.App["state"], "forceQuit")
	// Opening its notifications has opened it.
	equal(t, state.Apps[apns.Topic]["state"], "background")
	equal(t, state.Budgets["background"], map[string]any{"allowed": 1, "per": "1h"})
	device.Notifications(false)
	equal(t, device.State().Notifications, false)
	contains(t, failure(t, func(t testing.TB) {
		apns := mockapns.New(t)
		apns.AddDevice(JSON{"name": "alice"}).Open(7)
	}), "(404 ")
}

func TestLiveActivitiesAndANewToken(t *testing.T) {
	t.Parallel()
	own := mockapns.Scenario(JSON{"liveActivities": JSON{"tokens": "own"}})
	apns := mockapns.New(t, own)
	device := apns.AddDevice(JSON{"topic": apns.Topic})
	send := func(token, event string, timestamp int) int {
		t.Helper()
		aps := JSON{"event": event, "timestamp": timestamp, "content-state": JSON{}}
		if event == "start" {
			aps["attributes-type"], aps["attributes"] = "Match", JSON{}
			aps["alert"], aps["input-push-token"] = JSON{"title": "Goal"}, 1
		}
		return pushJSON(t, apns, token, JSON{"aps": aps}, "apns-push-type", "liveactivity", "apns-topic",
			apns.Topic+".push-type.liveactivity")
	}
	old := device.Token()
	equal(t, send(old, "start", 1), 400)
	equal(t, send(device.PushToStartToken(), "start", 1), 200)
	activities := device.WaitForActivities(1, apns.Topic)
	equal(t, activities[0]["topic"], apns.Topic)
	token := activities[0]["token"].(string)
	equal(t, send(token, "update", 2), 200)
	equal(t, send(token, "end", 3), 200)
	equal(t, send(token, "update", 4), 410)

	renewed := device.RenewToken()
	equal(t, device.Token(), renewed)
	equal(t, push(t, apns, old, "Goal"), 410)
	equal(t, push(t, apns, renewed, "Goal"), 200)
	device.Change(JSON{"startActivity": JSON{"name": "score"}})
	equal(t, device.WaitForActivities(1, "")[0]["name"], "score")
	apns.AddDevice(JSON{"name": "bob"})
	bob := apns.Device("bob")
	equal(t, bob.RenewToken(), bob.Token())

	equal(t, mockapns.New(t).AddDevice(JSON{}).PushToStartToken(), "")
	contains(t, failure(t, func(t testing.TB) {
		apns := mockapns.New(t, own)
		apns.AddDevice(JSON{"name": "alice", "topics": []string{apns.Topic, "com.example.other"}}).PushToStartToken()
	}), "for each of its apps; see State")
	contains(t, failure(t, func(t testing.TB) {
		apns := mockapns.New(t)
		apns.AddDevice(JSON{"name": "alice"})
		apns.Device("alice").WaitForActivitiesUpTo(10*time.Millisecond, 2, apns.Topic)
	}), "Not enough Live Activities within 10ms.\n  expected  at least 2 Live Activities of alice with topic com.example.app, "+
		"not ended\n  seen      0 Live Activities\nNo request arrived. There was no connection.")
}

func TestChannels(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	match := apns.AddChannel(JSON{"name": "match"})
	equal(t, apns.Channel("match").ChannelID, match.ChannelID)
	equal(t, apns.Channel(match.ChannelID).Topic, apns.Topic)
	equal(t, match.Storage, "mostRecent")
	device := apns.AddDevice(JSON{"name": "alice", "topic": apns.Topic})
	device.Subscribe("match", "score")
	equal(t, apns.Channel("match").Subscribers, 1)
	equal(t, apns.UniqueSubscribers(apns.Topic), 1)
	equal(t, len(device.State().Activities), 1)
	device.EndActivity("score")
	device.Unsubscribe("match")
	device.StartActivity("own")
	equal(t, len(device.State().Activities), 1)
	device.DismissActivity("own")
	equal(t, len(device.State().Activities), 0)
	equal(t, len(apns.Channels()), 1)
	apns.DeleteChannel(match.ChannelID)
	equal(t, len(apns.Channels()), 0)
}

func TestVerifyAndLint(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t, mockapns.Scenario(busy))
	equal(t, push(t, apns, alice, "Goal"), 429)
	equal(t, push(t, apns, alice, "Goal"), 200)
	verdict := apns.Verify()
	equal(t, verdict.Results[0].Name, "tried again")
	contains(t, verdict.Report, "The expectation holds.")
	apns.Verify(JSON{"requests": Match{Status: 429}, "count": 1}, JSON{"connections": JSON{"atLeast": 1}})
	equal(t, len(apns.Lint("error")), 0)
	equal(t, len(mockapns.New(t).Verify().Results), 0) // nothing is expected
	push(t, apns, bob, "Goal", "apns-collapse-identifier", "score", "apns-priority", "7")
	found := ""
	for _, finding := range apns.Lint("") {
		found += finding.Rule + " "
	}
	contains(t, found, "header-unknown")
}

func TestGoAway(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	push(t, apns, alice, "Goal")
	equal(t, len(apns.GoAway(JSON{"reason": "Shutdown"})), 1)
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	for kind, status := range map[string]int{"": 200, "voip": 400, "revoked": 403} {
		certificate, err := apns.ClientCertificate(kind, "").TLS()
		if err != nil {
			t.Fatal(err)
		}
		config := apns.TLSConfig()
		config.Certificates = []tls.Certificate{certificate}
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: config}
		request, _ := http.NewRequest("POST", apns.URL+"/3/device/"+alice, strings.NewReader(`{"aps": {"alert": "Goal"}}`))
		request.Header.Set("apns-topic", apns.Topic)
		request.Header.Set("apns-push-type", "alert")
		answer, err := (&http.Client{Transport: transport}).Do(request)
		if err == nil {
			answer.Body.Close()
			equal(t, answer.StatusCode, status)
		} else if kind != "revoked" {
			t.Error(kind, err)
		}
		transport.CloseIdleConnections()
	}
	certificate := apns.ClientCertificate("voip", "com.example.other")
	equal(t, certificate.Password, "mock-apns")
	equal(t, len(certificate.Topics), 1)
}

func TestOneClient(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	clients := make(chan *http.Client)
	for i := 0; i < 2; i++ {
		go func() { clients <- apns.Client() }()
	}
	equal(t, <-clients == <-clients, true)
	for _, startOver := range []func(){func() {}, apns.Reset, func() { apns.Play(JSON{}) }} {
		startOver()
		push(t, apns, alice, "1-0")
		push(t, apns, alice, "2-0")
		apns.Verify(JSON{"connections": 1})
	}
	equal(t, apns.Client() == mockapns.New(t).Client(), false)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	equal(t, apns.Token(), apns.Token())
	old := apns.TokenIssuedAt(time.Now().Add(-2 * time.Hour))
	equal(t, push(t, apns, alice, "Goal", "authorization", "bearer "+old), 403)
	equal(t, apns.Requests(Match{})[0].Reason, "ExpiredProviderToken")
}

// TestEnvironment runs a provider in another process, which knows no more than the variables.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	script := `curl -sS --http2 --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY" -H "apns-topic: $MOCK_APNS_TOPIC" \
		-H "apns-push-type: alert" -d '{"aps":{"alert":"Goal"}}' "$MOCK_APNS_URL/3/device/$0" &&
		test -s "$MOCK_APNS_KEY" && test -s "$MOCK_APNS_CERTS/client.p12" && test -s "$MOCK_APNS_CA" &&
		curl -sS "$MOCK_APNS_ADMIN_URL/requests/count" -d '{}'`
	contains(t, apns.AdminURL, "/sessions/testenvironment")
	command := exec.Command("sh", "-c", script, alice)
	command.Env = append(os.Environ(), apns.Env()...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v", output, err)
	}
	contains(t, string(output), `{"count":1,`)
	equal(t, apns.Count(Match{Status: 200}), 1)
}

func TestErrorsOfTheAPI(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t)
	err := apns.Call("POST", "/rules", JSON{"then": JSON{"rejekt": "Shutdown"}}, nil)
	var refused *mockapns.APIError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	equal(t, refused.Status, 400)
	equal(t, refused.Code, "badValue")
	equal(t, refused.Pointer, "/then/rejekt")
	contains(t, err.Error(), `did you mean "reject"? (400 badValue at /then/rejekt)`)
	contains(t, failure(t, func(t testing.TB) {
		mockapns.New(t).AddRule(mockapns.Rule{Then: mockapns.Reject("TooManyRequest")})
	}), `TooManyRequests`, "(400 badValue at /then/reject")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario(`{"rulez": []}`)) }), "rulez is not a key")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario("tuor")) }), "tuor")
	equal(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario("")) }), "the scenario is empty")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t).Play(" \n") }), "the scenario is empty")
	var summary JSON
	equal(t, apns.Call("GET", "summary", nil, &summary), nil)
	equal(t, len(summary) > 0, true)
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario("nowhere.json")) }), "open nowhere.json: no such file")
	file := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(file, []byte("{\n  \"rulez\": []\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario(file)) }), file+": Line 2, column 3: rulez")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	said := failure(t, func(t testing.TB) {
		apns := mockapns.New(t, mockapns.Scenario(busy))
		push(t, apns, alice, "Goal")
		t.Fatal("my own mistake")
	})
	contains(t, said, "my own mistake", "1 of 1 expectation failed.\nFAILED  tried again\n",
		"mock-apns: 1 request:\n  1  ", "alert to aaaaaaaa…aaaa, 429 TooManyRequests, decided by rule:busy", `{"aps":{"alert":"Goal"}}`)

	said = failure(t, func(t testing.TB) {
		apns := mockapns.New(t)
		push(t, apns, alice, "Goal\u202e")
		apns.WaitUpTo(10*time.Millisecond, 1, Match{Status: 429})
	})
	contains(t, said, "Not enough requests within 10ms.\n", "nearest   request 1: status is 200, not 429", `Goal\u{202E}`)

	said = failure(t, func(t testing.TB) {
		apns := mockapns.New(t)
		_, err := tls.Dial("tcp", strings.TrimPrefix(apns.URL, "https://"), &tls.Config{})
		equal(t, err != nil, true)
		var seen struct{ Connections []JSON }
		for ; len(seen.Connections) == 0; time.Sleep(10 * time.Millisecond) {
			equal(t, apns.Call("GET", "/connections", nil, &seen), nil)
		}
		push(t, apns, alice, "Goal")
		t.Error("my own mistake")
	})
	contains(t, said, "mock-apns: 1 request:\n", `{"aps":{"alert":"Goal"}}`+"\nConnection 1 is closed by handshake: ",
		"let it trust the authority")
	equal(t, strings.Contains(said, "Connection 2"), false)

	said = failure(t, func(t testing.TB) { mockapns.New(t).WaitUpTo(10*time.Millisecond, 1, Match{}) })
	contains(t, said, "No request arrived. There was no connection.")
	contains(t, failure(t, func(t testing.TB) { mockapns.New(t).Wait(0, Match{}) }), "use WaitForNone")

	said = failure(t, func(t testing.TB) {
		apns := mockapns.New(t, mockapns.Scenario(busy))
		apns.Verify()
	})
	equal(t, strings.Count(said, "FAILED  tried again"), 1) // and not once more at the end of the test

	said = failure(t, func(t testing.TB) {
		apns := mockapns.New(t)
		go func() {
			time.Sleep(100 * time.Millisecond)
			apns.Call("POST", "/pushes", JSON{"token": alice, "payload": JSON{}}, nil)
		}()
		apns.WaitForNone(patience, Match{SentBy: "admin"})
	})
	contains(t, said, "A request came that was not expected.\n  request 1: push to aaaaaaaa…aaaa, 200, ")

	said = failure(t, func(t testing.TB) {
		apns := mockapns.New(t, mockapns.Scenario(busy))
		push(t, apns, alice, "Goal")
		apns.Play(JSON{})
	})
	contains(t, said, "FAILED  tried again")
}

func TestASkippedTestIsNotJudged(t *testing.T) {
	t.Parallel()
	if said, failed := run(t, func(t testing.TB) { mockapns.New(t, mockapns.Scenario(busy)); t.Skip() }); failed {
		t.Error(said)
	}
}
