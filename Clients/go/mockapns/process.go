package mockapns

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// remover is a script that removes the folder when our process is gone, and then the server: both hold the other end of
// its standard input.
const remover = `read -r _; rm -rf -- "$0"`

// process is a running `mock-apns serve` with a folder of its own. It ends with our process, however that ends.
type process struct {
	admin   *admin
	name    string // of the executable
	folder  string
	command *exec.Cmd
	life    *os.File // the end of the remover's standard input that we hold
	remover *exec.Cmd
	ended   chan struct{} // closed when the command has ended
}

type kind struct{ executable, token string }

// shared has the server for all tests of this process, or why there is none. There is another one for another executable
// or token.
var shared = struct {
	sync.Mutex
	servers map[kind]*process
	errors  map[kind]error
}{servers: map[kind]*process{}, errors: map[kind]error{}}

// sharedProcess starts it for the first test, and again if it has ended. What failed once fails for each test.
func sharedProcess(executable, token string) (*process, error) {
	shared.Lock()
	defer shared.Unlock()
	key := kind{executable, token}
	if server := shared.servers[key]; server != nil && !server.hasEnded(0) {
		return server, nil
	}
	if err := shared.errors[key]; err != nil {
		return nil, err
	}
	server, err := start(executable, token, nil)
	shared.servers[key], shared.errors[key] = server, err
	return server, err
}

// start starts a server, and returns when it is ready.
func start(executable, token string, arguments []string) (*process, error) {
	path, err := findExecutable(executable)
	if err != nil {
		return nil, err
	}
	p := &process{name: path, ended: make(chan struct{})}
	if p.folder, err = os.MkdirTemp("", "mock-apns-"); err != nil {
		return nil, err
	}
	p.command = exec.Command(path, words(arguments, p.folder)...)
	if token != "" { // not as an argument, which others can read
		p.command.Env = append(os.Environ(), "MOCK_APNS_ADMIN_TOKEN="+token)
	}
	output, err := p.launch()
	if err != nil {
		os.RemoveAll(p.folder)
		return nil, fmt.Errorf("%s cannot be run: %w", path, err)
	}
	line := make(chan string, 1)
	go func() {
		reader := bufio.NewReader(output)
		first, _ := reader.ReadString('\n')
		line <- first
		io.Copy(io.Discard, reader)
		p.command.Wait()
		close(p.ended)
	}()
	if err := p.waitUntilReady(line, token); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// launch starts the remover and the server. Neither gets standard output or error of ours: what runs the tests, such as
// go test, would wait until they are closed.
func (p *process) launch() (io.Reader, error) {
	input, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	p.life = life
	p.remover = exec.Command("/bin/sh", "-c", remover, p.folder)
	p.remover.Stdin = input
	inSession(p.remover)
	if err := p.remover.Start(); err != nil {
		life.Close()
		return nil, err
	}
	stderr, err := os.Create(p.stderr())
	if err != nil {
		p.remove()
		return nil, err
	}
	defer stderr.Close()
	p.command.Stderr = stderr
	p.command.ExtraFiles = []*os.File{life}
	inSession(p.command)
	output, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return output, nil
}

func (p *process) waitUntilReady(line <-chan string, token string) error {
	var first string
	select {
	case first = <-line:
	case <-time.After(2 * time.Minute):
		return fmt.Errorf("%s said nothing for two minutes, and so is not ready", p.name)
	}
	if first == "" && p.hasEnded(10*time.Second) {
		return p.lastWords("could not be started")
	}
	var ready struct{ Event, Admin string }
	if json.Unmarshal([]byte(first), &ready) != nil || ready.Event != "ready" {
		return fmt.Errorf("%s is not mock-apns: its first line is %.80q", p.name, first)
	}
	admin, err := newAdmin(ready.Admin, token)
	if err != nil {
		return err
	}
	admin.explain = func() error {
		if p.hasEnded(time.Second) {
			return p.lastWords("ended by itself")
		}
		return nil
	}
	p.admin = admin
	return nil
}

// hasEnded tells whether the server ends within some time.
func (p *process) hasEnded(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return p.command.ProcessState != nil
	}
}

func (p *process) stderr() string { return filepath.Join(p.folder, "stderr.txt") }

func (p *process) lastWords(what string) error {
	said, _ := os.ReadFile(p.stderr())
	if len(said) == 0 {
		said = []byte("it said nothing.")
	}
	return fmt.Errorf("%s %s (%s): %s", p.name, what, p.command.ProcessState, printable(strings.TrimSpace(string(said))))
}

// stop ends the server, and removes its folder.
func (p *process) stop() {
	// It gives open streams five seconds after the first signal, and none after the second.
	for _, patience := range []time.Duration{time.Second, 10 * time.Second} {
		p.command.Process.Signal(syscall.SIGTERM)
		if p.hasEnded(patience) {
			break
		}
	}
	p.command.Process.Kill()
	<-p.ended
	p.remove()
}

// remove lets the remover do what it is for.
func (p *process) remove() {
	p.life.Close()
	p.remover.Wait()
}

// words are the arguments of the command.
func words(given []string, folder string) []string {
	all := []string{"serve", "--exit-with-parent"}
	// Options of the command line win over those of the variable.
	everywhere := append(strings.Fields(os.Getenv("MOCK_APNS_OPTIONS")), given...)
	if !names(everywhere, "--verbose") {
		all = append(all, "--quiet")
	}
	for _, port := range []string{"--port", "--admin-port"} {
		if !names(given, port) {
			all = append(all, port, "0")
		}
	}
	if !names(everywhere, "--certs") {
		all = append(all, "--certs", filepath.Join(folder, "certs"))
	}
	return append(all, given...)
}

// names tells whether an option is among these words.
func names(words []string, option string) bool {
	for _, word := range words {
		if word == option || strings.HasPrefix(word, option+"=") {
			return true
		}
	}
	return false
}

// findExecutable returns the path of the command: the one given, that of the variable, or one in PATH.
func findExecutable(given string) (string, error) {
	if given == "" {
		given = os.Getenv("MOCK_APNS_EXECUTABLE")
	}
	if given != "" {
		path, err := filepath.Abs(given)
		if err == nil {
			path, err = exec.LookPath(path)
		}
		if err != nil {
			return "", fmt.Errorf("%s is no executable: %w", given, errors.Unwrap(err))
		}
		return path, nil
	}
	path, err := exec.LookPath("mock-apns")
	if err != nil {
		return "", errors.New("the command mock-apns is not on the PATH; its path can be in the variable MOCK_APNS_EXECUTABLE. " +
			"Where to get it says the article Installing of mock-apns, Sources/MockAPNS/MockAPNS.docc/Guides/Installing.md")
	}
	return path, nil
}
