package mockapns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// play plays a scenario from its beginning, on what is otherwise a fresh server.
func (apns *APNs) play(scenario any) error {
	text, name, err := apns.read(scenario)
	if err != nil {
		return err
	}
	err = apns.admin.call("PUT", "/scenario?reset=true", text, nil)
	var refused *APIError
	if errors.As(err, &refused) {
		if name != "" {
			refused.Message = name + ": " + refused.Message
		}
		return refused
	} else if err != nil {
		return err
	}
	return apns.identify()
}

// read returns the text of a scenario, and the name of its file.
func (apns *APNs) read(scenario any) (text []byte, file string, err error) {
	given, isText := scenario.(string)
	if !isText {
		text, err = json.Marshal(scenario)
		return text, "", err
	}
	if strings.TrimSpace(given) == "" {
		return nil, "", errors.New("the scenario is empty")
	}
	if strings.HasPrefix(strings.TrimSpace(given), "{") {
		return []byte(given), "", nil
	}
	if text, err = os.ReadFile(given); err == nil {
		return withAbsolutePaths(text, filepath.Dir(given)), given, nil
	}
	if strings.ContainsAny(given, `./\`) {
		return nil, "", fmt.Errorf("the scenario cannot be read: %w", err)
	}
	status, text, err := apns.admin.exchange("GET", "/scenarios/"+url.PathEscape(given), nil, patience)
	if err == nil {
		err = decode(status, text, nil)
	}
	return text, given, err
}

// withAbsolutePaths returns a scenario with absolute paths to the files of keys and authorities: those in a file are
// relative to it.
func withAbsolutePaths(text []byte, folder string) []byte {
	if !bytes.Contains(text, []byte(`"file"`)) && !bytes.Contains(text, []byte(`"authorities"`)) {
		return text
	}
	folder, err := filepath.Abs(folder)
	var scenario JSON
	if err != nil || json.Unmarshal(text, &scenario) != nil || scenario["authentication"] == nil {
		return text // the server says what is wrong with it
	}
	scenario["authentication"] = absolute(scenario["authentication"], "", folder)
	text, _ = json.Marshal(scenario)
	return text
}

func absolute(value any, key, folder string) any {
	switch value := value.(type) {
	case JSON:
		for key, inside := range value {
			value[key] = absolute(inside, key, folder)
		}
	case []any:
		for i, inside := range value {
			value[i] = absolute(inside, key, folder)
		}
	case string:
		if (key == "file" || key == "authorities") && !filepath.IsAbs(value) {
			return filepath.Join(folder, value)
		}
	}
	return value
}
