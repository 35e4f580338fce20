package mockapns;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A scenario as the server reads it.
 *
 * @param json its text
 * @param place what messages about it begin with: its file, or nothing
 */
record ScenarioText(String json, String place) {
    /** Reads JSON, a Map, a file by its path, a resource beside a class, or a built-in scenario by its name. */
    static ScenarioText of(Object scenario, Class<?> beside, Admin admin) {
        var text = scenario instanceof CharSequence || scenario instanceof Path ? scenario.toString().strip() : null;
        if (text == null || text.startsWith("{")) return new ScenarioText(Json.object(scenario), "");
        try {
            var file = Path.of(text);
            if (Files.isRegularFile(file)) {
                var folder = file.toAbsolutePath().getParent();
                return new ScenarioText(withAbsolutePaths(Files.readString(file), folder), file + ": ");
            }
            try (var resource = beside == null ? null : beside.getResourceAsStream(text)) {
                if (resource != null) return new ScenarioText(new String(resource.readAllBytes()), text + ": ");
            }
        } catch (IOException error) {
            throw new MockAPNsException("The scenario " + text + " cannot be read: " + error.getMessage());
        }
        if (!text.matches("[a-z0-9-]+")) {
            var where = Path.of("").toAbsolutePath() + (beside == null ? "" : ", nor a resource beside " + beside.getName());
            throw new MockAPNsException("There is no scenario " + text + " in " + where + ".");
        }
        return new ScenarioText(Json.write(admin.root().get("/scenarios/" + text)), "");
    }

    /** The text, with absolute paths to the files of keys and authorities: those in a file are relative to it. */
    private static String withAbsolutePaths(String text, Path folder) {
        if (!text.contains("\"file\"") && !text.contains("\"authorities\"")) return text;
        try {
            var scenario = Json.map(Json.read(text));
            var authentication = Json.map(scenario.get("authentication"));
            for (var team : Json.<Map<String, Object>>list(authentication.getOrDefault("teams", List.of()))) {
                for (var key : Json.<Map<String, Object>>list(team.getOrDefault("keys", List.of()))) {
                    key.computeIfPresent("file", (name, file) -> folder.resolve(file.toString()).toString());
                }
            }
            Json.map(authentication.getOrDefault("clientCertificates", new LinkedHashMap<>())).computeIfPresent("authorities",
                (name, files) -> Json.<String>list(files).stream().map(file -> folder.resolve(file).toString()).toList());
            return Json.write(scenario);
        } catch (RuntimeException error) {
            return text;  // The server says what is wrong with it.
        }
    }
}
