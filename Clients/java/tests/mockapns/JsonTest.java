package mockapns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void readsEveryKindOfValue() {
        var read = Json.map(Json.read(" {\"a\": [1, -2.5e1, true, false, null, \"\"], \"b\": {}, \"c\": [] } "));
        assertEquals(Arrays.asList(1L, -25.0, true, false, null, ""), read.get("a"));
        assertEquals(Map.of(), read.get("b"));
        assertEquals(List.of(), read.get("c"));
    }

    @Test
    void readsEscapes() {
        assertEquals("\"\\/\b\f\n\r\t\u00e9\ud83d\ude00", Json.read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1,]", "{\"a\" 1}", "{1: 2}", "\"open", "\"\\x\"", "\"\\u00g0\"", "tru", "1 2", "-", "}"})
    void refusesWhatIsNotJSON(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.read(text));
    }

    @Test
    void refusesEndlessNesting() {
        assertThrows(IllegalArgumentException.class, () -> Json.read("[".repeat(100_000)));
    }

    @Test
    void writesWhatItReads() {
        var value = new LinkedHashMap<String, Object>();
        value.put("text", "\"\\\n\u0001é\ud83d\ude00");
        value.put("list", Arrays.asList(1L, 2.5, true, null, Map.of()));
        value.put("empty", List.of());
        assertEquals(value, Json.read(Json.write(value)));
    }

    @Test
    void takesTextAndMapsForAnObject() {
        assertEquals("{\"a\": 1}", Json.object("{\"a\": 1}"));
        assertEquals("{\"a\":1}", Json.object(Map.of("a", 1)));
        var error = assertThrows(IllegalArgumentException.class, () -> Json.object(7));
        assertEquals("A text with JSON or a Map is wanted here, not 7.", error.getMessage());
    }
}
