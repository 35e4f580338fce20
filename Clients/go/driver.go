//go:build ignore

// Go, with its standard library; mock-apns signs the provider tokens.
// Run it with: go build driver.go && mock-apns suite -- ./driver
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var names = map[string]string{"topic": "Apns-Topic", "pushType": "Apns-Push-Type", "priority": "Apns-Priority",
	"expiration": "Apns-Expiration", "collapseID": "Apns-Collapse-Id"}
var client, token, dropped, pushes = http.Client{Timeout: 2 * time.Second}, atomic.Value{}, sync.Map{}, sync.WaitGroup{}

func sign() string {
	text, _ := exec.Command("mock-apns", "token", "--certs", os.Getenv("MOCK_APNS_CERTS")).Output()
	return "bearer " + strings.TrimSpace(string(text))
}

// The driver.

func deliver(push map[string]json.RawMessage, device string) {
	defer pushes.Done()
	result, pause, random := map[string]any{"error": "the device token was dropped"}, 25*time.Millisecond, make([]byte, 16)
	rand.Read(random)
	id := fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	for _, isDropped := dropped.Load(device); !isDropped && pause < time.Second; pause *= 2 {
		url := os.Getenv("MOCK_APNS_URL") + "/3/device/" + device
		request, _ := http.NewRequest("POST", url, bytes.NewReader(push["payload"]))
		for member, name := range names {
			request.Header[name] = strings.Fields(strings.Trim(string(push[member]), `"`))
		}
		request.Header.Set("Authorization", token.Load().(string))
		request.Header.Set("Apns-Id", id)
		status, after := 0, time.Duration(0)
		answer, err := client.Do(request)
		result = map[string]any{"error": fmt.Sprint(err)}
		if err == nil {
			status, result = answer.StatusCode, map[string]any{"status": answer.StatusCode}
			json.NewDecoder(answer.Body).Decode(&result)
			answer.Body.Close()
			after, _ = time.ParseDuration(answer.Header.Get("Retry-After") + "s")
		}
		reason, early := result["reason"], pause < 100*time.Millisecond
		if status == 410 || reason == "BadDeviceToken" {
			dropped.Store(device, true)
		}
		expired := reason == "ExpiredProviderToken" && early
		if expired {
			token.CompareAndSwap(request.Header.Get("Authorization"), sign())
		}
		worn := expired || status == 0 || status == 500 || reason == "TooManyProviderTokenUpdates"
		if !worn && status != 429 && status != 503 && !(reason == "InvalidProviderToken" && early) {
			break
		}
		time.Sleep(pause + after)
		if worn {
			client.CloseIdleConnections()
		}
	}
	result["id"] = push["id"]
	json.NewEncoder(os.Stdout).Encode(result)
}

func main() {
	token.Store(sign())
	for lines, push := json.NewDecoder(os.Stdin), map[string]json.RawMessage(nil); lines.Decode(&push) == nil; push = nil {
		pushes.Add(1)
		go deliver(push, strings.Trim(string(push["token"]), `"`))
	}
	pushes.Wait()
}
