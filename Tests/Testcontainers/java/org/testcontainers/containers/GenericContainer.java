package org.testcontainers.containers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.wait.strategy.WaitStrategy;

/**
 * Stands in for that of Testcontainers 2, as far as Clients/testcontainers uses it. The variable ENGINE is the command that
 * runs a container.
 */
public class GenericContainer<SELF extends GenericContainer<SELF>> implements AutoCloseable {
    private final String image;
    private final Map<Integer, Integer> ports = new TreeMap<>();
    private List<String> command = List.of();
    private List<Integer> exposed = List.of();
    private WaitStrategy waitStrategy;
    private Process engine;

    public GenericContainer(final String dockerImageName) { image = dockerImageName; }

    @SuppressWarnings("unchecked")
    private SELF self() { return (SELF) this; }

    public SELF withCommand(String... commandParts) {
        command = List.of(commandParts);
        return self();
    }

    public SELF withExposedPorts(Integer... ports) {
        exposed = List.of(ports);
        return self();
    }

    public SELF waitingFor(WaitStrategy waitStrategy) {
        this.waitStrategy = waitStrategy;
        return self();
    }

    public void start() {
        var words = new ArrayList<>(List.of(System.getenv("ENGINE"), image));
        words.add(exposed.stream().map(String::valueOf).collect(Collectors.joining(",")));
        words.add("--");
        words.addAll(command);
        try {
            engine = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            var line = new BufferedReader(new InputStreamReader(engine.getInputStream())).readLine();
            Stream.of(line.split(" ")).map(pair -> pair.split(":"))
                .forEach(pair -> ports.put(Integer.valueOf(pair[0]), Integer.valueOf(pair[1])));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        waitStrategy.waitUntilReady(this);
    }

    public void stop() { engine.destroy(); }

    @Override
    public void close() { stop(); }

    public String getHost() { return "localhost"; }

    public Integer getMappedPort(int originalPort) {
        var found = ports.get(originalPort);
        if (found == null) throw new IllegalArgumentException("Requested port (" + originalPort + ") is not mapped");
        return found;
    }
}
