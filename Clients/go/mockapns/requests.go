package mockapns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Match has conditions for requests, all of which must hold; without any, it matches every request. A value has to be
// equal, Absent means that there is none, and a JSON is a condition as in a scenario, such as JSON{"prefix": "score-"},
// JSON{"oneOf": []int{429, 503}} or JSON{"atLeast": 5}.
type Match struct {
	Device              any  `json:"device,omitempty"`
	Token               any  `json:"token,omitempty"`
	Topic               any  `json:"topic,omitempty"`
	PushType            any  `json:"pushType,omitempty"`
	Priority            any  `json:"priority,omitempty"`
	CollapseID          any  `json:"collapseID,omitempty"`
	APNsID              any  `json:"apnsID,omitempty"`
	Expiration          any  `json:"expiration,omitempty"`
	KeyID               any  `json:"keyID,omitempty"`
	TeamID              any  `json:"teamID,omitempty"`
	Header              JSON `json:"header,omitempty"`
	Payload             JSON `json:"payload,omitempty"` // by JSON Pointers
	Body                any  `json:"body,omitempty"`
	PayloadBytes        any  `json:"payloadBytes,omitempty"`
	Connection          any  `json:"connection,omitempty"`
	RequestOnConnection any  `json:"requestOnConnection,omitempty"`
	ProviderToken       any  `json:"providerToken,omitempty"`
	InFlight            any  `json:"inFlight,omitempty"`
	ServerName          any  `json:"serverName,omitempty"`
	SentBy              any  `json:"sentBy,omitempty"`
	Call                any  `json:"call,omitempty"`
	Channel             any  `json:"channel,omitempty"`
	RequestID           any  `json:"requestID,omitempty"`
	// On is for rules alone: push, which is the default, broadcast, channels, connect or ping.
	On string `json:"on,omitempty"`
	// What follows is not for rules, which decide it.
	UniqueID  any `json:"uniqueID,omitempty"`
	Status    any `json:"status,omitempty"`
	Reason    any `json:"reason,omitempty"`
	Outcome   any `json:"outcome,omitempty"`
	DecidedBy any `json:"decidedBy,omitempty"`
	Delivery  any `json:"delivery,omitempty"`
}

// Absent matches where there is no value: Match{Priority: mockapns.Absent}.
var Absent = RawJSON("null")

// RawJSON is JSON text, such as a payload. It is printed as text; if there is none, it is empty.
type RawJSON []byte

// String is the text.
func (raw RawJSON) String() string { return string(raw) }

// MarshalJSON writes the text as it is.
func (raw RawJSON) MarshalJSON() ([]byte, error) { return json.RawMessage(raw).MarshalJSON() }

// UnmarshalJSON keeps the text; null is none.
func (raw *RawJSON) UnmarshalJSON(text []byte) error {
	if *raw = nil; string(text) != "null" {
		*raw = append(RawJSON(nil), text...)
	}
	return nil
}

// Record is one request, and what was decided about it. What is absent is empty or 0. It is printed as one line; Raw has
// all of it.
type Record struct {
	// Sequence is 1 for the first request since the last reset.
	Sequence int
	Time     time.Time
	// Clock is the time of the scenario's clock.
	Clock time.Time
	// Connection is 1 for the first since the last reset, ConnectionID unique among all of the server.
	Connection, ConnectionID, Stream int
	Method, Path                     string
	// Token is the device token, Device the name of a declared device.
	Token, Device string
	// Headers has names and values in the order in which they came.
	Headers  [][2]string
	Topic    string
	PushType string
	Priority int
	// Expiration is apns-expiration in UNIX seconds; nil if there is none.
	Expiration *int64
	CollapseID string
	APNsID     string
	UniqueID   string
	// InFlight is the number of streams that were open on the connection, this one included.
	InFlight int
	// Payload is the body if it is JSON, PayloadText if it is not, PayloadBase64 if it is not even UTF-8.
	Payload        RawJSON
	PayloadText    string
	PayloadBase64  string
	PayloadBytes   int
	SentBy         string // provider, or admin for a push of the admin API
	Authentication Authentication
	// ProviderTokenNumber counts the different provider tokens on all connections, from 1.
	ProviderTokenNumber int
	// Status of the answer, 0 while there is none; and why it was rejected, such as BadDeviceToken.
	Status int
	Reason string
	// RetryAfter is retry-after of the answer in seconds; nil without that field.
	RetryAfter *int
	// ResetCode is the error code with which the stream was reset: a name as JSON text, or a number.
	ResetCode RawJSON
	// Outcome is responded, delayed, stalled, reset, goAway, closed, ignored or cancelled.
	Outcome string
	// DecidedBy is checks, device, connection, outage, upstream or rule:NAME.
	DecidedBy string
	// Explanation is a sentence that explains a rejection.
	Explanation string
	// Delivery is what became of an accepted push, such as "Delivered to Device".
	Delivery string
	// Deliveries is all that APNs did with an accepted push, oldest first; empty if the server is of a version that does
	// not send it.
	Deliveries []struct {
		State string
		Clock time.Time
	}
	// ReplacedBy is the sequence of the push that replaced it in the device's storage.
	ReplacedBy          int
	LatencyMicroseconds int
	// Call is create, read, delete, list or publish, about broadcast channels; empty for a push to a device.
	Call, Channel, ChannelName, RequestID string
	StoragePolicy, Subscribers, Delivered int
	Stored                                bool
	Ignored                               string
	// Raw is the record as the server sent it.
	Raw RawJSON `json:"-"`
}

// Authentication is how the provider proved who it is.
type Authentication struct {
	Method        string // token, certificate or none
	KeyID, TeamID string
	IssuedAt      int64 // in UNIX seconds, as the provider token says
	ProviderToken int   // counts the different provider tokens on a connection, from 1
	Signature     string
	Verdict       string // valid, or the reason for the rejection
}

// UnmarshalJSON reads a record, and keeps it as Raw.
func (record *Record) UnmarshalJSON(text []byte) error {
	type plain Record
	record.Raw = append(RawJSON(nil), text...)
	return json.Unmarshal(text, (*plain)(record))
}

// String is the request on one line: its answer, what became of it, and the beginning of its payload.
func (record Record) String() string {
	line := fmt.Sprintf("request %d: %s, %s", record.Sequence, record.summary(), onOneLine(record.body()))
	return strings.TrimSuffix(line, ", ")
}

// Header is the value of the first header field of that name.
func (record Record) Header(name string) string {
	for _, field := range record.Headers {
		if strings.EqualFold(field[0], name) {
			return field[1]
		}
	}
	return ""
}

// At is a value in the payload by its JSON Pointer, such as "/aps/alert"; nil if there is none. Numbers are float64.
func (record Record) At(pointer string) any { return at(record.Payload, pointer) }

func at(payload RawJSON, pointer string) any {
	var value any
	if json.Unmarshal(payload, &value) != nil {
		return nil
	}
	for _, key := range strings.Split(pointer, "/")[1:] {
		switch inside := value.(type) {
		case map[string]any:
			value = inside[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
		case []any:
			index, err := strconv.Atoi(key)
			if err != nil || index < 0 || index >= len(inside) {
				return nil
			}
			value = inside[index]
		default:
			return nil
		}
	}
	return value
}

// Requests are those that match, in order.
func (apns *APNs) Requests(match Match) []Record {
	apns.t.Helper()
	var all []Record
	for after := 0; ; after = all[len(all)-1].Sequence {
		var page struct{ Requests []Record }
		apns.must("POST", "/requests/find", JSON{"requests": match, "limit": 1000, "after": after}, &page)
		if all = append(all, page.Requests...); len(page.Requests) < 1000 {
			return all
		}
	}
}

// Count is the number of requests in the log that match.
func (apns *APNs) Count(match Match) int {
	apns.t.Helper()
	var answer struct{ Count int }
	apns.must("POST", "/requests/count", JSON{"requests": match}, &answer)
	return answer.Count
}

// Dropped is the number of requests that the log no longer has, because it is full.
func (apns *APNs) Dropped() int {
	apns.t.Helper()
	var answer struct{ Dropped int }
	apns.must("POST", "/requests/count", JSON{}, &answer)
	return answer.Dropped
}

// Wait waits for at most 5 s until at least so many requests match, and returns all that do. Requests that came before
// count as well. When the time is over, the test fails with the requests that came nearest.
func (apns *APNs) Wait(count int, match Match) []Record {
	apns.t.Helper()
	return apns.WaitUpTo(5*time.Second, count, match)
}

// WaitUpTo is Wait with another timeout.
func (apns *APNs) WaitUpTo(timeout time.Duration, count int, match Match) []Record {
	apns.t.Helper()
	if count < 1 {
		apns.t.Fatalf("Wait(%d) waits for no request; use WaitForNone", count)
	}
	question := JSON{"requests": match, "count": count, "timeout": milliseconds(timeout)}
	status, text, err := apns.admin.exchange("POST", "/requests/wait", question, timeout+patience)
	apns.check(err)
	var answer struct {
		Requests []Record
		Total    int
	}
	if status != http.StatusRequestTimeout {
		apns.check(decode(status, text, &answer))
		return answer.Requests
	}
	apns.check(json.Unmarshal(text, &answer))
	apns.t.Fatal(apns.missing(match, count, timeout, answer.Total))
	return nil
}

// missing says which requests came nearest to those that did not come.
func (apns *APNs) missing(match Match, count int, timeout time.Duration, total int) string {
	var verdict Verification
	expected := JSON{"requests": match, "count": JSON{"atLeast": count}}
	if err := apns.admin.call("POST", "/verify", JSON{"expect": []JSON{expected}}, &verdict); err != nil {
		return err.Error()
	}
	lines := []string{fmt.Sprintf("Not enough requests within %v.", timeout)}
	for _, line := range strings.Split(printable(verdict.Report), "\n") {
		if strings.HasPrefix(line, "  ") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 1 { // they came just now
		lines = append(lines, fmt.Sprintf("  seen      %d of %d", total, count))
	}
	return strings.Join(lines, "\n") + apns.whyNone()
}

// WaitForNone makes sure that no request that matches comes for a time, from now on. As soon as one comes, the test fails
// and names it.
func (apns *APNs) WaitForNone(time time.Duration, match Match) {
	apns.t.Helper()
	question := JSON{"requests": match, "count": 0, "for": milliseconds(time)}
	status, text, err := apns.admin.exchange("POST", "/requests/wait", question, time+patience)
	apns.check(err)
	var answer struct{ Requests []Record }
	if status == http.StatusConflict && json.Unmarshal(text, &answer) == nil && answer.Requests != nil {
		lines := "A request came that was not expected."
		for _, record := range answer.Requests {
			lines += "\n  " + record.String()
		}
		apns.t.Fatal(lines)
	}
	apns.check(decode(status, text, nil))
}

// milliseconds is a duration as the server reads it, rounded up.
func milliseconds(duration time.Duration) string {
	whole := duration.Milliseconds()
	if duration%time.Millisecond > 0 {
		whole++
	}
	return fmt.Sprintf("%dms", whole)
}
