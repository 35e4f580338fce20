// Package tests has the tests of the package mockapns, through its public names.
package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"mock-apns.example/go/mockapns"
)

// patience only ends what hangs.
const patience = 5 * time.Minute

var alice, bob = strings.Repeat("a", 64), strings.Repeat("b", 64)

// push pushes an alert, with further header fields as name, value, …, and returns the status.
func push(t testing.TB, apns *mockapns.APNs, device, text string, fields ...string) int {
	t.Helper()
	return pushJSON(t, apns, device, mockapns.JSON{"aps": mockapns.JSON{"alert": text}}, fields...)
}

// pushJSON pushes any payload as push does.
func pushJSON(t testing.TB, apns *mockapns.APNs, device string, payload mockapns.JSON, fields ...string) int {
	t.Helper()
	body, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest("POST", apns.URL+"/3/device/"+device, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("authorization", "bearer "+apns.Token())
	request.Header.Set("apns-topic", apns.Topic)
	request.Header.Set("apns-push-type", "alert")
	for i := 0; i < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	answer, err := apns.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.ProtoMajor != 2 {
		t.Errorf("%s, not HTTP/2", answer.Proto)
	}
	return answer.StatusCode
}

// equal compares what is printed.
func equal(t testing.TB, found, expected any) {
	t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(expected) {
		t.Errorf("%v, not %v", found, expected)
	}
}

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// other stands for a test whose failure is expected.
type other struct {
	testing.TB
	name              string
	cleanups          []func()
	said              []string
	isFailed, skipped bool
}

func (o *other) Name() string              { return o.name }
func (o *other) Helper()                   {}
func (o *other) Cleanup(cleanup func())    { o.cleanups = append(o.cleanups, cleanup) }
func (o *other) Log(words ...any)          { o.said = append(o.said, fmt.Sprint(words...)) }
func (o *other) Error(words ...any)        { o.Log(words...); o.isFailed = true }
func (o *other) Fatal(words ...any)        { o.Error(words...); runtime.Goexit() }
func (o *other) Failed() bool              { return o.isFailed }
func (o *other) Skipped() bool             { return o.skipped }
func (o *other) Skip(words ...any)         { o.skipped = true; runtime.Goexit() }
func (o *other) Fatalf(f string, a ...any) { o.Fatal(fmt.Sprintf(f, a...)) }

// run runs a test that is no test of ours, with its cleanups, and returns what it said and whether it failed.
func run(t *testing.T, test func(t testing.TB)) (said string, failed bool) {
	t.Helper()
	o := &other{TB: t, name: t.Name()}
	step := func(what func()) {
		done := make(chan struct{})
		go func() { defer close(done); what() }()
		<-done
	}
	step(func() { test(o) })
	for i := len(o.cleanups) - 1; i >= 0; i-- {
		step(o.cleanups[i])
	}
	return strings.Join(o.said, "\n"), o.isFailed
}

// failure is what a test says that fails.
func failure(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	said, failed := run(t, test)
	if !failed {
		t.Error("the test did not fail")
	}
	return said
}
