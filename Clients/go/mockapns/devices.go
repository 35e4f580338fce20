package mockapns

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
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

// Notification is what a device shows, or what waits for it.
type Notification struct {
	Sequence    int // of the push's record
	CollapseID  string
	Payload     json.RawMessage
	DisplayedAt time.Time // zero while it waits
	ExpiresAt   time.Time // zero when it is shown
	Shown       JSON      // what a person reads: title, subtitle, body and so on
}

// At is a value in the payload by its JSON Pointer, such as "/aps/alert"; nil if there is none.
func (notification Notification) At(pointer string) any { return at(notification.Payload, pointer) }

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

// Channel is a broadcast channel as it was when asked for.
type Channel struct {
	ChannelID, Name string
	Topic           string // the bundle id of its app
	Environment     string
	Storage         string // which pushes are stored for devices that are offline: none or mostRecent
	CreatedAt       time.Time
	Published       int // pushes published to it
	Delivered       int // how many times a push reached a device
	Subscribers     int // Live Activities that listen to it
	Stored          int // the sequence of the push that is stored; 0 if there is none
}

type channelPage struct {
	Channels []Channel
	Apps     []struct {
		Topic, Environment string
		UniqueSubscribers  int
	}
	Next *int
}

func (apns *APNs) channelPages() (pages []channelPage) {
	apns.t.Helper()
	for after := 0; ; {
		var page channelPage
		apns.must("GET", fmt.Sprintf("/channels?limit=1000&after=%d", after), nil, &page)
		if pages = append(pages, page); page.Next == nil {
			return pages
		}
		after = *page.Next
	}
}

// Channels are the broadcast channels that exist, in order of creation.
func (apns *APNs) Channels() (channels []Channel) {
	apns.t.Helper()
	for _, page := range apns.channelPages() {
		channels = append(channels, page.Channels...)
	}
	return channels
}

// UniqueSubscribers is how many devices have a Live Activity on a channel of the app with this bundle id.
func (apns *APNs) UniqueSubscribers(topic string) (count int) {
	apns.t.Helper()
	found := map[string]int{} // each page has the apps of its channels
	for _, page := range apns.channelPages() {
		for _, app := range page.Apps {
			if app.Topic == topic {
				found[app.Environment] = app.UniqueSubscribers
			}
		}
	}
	for _, subscribers := range found {
		count += subscribers
	}
	return count
}

// Channel is a broadcast channel by its name or its id.
func (apns *APNs) Channel(name string) (channel Channel) {
	apns.t.Helper()
	apns.must("GET", channelPath(name), nil, &channel)
	return channel
}

// AddChannel creates a broadcast channel as in a scenario, such as JSON{"name": "match"}. The topic is the server's unless
// it is given.
func (apns *APNs) AddChannel(channel JSON) (added Channel) {
	apns.t.Helper()
	asked := JSON{"topic": apns.Topic}
	for name, value := range channel {
		asked[name] = value
	}
	apns.must("POST", "/channels", asked, &added)
	return added
}

// DeleteChannel deletes a broadcast channel for good, by its name or its id.
func (apns *APNs) DeleteChannel(name string) {
	apns.t.Helper()
	apns.must("DELETE", channelPath(name), nil, nil)
}

// channelPath has an id in the alphabet of URLs, since it may have slashes; a name as it is.
func channelPath(channel string) string {
	if strings.HasSuffix(channel, "=") {
		channel = strings.NewReplacer("+", "-", "/", "_").Replace(channel)
	}
	return "/channels/" + url.PathEscape(channel)
}
