// Package testcontainers stands in for Testcontainers for Go 0.42, as far as Clients/testcontainers uses it. The variable
// ENGINE is the command that runs a container.
package testcontainers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/testcontainers/testcontainers-go/wait"
)

type GenericContainerRequest struct {
	exposedPorts, cmd []string
	waitingFor        []wait.Strategy
}

type ContainerCustomizer interface {
	Customize(req *GenericContainerRequest) error
}

type CustomizeRequestOption func(req *GenericContainerRequest) error

func (opt CustomizeRequestOption) Customize(req *GenericContainerRequest) error { return opt(req) }

func WithExposedPorts(ports ...string) CustomizeRequestOption {
	return func(req *GenericContainerRequest) error { req.exposedPorts = ports; return nil }
}

func WithCmd(cmd ...string) CustomizeRequestOption {
	return func(req *GenericContainerRequest) error { req.cmd = cmd; return nil }
}

func WithWaitStrategy(strategies ...wait.Strategy) CustomizeRequestOption {
	return func(req *GenericContainerRequest) error { req.waitingFor = strategies; return nil }
}

type Container interface {
	PortEndpoint(ctx context.Context, port string, proto string) (string, error)
}

type DockerContainer struct {
	engine *exec.Cmd
	input  io.Closer
	ports  map[string]string
}

func Run(ctx context.Context, img string, opts ...ContainerCustomizer) (*DockerContainer, error) {
	var request GenericContainerRequest
	for _, opt := range opts {
		if err := opt.Customize(&request); err != nil {
			return nil, err
		}
	}
	ports := strings.ReplaceAll(strings.Join(request.exposedPorts, ","), "/tcp", "")
	engine := exec.Command(os.Getenv("ENGINE"), append([]string{img, ports, "--"}, request.cmd...)...)
	engine.Stderr = os.Stderr
	input, err := engine.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := engine.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := engine.Start(); err != nil {
		return nil, err
	}
	container := &DockerContainer{engine, input, map[string]string{}}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return container, err
	}
	for _, pair := range strings.Fields(line) {
		inner, outer, _ := strings.Cut(pair, ":")
		container.ports[inner+"/tcp"] = outer
	}
	for _, strategy := range request.waitingFor {
		if err := strategy.WaitUntilReady(ctx, container); err != nil {
			return container, err
		}
	}
	return container, nil
}

func (c *DockerContainer) PortEndpoint(ctx context.Context, port string, proto string) (string, error) {
	outer, found := c.ports[port]
	if !found {
		return "", fmt.Errorf("port %q not found", port)
	}
	if proto != "" {
		proto += "://"
	}
	return proto + "localhost:" + outer, nil
}

type TerminateOption func()

func TerminateContainer(container Container, options ...TerminateOption) error {
	docker := container.(*DockerContainer)
	if docker == nil {
		return nil
	}
	docker.input.Close()
	return docker.engine.Wait()
}
