package mockapns

import (
	"fmt"
	"strings"
	"unicode"
)

// shown is how many requests the log of a failed test has.
const shown = 50

// log is what came, for people who look at a failed test: the last requests, or why none came.
func (apns *APNs) log() string {
	var page struct {
		Requests       []Record
		Total, Dropped int
	}
	if err := apns.admin.call("GET", fmt.Sprintf("/requests?order=desc&limit=%d", shown), nil, &page); err != nil {
		return "" // the test has said so already
	}
	if len(page.Requests) == 0 {
		return "mock-apns: no request arrived." + apns.connections(false)
	}
	lines := []string{"mock-apns: " + plural(page.Total+page.Dropped, "request") + ":"}
	if page.Total+page.Dropped > len(page.Requests) {
		lines[0] = fmt.Sprintf("mock-apns: %d requests, the last %d:", page.Total+page.Dropped, len(page.Requests))
	}
	for i := len(page.Requests) - 1; i >= 0; i-- {
		record := page.Requests[i]
		lines = append(lines, fmt.Sprintf("%3d  %s  %s", record.Sequence, record.Time.Format("15:04:05.000"), record.summary()))
		for _, detail := range []string{record.Explanation, record.fields(), record.body()} {
			if detail != "" {
				lines = append(lines, "     "+onOneLine(detail))
			}
		}
	}
	return strings.Join(lines, "\n") + apns.connections(true)
}

// summary is the request, its answer and what became of it in a few words.
func (record Record) summary() string {
	what, device, answer := record.PushType, record.Device, record.Outcome
	if what == "" {
		what = "push"
	}
	if device == "" {
		device = shortened(record.Token)
	}
	if device == "" {
		device = record.Path
	}
	if record.Status != 0 {
		answer = strings.TrimSpace(fmt.Sprintf("%d %s", record.Status, record.Reason))
	}
	if record.DecidedBy != "checks" {
		answer += ", decided by " + record.DecidedBy
	}
	if record.Delivery != "" && record.Delivery != "Delivered to Device" {
		answer += ", " + record.Delivery
	}
	if record.ReplacedBy != 0 {
		answer += fmt.Sprintf(", replaced by %d", record.ReplacedBy)
	}
	return onOneLine(fmt.Sprintf("%s to %s, %s", what, device, answer))
}

// fields are those that decide how a push is delivered.
func (record Record) fields() string {
	var shown []string
	for _, name := range []string{"priority", "expiration", "collapse-id"} {
		if value := record.Header("apns-" + name); value != "" {
			shown = append(shown, name+" "+value)
		}
	}
	return strings.Join(shown, ", ")
}

func (record Record) body() string {
	if record.PayloadText != "" {
		return beginning(record.PayloadText)
	}
	return beginning(record.Payload.String())
}

// beginning is a text of which people can see what it is.
func beginning(text string) string {
	if runes := []rune(text); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return text
}

// whyNone says why no request came, if none did.
func (apns *APNs) whyNone() string {
	var page struct{ Total int }
	if apns.admin.call("GET", "/requests?limit=1", nil, &page) != nil || page.Total > 0 {
		return ""
	}
	return "\nNo request arrived." + apns.connections(false)
}

// connections says how connections ended: all of them, or those that failed before they brought a request.
func (apns *APNs) connections(onlyFailed bool) string {
	var answer struct {
		Connections []struct {
			Connection            *int
			Requests              int
			ClosedBy, Explanation string
		}
	}
	if apns.admin.call("GET", "/connections", nil, &answer) != nil {
		return ""
	}
	var lines []string
	for _, each := range answer.Connections {
		if each.Connection == nil || onlyFailed && (each.Requests > 0 || each.Explanation == "") {
			continue
		}
		end, why := "open", "."
		if each.ClosedBy != "" {
			end = "closed by " + each.ClosedBy
		}
		if each.Explanation != "" {
			why = ": " + each.Explanation
		}
		lines = append(lines, onOneLine(fmt.Sprintf("Connection %d is %s%s", *each.Connection, end, why)))
	}
	if len(lines) == 0 && onlyFailed {
		return ""
	} else if len(lines) == 0 {
		return " There was no connection."
	}
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	return "\n" + strings.Join(lines, "\n")
}

func plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", count, noun)
}

// shortened is a device token as people recognize it.
func shortened(token string) string {
	if len(token) < 20 {
		return token
	}
	return token[:8] + "…" + token[len(token)-4:]
}

// printable makes the text of others safe to show: a control character steers a terminal, and a bidirectional mark lets a
// text look like another one.
func printable(text string) string {
	var safe strings.Builder
	for _, each := range text {
		if unicode.IsPrint(each) || unicode.Is(unicode.Zs, each) || strings.ContainsRune("\n\t\u200c\u200d", each) {
			safe.WriteRune(each)
		} else {
			fmt.Fprintf(&safe, `\u{%02X}`, each)
		}
	}
	return safe.String()
}

// onOneLine is printable without line feeds, one of which begins a line that looks like a verdict.
func onOneLine(text string) string {
	return printable(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text))
}
