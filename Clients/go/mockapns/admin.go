package mockapns

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// patience is for answers that come at once. It only ends what hangs.
const patience = time.Minute

// client makes a connection for each call, so that none is left when a test ends.
var client = http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// APIError is a call that the server rejected.
type APIError struct {
	Status  int    // of the answer
	Code    string // for programs
	Message string // a sentence, with the nearest valid word for a misspelling
	Pointer string // a JSON Pointer to what is wrong in what was sent; can be empty
}

// Error is the message, with status, code and pointer.
func (e *APIError) Error() string {
	text := fmt.Sprintf("%s (%d %s", printable(e.Message), e.Status, e.Code)
	if e.Pointer != "" {
		text += " at " + printable(e.Pointer)
	}
	return text + ")"
}

// admin is the admin API of a server, or of one session of it.
type admin struct {
	server  string // such as http://127.0.0.1:2198
	path    string // /api/v1, or that of a session
	token   string
	explain func() error // why the server does not answer, if we have started it
}

func newAdmin(address, token string) (*admin, error) {
	if !strings.Contains(address, "//") {
		address = "http://" + address
	}
	parts, err := url.Parse(address)
	if err != nil || parts.Scheme != "http" || parts.Hostname() == "" {
		return nil, fmt.Errorf("%s is not the address of an admin port, such as http://127.0.0.1:2198", address)
	}
	server, _, _ := strings.Cut(strings.TrimRight(address, "/"), "/api/v1")
	return &admin{server: server, path: "/api/v1", token: token}, nil
}

func (a *admin) session(name string) *admin {
	session := *a
	session.path = "/api/v1/sessions/" + url.PathEscape(name)
	return &session
}

// address is what MOCK_APNS_ADMIN_URL names.
func (a *admin) address() string { return a.server + strings.TrimSuffix(a.path, "/api/v1") }

// call makes one call. The answer to an error is an *APIError.
func (a *admin) call(method, path string, body, answer any) error {
	status, text, err := a.exchange(method, path, body, patience)
	if err != nil {
		return err
	}
	return decode(status, text, answer)
}

// exchange makes one call and returns status and answer, even those of an error.
func (a *admin) exchange(method, path string, body any, timeout time.Duration) (int, json.RawMessage, error) {
	sent, isText := body.([]byte)
	if body != nil && !isText {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return 0, nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, a.server+a.path+path, bytes.NewReader(sent))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	response, err := client.Do(request)
	var text []byte
	if err == nil {
		defer response.Body.Close()
		text, err = io.ReadAll(response.Body)
	}
	if err != nil {
		if a.explain != nil {
			if why := a.explain(); why != nil {
				return 0, nil, why
			}
		}
		return 0, nil, fmt.Errorf("no mock-apns answers at %s: %w", a.server, err)
	}
	if !json.Valid(text) {
		return 0, nil, fmt.Errorf("what answers at %s is not mock-apns; it said %.80q", a.server, text)
	}
	return response.StatusCode, text, nil
}

// decode reads an answer, or the error in it.
func decode(status int, text json.RawMessage, answer any) error {
	if status >= 400 {
		var told struct{ Error APIError }
		if json.Unmarshal(text, &told) != nil || told.Error.Message == "" {
			told.Error.Message = fmt.Sprintf("mock-apns answered %s", text)
		}
		told.Error.Status = status
		return &told.Error
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
