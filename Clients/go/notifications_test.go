// Go, with the package mockapns. Run it with: go test -count=1 ./...
package notifications

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mock-apns.example/go/mockapns"
)

const alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

func TestTriesAgainWhenBusy(t *testing.T) {
	t.Parallel()
	apns := mockapns.New(t, mockapns.Scenario(`{
		"rules": [{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}],
		"expect": [{"name": "tried again until it worked", "requests": {"status": 200}, "count": 1}]
	}`))
	push(t, apns, alice, "Goal")
	for _, request := range apns.Wait(1, mockapns.Match{Status: 200}) {
		if request.PushType != "alert" || request.At("/aps/alert") != "Goal" {
			t.Errorf("unexpected request: %s", request.Raw)
		}
	}
}

// push stands for your provider. Yours signs its tokens with apns.Key, apns.KeyID and apns.TeamID.
func push(t *testing.T, apns *mockapns.APNs, device, text string) {
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: apns.TLSConfig()}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport}
	for tries := 0; tries < 3; tries++ {
		body := strings.NewReader(fmt.Sprintf(`{"aps": {"alert": %q}}`, text))
		request, err := http.NewRequest("POST", apns.URL+"/3/device/"+device, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("authorization", "bearer "+apns.Token())
		request.Header.Set("apns-topic", apns.Topic)
		request.Header.Set("apns-push-type", "alert")
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == 200 {
			return
		}
	}
}
