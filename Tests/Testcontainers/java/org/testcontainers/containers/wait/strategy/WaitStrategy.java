package org.testcontainers.containers.wait.strategy;

import org.testcontainers.containers.GenericContainer;

public interface WaitStrategy {
    void waitUntilReady(GenericContainer<?> container);
}
