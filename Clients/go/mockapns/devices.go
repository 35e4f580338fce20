package mockapns

import (
	"fmt"
	"net/url"
	"time"
)

// Device is a device of the server. Each call asks for its present state.
type Device struct {
	apns *APNs
	path string
}

// DeviceState is what the server knows of a device.
type DeviceState struct {
	Name, Token   string
	Topics        []string
	Environment   string
	Online        bool
	Registered    any // a bool, or an object that says since when it is not
	Notifications bool
	Power         string
	Badge         int            // the number on the app's icon
	Displayed     []Notification // newest last
	Activities    []JSON         // Live Activities, newest last
	Stored        []Notification // oldest first
	Received      int
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

// Device is a device by its name in the scenario, or by its device token.
func (apns *APNs) Device(name string) *Device {
	return &Device{apns, "/devices/" + url.PathEscape(name)}
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
	device.apns.must("GET", device.path, nil, &state)
	return state
}

// Token is its device token.
func (device *Device) Token() string {
	device.apns.t.Helper()
	return device.State().Token
}

// Displayed are the notifications that it shows, newest last.
func (device *Device) Displayed() []Notification {
	device.apns.t.Helper()
	return device.State().Displayed
}

// Change changes what is given, as the admin API does: JSON{"notifications": false, "power": "saving"}.
func (device *Device) Change(change JSON) {
	device.apns.t.Helper()
	device.apns.must("PATCH", device.path, change, nil)
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

// EndActivity ends the Live Activity of that name, as the app does.
func (device *Device) EndActivity(name string) {
	device.apns.t.Helper()
	device.Change(JSON{"endActivity": name})
}

// Dismiss takes the notification of a push off the screen, as a user does.
func (device *Device) Dismiss(sequence int) {
	device.apns.t.Helper()
	device.apns.must("DELETE", fmt.Sprintf("%s/displayed/%d", device.path, sequence), nil, nil)
}

// Delete deletes the device, and what is stored for it.
func (device *Device) Delete() {
	device.apns.t.Helper()
	device.apns.must("DELETE", device.path, nil, nil)
}
