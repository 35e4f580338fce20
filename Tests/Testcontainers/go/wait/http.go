// Package wait stands in for that of Testcontainers for Go.
package wait

import (
	"context"
	"net/http"
	"time"
)

type StrategyTarget interface {
	PortEndpoint(ctx context.Context, port string, proto string) (string, error)
}

type Strategy interface {
	WaitUntilReady(ctx context.Context, target StrategyTarget) error
}

type HTTPStrategy struct{ path, port string }

func ForHTTP(path string) *HTTPStrategy { return &HTTPStrategy{path: path} }

func (ws *HTTPStrategy) WithPort(port string) *HTTPStrategy {
	ws.port = port
	return ws
}

func (ws *HTTPStrategy) WaitUntilReady(ctx context.Context, target StrategyTarget) error {
	endpoint, err := target.PortEndpoint(ctx, ws.port, "http")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		request, err := http.NewRequestWithContext(ctx, "GET", endpoint+ws.path, nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return ctx.Err()
}
