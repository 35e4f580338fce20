package mockapns

import (
	"errors"
	"net/url"
	"strings"
	"time"
)

// Rule says how the server answers requests that match. Then is a step, or a slice of steps, as in a scenario.
type Rule struct {
	Name        string  `json:"name,omitempty"`
	When        Match   `json:"when"`
	Then        any     `json:"then"`
	Skip        int     `json:"skip,omitempty"`
	Times       int     `json:"times,omitempty"`
	Every       int     `json:"every,omitempty"`
	Probability float64 `json:"probability,omitempty"`
	Repeat      string  `json:"repeat,omitempty"` // last, stop or cycle
	CountPer    string  `json:"countPer,omitempty"`
	Count       string  `json:"count,omitempty"` // fleet or replica
}

// Reject is a step that answers with a reason of APNs, such as "TooManyRequests".
func Reject(reason string) JSON { return JSON{"reject": reason} }

// AddRule adds a rule before all others, and returns its name.
func (apns *APNs) AddRule(rule Rule) string {
	apns.t.Helper()
	var added struct{ Name string }
	apns.must("POST", "/rules", rule, &added)
	return added.Name
}

// DeleteRule removes a rule by its name.
func (apns *APNs) DeleteRule(name string) {
	apns.t.Helper()
	apns.must("DELETE", "/rules/"+url.PathEscape(name), nil, nil)
}

// Advance moves a manual clock, by whole milliseconds; what is left over counts as another one. Everything due by then
// happens before it returns.
func (apns *APNs) Advance(by time.Duration) {
	apns.t.Helper()
	apns.must("POST", "/clock/advance", JSON{"by": milliseconds(by)}, nil)
}

// GoAway sends GOAWAY to all open connections, and returns their ids. The frame is as in the admin API, such as
// JSON{"reason": "Shutdown"} or JSON{"lastStream": "previous", "then": "close"}.
func (apns *APNs) GoAway(frame JSON) []int {
	apns.t.Helper()
	var answer struct{ Connections []int }
	apns.must("POST", "/connections/all/goaway", frame, &answer)
	return answer.Connections
}

// Play plays another scenario from its beginning, as the option Scenario does; everything starts over. What was expected
// until then has to hold.
func (apns *APNs) Play(scenario any) {
	apns.t.Helper()
	apns.endEarlier()
	apns.check(apns.play(scenario))
}

// Reset starts over: log, devices, rules, clock and counters are as at the start of the scenario. What was expected until
// then has to hold.
func (apns *APNs) Reset() {
	apns.t.Helper()
	apns.endEarlier()
	apns.must("POST", "/reset", nil, nil)
}

// endEarlier judges what was expected, and forgets the client, since the server does not count its connection any more.
func (apns *APNs) endEarlier() {
	apns.t.Helper()
	apns.lock.Lock()
	apns.client = nil
	apns.lock.Unlock()
	if apns.Count(Match{}) > 0 {
		apns.Verify()
	}
}

// Verification is how expectations were judged.
type Verification struct {
	Passed      bool
	Results     []Result
	UnusedRules []string // the rules that never applied
	Report      string   // the results as text
}

// Result is the result of one expectation.
type Result struct {
	Name           string
	Passed         bool
	Expected, Seen string
	NearMisses     []NearMiss
}

// NearMiss is a request that almost matched.
type NearMiss struct {
	Sequence    int
	Differences []struct {
		Field, Expected string
		Found           any
	}
	Explanation string // why the push was refused, if the answer is what differs
}

// Verify judges expectations as in a scenario, or those of the scenario if there are none here:
// apns.Verify(JSON{"requests": Match{Status: 200}, "count": 2}). Unless they hold, the test fails with the report. Where
// neither the scenario nor the call expects anything, there is nothing to fail: Results is empty.
func (apns *APNs) Verify(expect ...JSON) Verification {
	apns.t.Helper()
	question := JSON{}
	if len(expect) > 0 {
		question["expect"] = expect
	}
	verdict, err := apns.judge("/verify", question)
	apns.check(err)
	return verdict
}

// judge asks for a verdict. The error is the report, if the expectations do not hold.
func (apns *APNs) judge(path string, question JSON) (verdict Verification, err error) {
	if err := apns.admin.call("POST", path, question, &verdict); err != nil {
		return verdict, err
	}
	if !verdict.Passed {
		err = errors.New(printable(strings.TrimRight(verdict.Report, "\n")) + apns.whyNone())
	}
	return verdict, err
}

// Finding is a likely mistake in payloads or by the provider; there is one for each rule and pointer.
type Finding struct {
	Rule, Severity string
	Pointer        string // to the value in the payload; empty if it is about all of it, or about the provider
	Message        string // what is wrong, how to fix it, and what happens if you don't
	Source         string // what the rule is based on
	Count          int    // of the pushes that have it
	// Sequence is the push that the message is about; 0 if none is to blame.
	Sequence, FirstSequence, LastSequence int
}

// Lint returns what lint finds in what was pushed that is at least so severe: note, warning or error. An empty severity
// means everything.
func (apns *APNs) Lint(severity string) []Finding {
	apns.t.Helper()
	path := "/lint"
	if severity != "" {
		path += "?severity=" + url.QueryEscape(severity)
	}
	var answer struct{ Findings []Finding }
	apns.must("GET", path, nil, &answer)
	return answer.Findings
}
