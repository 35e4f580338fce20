package mockapns;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A temporary folder that goes with our process, however that ends: another process sees to it. */
final class Folder {
    /** Its standard input ends with our process. The server, whose number it reads before, then needs a moment to end. */
    private static final String REMOVER = """
        trap '' HUP INT TERM
        read -r server
        read -r end
        for tenth in $(seq 100); do kill -0 "$server" || break; sleep 0.1; done
        rm -rf -- "$0"
        """;

    final Path path;
    private final Process remover;

    Folder() {
        try {
            path = Files.createTempDirectory("mock-apns-").toAbsolutePath();
            remover = new ProcessBuilder("/bin/sh", "-c", ServerProcess.APART, "/bin/sh", "-c", REMOVER, path.toString())
                .directory(new File("/")).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** It stays until this process has ended, too. */
    void keepUntilEnd(Process server) throws IOException {
        remover.getOutputStream().write((server.pid() + "\n").getBytes());
        remover.getOutputStream().flush();
    }

    void close() {
        remover.destroyForcibly();
        delete(path);
    }

    /** Deletes a folder and all that is in it. */
    static void delete(Path folder) {
        if (!Files.exists(folder)) return;
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
