package org.testcontainers.containers.wait.strategy;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import org.testcontainers.containers.GenericContainer;

public class HttpWaitStrategy implements WaitStrategy {
    private final String path;
    private int port;

    HttpWaitStrategy(String path) { this.path = path; }

    public HttpWaitStrategy forPort(int port) {
        this.port = port;
        return this;
    }

    @Override
    public void waitUntilReady(GenericContainer<?> container) {
        var place = URI.create("http://" + container.getHost() + ":" + container.getMappedPort(port) + path);
        for (var tries = 0; tries < 600; tries++) {
            try {
                if (((HttpURLConnection) place.toURL().openConnection()).getResponseCode() == 200) return;
            } catch (IOException error) {
                // Not yet.
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException error) {
                break;
            }
        }
        throw new IllegalStateException("Timed out waiting for URL to be accessible (" + place + " should return HTTP [200])");
    }
}
