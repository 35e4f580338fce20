package mockapns;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A running {@code mock-apns serve} with a folder of its own. Both end with our process, at the latest. */
final class ServerProcess {
    static final String VARIABLE = "MOCK_APNS_EXECUTABLE";
    /** How long to wait for the ready line, and for the end, in seconds. They only end what hangs. */
    private static final int START = 120, END = 10;
    /** Runs a command in a session of its own, where that is possible: Control-C is for us, and we end it. */
    static final String APART = "exec $(command -v setsid) \"$0\" \"$@\"";

    final String executable;
    final String token;
    final Folder folder;
    final Map<String, Object> ready;
    private final Path errors;
    private final Process process;

    /** Starts a server, and returns when it is ready. The options are those of {@code serve}. */
    ServerProcess(String given, String... options) {
        executable = find(given);
        var words = new ArrayList<>(List.of(options));
        // A token is no argument, since others can read those.
        var at = words.indexOf("--admin-token");
        token = at < 0 || at + 1 == words.size() ? null : words.remove(at + 1);
        if (token != null) words.remove(at);
        folder = new Folder();
        try {
            errors = folder.path.resolve("stderr.txt");
            process = start(words);
            ready = awaitReady();
        } catch (RuntimeException | Error error) {
            folder.close();
            throw error;
        }
    }

    private Process start(List<String> options) {
        var inherited = System.getenv().getOrDefault("MOCK_APNS_OPTIONS", "");
        var words = new ArrayList<>(List.of("/bin/sh", "-c", APART, executable, "serve", "--exit-with-parent"));
        if (!options.contains("--verbose") && !inherited.contains("--verbose")) words.add("--quiet");
        for (var option : List.of("--port", "--admin-port")) {
            if (!names(options, option)) words.addAll(List.of(option, "0"));
        }
        // Options of the command line win over those of the variable.
        if (!names(options, "--certs") && !inherited.contains("--certs")) {
            words.addAll(List.of("--certs", folder.path.resolve("certs").toString()));
        }
        words.addAll(options);
        // What runs the tests may wait until all that it handed on is closed, so the server inherits nothing.
        var builder = new ProcessBuilder(words).redirectInput(new File("/dev/null")).redirectError(errors.toFile());
        if (token != null) builder.environment().put("MOCK_APNS_ADMIN_TOKEN", token);
        try {
            var started = builder.start();
            folder.keepUntilEnd(started);
            return started;
        } catch (IOException error) {
            throw new MockAPNsException(executable + " cannot be run: " + error.getMessage());
        }
    }

    private static boolean names(List<String> words, String option) {
        return words.stream().anyMatch(word -> word.equals(option) || word.startsWith(option + "="));
    }

    private Map<String, Object> awaitReady() {
        String line = null;
        try {
            line = CompletableFuture.supplyAsync(this::firstLine).get(START, TimeUnit.SECONDS);
            if (line != null && Json.read(line) instanceof Map<?, ?> ready && "ready".equals(ready.get("event"))) {
                return Json.map(ready);
            }
        } catch (TimeoutException error) {
            end();
            throw new MockAPNsException(executable + " said nothing for " + START + " s, and so is not ready.");
        } catch (InterruptedException error) {
            end();
            Thread.currentThread().interrupt();
            throw new MockAPNsException("The test was interrupted while mock-apns started.");
        } catch (ExecutionException | IllegalArgumentException error) {
            // Told below.
        }
        var words = line == null ? lastWords("could not be started", END) : null;
        end();
        if (words != null) throw new MockAPNsException(words);
        throw new MockAPNsException(executable + " is not mock-apns: its first line is " + line + ".");
    }

    private String firstLine() {
        try {
            return process.inputReader(StandardCharsets.UTF_8).readLine();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Why it does not answer, if it has ended. */
    String lastWords(String what, int seconds) {
        if (!ended(seconds)) return null;
        String words;
        try {
            words = Files.readString(errors, StandardCharsets.ISO_8859_1).strip();
        } catch (IOException error) {
            words = "";
        }
        // Usage and help follow after what was wrong.
        words = words.split("\n(Usage:|Help:|See ')")[0].replaceFirst("^(mock-apns: )?([Ee]rror: )?", "");
        words = words.substring(Math.max(0, words.length() - 2000));
        return "%s %s (exit code %d): %s".formatted(
            executable, what, process.exitValue(), words.isEmpty() ? "it said nothing." : words);
    }

    /** Ends it and removes its folder. */
    void stop() {
        end();
        folder.close();
    }

    private void end() {
        // The server gives open streams five seconds at the first signal, and none at the second.
        for (var seconds : new int[] {1, END}) {
            process.destroy();
            if (ended(seconds)) return;
        }
        process.destroyForcibly();
        ended(END);
    }

    private boolean ended(int seconds) {
        var interrupted = Thread.interrupted();
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            interrupted = true;
            return !process.isAlive();
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }

    /** The path of the command: what is given, else that of the variable, else the one on the PATH. */
    static String find(String given) {
        var named = given != null ? given : System.getenv(VARIABLE);
        if (named != null && !named.isEmpty()) {
            var path = Path.of(named).toAbsolutePath();
            if (!Files.isRegularFile(path)) throw new MockAPNsException("There is no executable " + path + ".");
            if (!Files.isExecutable(path)) throw new MockAPNsException(path + " is not executable.");
            return path.toString();
        }
        for (var folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            var path = Path.of(folder, "mock-apns").toAbsolutePath();
            if (Files.isRegularFile(path) && Files.isExecutable(path)) return path.toString();
        }
        throw new MockAPNsException("The command mock-apns is not on the PATH; install it, or name it by the variable "
            + VARIABLE + " or the property mock-apns.executable.");
    }
}
