package mockapns

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

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
