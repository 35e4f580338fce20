package mockapns

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Device is a device of the server. Each call asks for its present state.
type Device struct {
	apns *APNs
	name string // or its token
}

// DeviceState is what the server knows of a device.
type DeviceState struct {
	Name, Token      string
	Topics           []string
	Environment      string
	Online           bool
	Registered       any             // a bool, or an object that says since when it is not
	Notifications    any             // true for everything, false for nothing, or an object with what the user allows
	Platform         string          // such as iOS
	App              JSON            // the state of its apps
	Apps             map[string]JSON // those of single apps, by bundle id
	Budgets          JSON            // by kind
	Power            string
	PushToStartToken any            // a string; an object by bundle id, if it has several apps; or nil
	Badge            int            // the number on the app's icon
	Displayed        []Notification // newest last
	Activities       []JSON         // Live Activities, newest last
	Stored           []Notification // oldest first
	Received         int
	History          []HistoryEntry // newest last
}

// Notification is what a device shows, or what waits for it. It is printed as one line.
type Notification struct {
	Sequence    int // of the push's record
	CollapseID  string
	Payload     RawJSON
	DisplayedAt time.Time // zero while it waits
	ExpiresAt   time.Time // zero when it is shown
	Shown       JSON      // what a person reads: title, subtitle, body and so on
}

// At is a value in the payload by its JSON Pointer, such as "/aps/alert"; nil if there is none.
func (notification Notification) At(pointer string) any { return at(notification.Payload, pointer) }

// String is the push on one line: when it is shown or until when it waits, and the beginning of its payload.
func (notification Notification) String() string {
	line := fmt.Sprintf("push %d", notification.Sequence)
	if notification.CollapseID != "" {
		line += ", collapse-id " + notification.CollapseID
	}
	if notification.DisplayedAt.IsZero() {
		line += ", stored until " + notification.ExpiresAt.Format(time.RFC3339)
	} else {
		line += ", displayed at " + notification.DisplayedAt.Format(time.RFC3339)
	}
	return onOneLine(line + ", " + beginning(notification.Payload.String()))
}

// HistoryEntry is what became of a push on its device, once APNs had delivered it. It is printed as one line.
type HistoryEntry struct {
	Sequence int       // of the push's record
	Clock    time.Time // of the scenario's clock
	State    string    // shown, woke, heldByBudget, dropped, ignored, replaced, opened or dismissed
	Why      string    // what happened and why, in a sentence
}

// String is the push, what became of it, and why.
func (entry HistoryEntry) String() string {
	at := entry.Clock.Format(time.RFC3339)
	return onOneLine(fmt.Sprintf("push %d, %s at %s: %s", entry.Sequence, entry.State, at, entry.Why))
}

// Device is a device by its name in the scenario, or by its device token.
func (apns *APNs) Device(name string) *Device {
	return &Device{apns, name}
}

// AddDevice declares a device as in a scenario, such as JSON{"name": "alice", "online": false}. Without a token it gets
// one from the server.
func (apns *APNs) AddDevice(device JSON) *Device {
	apns.t.Helper()
	var added struct{ Token string }
	apns.must("POST", "/devices", device, &added)
	return apns.Device(added.Token)
}

// State is everything that the server knows of it.
func (device *Device) State() (state DeviceState) {
	device.apns.t.Helper()
	device.apns.must("GET", device.path(), nil, &state)
	return state
}

// Token is its device token.
func (device *Device) Token() string {
	device.apns.t.Helper()
	return device.State().Token
}

// PushToStartToken is where to push the start of a Live Activity. It is empty if Live Activities have no tokens of their
// own: all of their pushes go to Token then. If the device has several apps, State has one for each.
func (device *Device) PushToStartToken() string {
	device.apns.t.Helper()
	token := device.State().PushToStartToken
	if _, several := token.(map[string]any); several {
		device.apns.t.Fatalf("%s has a push-to-start token for each of its apps; see State", printable(device.name))
	}
	text, _ := token.(string)
	return text
}

// Displayed are the notifications that it shows, newest last.
func (device *Device) Displayed() []Notification {
	device.apns.t.Helper()
	return device.State().Displayed
}

// History is what became of the pushes that reached it, and why, newest last.
func (device *Device) History() []HistoryEntry {
	device.apns.t.Helper()
	return device.State().History
}

// Change changes what is given, as the admin API does: JSON{"notifications": false, "power": "saving"}.
func (device *Device) Change(change JSON) {
	device.apns.t.Helper()
	device.apns.must("PATCH", device.path(), change, nil)
}

// Online connects it; what is stored for it is delivered.
func (device *Device) Online() {
	device.apns.t.Helper()
	device.Change(JSON{"online": true})
}

// Offline disconnects it; pushes are stored for it.
func (device *Device) Offline() {
	device.apns.t.Helper()
	device.Change(JSON{"online": false})
}

// Uninstall removes the app: pushes are answered with 410 Unregistered from now on.
func (device *Device) Uninstall() {
	device.apns.t.Helper()
	device.Change(JSON{"registered": false})
}

// App changes the state of its apps, or of those with these bundle ids: JSON{"state": "forceQuit"}, or "backgroundRefresh"
// and "presentsInForeground". What is not given stays. An app that is named has a state of its own from then on, which a
// change without names leaves as it is.
func (device *Device) App(change JSON, topics ...string) {
	device.apns.t.Helper()
	if len(topics) == 0 {
		device.Change(JSON{"app": change})
		return
	}
	apps := JSON{}
	for _, topic := range topics {
		apps[topic] = change
	}
	device.Change(JSON{"apps": apps})
}

// Notifications changes what the user allows: everything, true; nothing, false; or what is given, as in
// JSON{"authorization": "provisional", "alert": true, "badge": true, "sound": false}.
func (device *Device) Notifications(allowed any) {
	device.apns.t.Helper()
	device.Change(JSON{"notifications": allowed})
}

// Budget allows each app so many pushes of a kind per period: background, pushToStart, liveActivityPriority10 or widgets.
// A push beyond it is delivered to the device, which holds or drops it.
func (device *Device) Budget(kind string, allowed int, per time.Duration) {
	device.apns.t.Helper()
	device.Change(JSON{"budgets": JSON{kind: JSON{"allowed": allowed, "per": milliseconds(per)}}})
}

// Platform changes what kind of device it is, on which it depends what a push does: iOS, iPadOS, macOS, watchOS, tvOS or
// visionOS.
func (device *Device) Platform(platform string) {
	device.apns.t.Helper()
	device.Change(JSON{"platform": platform})
}

// Power has it save power, "saving", or no longer, "normal". While it saves power, pushes of priority 5 and 1 are stored.
// They are delivered when it no longer does.
func (device *Device) Power(power string) {
	device.apns.t.Helper()
	device.Change(JSON{"power": power})
}

// RenewToken gives it a new token, as a new phone has it, and returns that. Pushes to the old one are answered with 410
// Unregistered from now on.
func (device *Device) RenewToken() string {
	device.apns.t.Helper()
	var renewed struct{ Name, Token string }
	device.apns.must("POST", device.path()+"/token", nil, &renewed)
	if renewed.Name != device.name {
		device.name = renewed.Token
	}
	return renewed.Token
}

// Subscribe starts a Live Activity on a broadcast channel, given by name or id. EndActivity ends it by its own name,
// which may be empty.
func (device *Device) Subscribe(channel, name string) {
	device.apns.t.Helper()
	activity := JSON{"channel": channel}
	if name != "" {
		activity["name"] = name
	}
	device.Change(JSON{"subscribe": activity})
}

// Unsubscribe dismisses the Live Activities on a broadcast channel, as a user does.
func (device *Device) Unsubscribe(channel string) {
	device.apns.t.Helper()
	device.Change(JSON{"unsubscribe": channel})
}

// StartActivity starts a Live Activity of the device's first app, as the app does.
func (device *Device) StartActivity(name string) {
	device.apns.t.Helper()
	device.Change(JSON{"startActivity": JSON{"name": name}})
}

// EndActivity ends the Live Activity of that name or update token, as the app does.
func (device *Device) EndActivity(name string) {
	device.apns.t.Helper()
	device.Change(JSON{"endActivity": name})
}

// DismissActivity takes the Live Activity of that name or update token off the screen, as a user does.
func (device *Device) DismissActivity(name string) {
	device.apns.t.Helper()
	device.Change(JSON{"dismissActivity": name})
}

// WaitForActivities waits for at most 5 s until it has at least so many Live Activities that have not ended, of the app
// with this bundle id, or of any if it is empty, and returns all of these, as the server sent them. Each has "token", to
// which its updates go. When the time is over, the test fails.
func (device *Device) WaitForActivities(count int, topic string) []JSON {
	device.apns.t.Helper()
	return device.WaitForActivitiesUpTo(5*time.Second, count, topic)
}

// WaitForActivitiesUpTo is WaitForActivities with another timeout.
func (device *Device) WaitForActivitiesUpTo(timeout time.Duration, count int, topic string) []JSON {
	apns := device.apns
	apns.t.Helper()
	question := JSON{"count": count, "timeout": milliseconds(timeout)}
	expected := counted(count) + " of " + device.name
	if topic != "" {
		question["topic"] = topic
		expected += " with topic " + topic
	}
	status, text, err := apns.admin.exchange("POST", device.path()+"/activities/wait", question, timeout+patience)
	apns.check(err)
	var answer struct{ Activities []JSON }
	if status != http.StatusRequestTimeout {
		apns.check(decode(status, text, &answer))
		return answer.Activities
	}
	apns.check(json.Unmarshal(text, &answer))
	apns.t.Fatal(fmt.Sprintf("Not enough Live Activities within %v.\n  expected  at least %s, not ended\n  seen      %s",
		timeout, onOneLine(expected), counted(len(answer.Activities))) + apns.whyNone())
	return nil
}

func counted(activities int) string {
	if activities == 1 {
		return "1 Live Activity"
	}
	return fmt.Sprintf("%d Live Activities", activities)
}

// Open opens the notification of a push, as a user does.
func (device *Device) Open(sequence int) {
	device.apns.t.Helper()
	device.respond(sequence, JSON{})
}

// Choose chooses an action of the notification of a push, by its id, as a user does. The text is what the user types; it
// may be empty.
func (device *Device) Choose(sequence int, action, text string) {
	device.apns.t.Helper()
	response := JSON{"action": action}
	if text != "" {
		response["text"] = text
	}
	device.respond(sequence, response)
}

func (device *Device) respond(sequence int, response JSON) {
	device.apns.t.Helper()
	device.apns.must("POST", fmt.Sprintf("%s/displayed/%d/open", device.path(), sequence), response, nil)
}

// Dismiss takes the notification of a push off the screen, as a user does.
func (device *Device) Dismiss(sequence int) {
	device.apns.t.Helper()
	device.apns.must("DELETE", fmt.Sprintf("%s/displayed/%d", device.path(), sequence), nil, nil)
}

// Delete deletes the device, and what is stored for it.
func (device *Device) Delete() {
	device.apns.t.Helper()
	device.apns.must("DELETE", device.path(), nil, nil)
}

func (device *Device) path() string { return "/devices/" + url.PathEscape(device.name) }
