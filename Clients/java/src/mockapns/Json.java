package mockapns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON: Map, List, String, Boolean and null; whole numbers are Long, others Double. */
final class Json {
    private static final int DEPTH = 1000;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    // Reading.

    static Object read(String text) {
        var json = new Json(text);
        var value = json.value();
        json.space();
        if (json.at < text.length()) throw json.mistake();
        return value;
    }

    /** An object as JSON text: a text stays as it is, a Map is written. */
    static String object(Object json) {
        if (json instanceof CharSequence text) return text.toString();
        if (json instanceof Map<?, ?>) return write(json);
        throw new IllegalArgumentException("A text with JSON or a Map is wanted here, not " + json + ".");
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static <T> List<T> list(Object value) {
        return (List<T>) value;
    }

    /** A whole number that may be absent. */
    static Long number(Object value) {
        return value instanceof Number number ? (Long) number.longValue() : null;
    }

    private Object value() {
        space();
        switch (at < text.length() ? text.charAt(at) : ' ') {
            case '{': return members();
            case '[': return elements();
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> members() {
        var members = new LinkedHashMap<String, Object>();
        for (var more = begins('}'); more; more = goesOn('}')) {
            space();
            var name = string();
            space();
            expect(':');
            members.put(name, value());
        }
        return members;
    }

    private List<Object> elements() {
        var elements = new ArrayList<>();
        for (var more = begins(']'); more; more = goesOn(']')) elements.add(value());
        return elements;
    }

    /** Goes past the bracket that opens; false if the next one closes. */
    private boolean begins(char close) {
        if (++depth > DEPTH) throw mistake();
        at++;
        space();
        return !closes(close);
    }

    private boolean goesOn(char close) {
        space();
        if (closes(close)) return false;
        expect(',');
        return true;
    }

    private boolean closes(char close) {
        if (at >= text.length() || text.charAt(at) != close) return false;
        at++;
        depth--;
        return true;
    }

    private String string() {
        expect('"');
        var string = new StringBuilder();
        while (true) {
            if (at >= text.length()) throw mistake();
            var next = text.charAt(at++);
            if (next == '"') return string.toString();
            string.append(next == '\\' ? escape() : next);
        }
    }

    private char escape() {
        if (at >= text.length()) throw mistake();
        var next = text.charAt(at++);
        if (next == 'u' && at + 4 <= text.length()) {
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        var index = "\"\\/bfnrt".indexOf(next);
        if (index < 0) throw mistake();
        return "\"\\/\b\f\n\r\t".charAt(index);
    }

    private Object number() {
        var start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        var digits = text.substring(start, at);
        try {
            if (digits.matches("-?\\d{1,18}")) return Long.parseLong(digits);
            return Double.parseDouble(digits);
        } catch (NumberFormatException error) {
            throw mistake();
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw mistake();
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private void expect(char wanted) {
        if (at >= text.length() || text.charAt(at) != wanted) throw mistake();
        at++;
    }

    private IllegalArgumentException mistake() {
        return new IllegalArgumentException("This is not JSON from character " + at + " on.");
    }

    // Writing.

    static String write(Object value) {
        var text = new StringBuilder();
        write(value, text);
        return text.toString();
    }

    private static void write(Object value, StringBuilder text) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            text.append(value);
        } else if (value instanceof Map<?, ?> members) {
            var separator = "{";
            for (var member : members.entrySet()) {
                text.append(separator);
                quote(member.getKey().toString(), text);
                text.append(':');
                write(member.getValue(), text);
                separator = ",";
            }
            text.append(members.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> elements) {
            text.append('[');
            var separator = "";
            for (var element : elements) {
                text.append(separator);
                write(element, text);
                separator = ",";
            }
            text.append(']');
        } else {
            quote(value.toString(), text);
        }
    }

    private static void quote(String string, StringBuilder text) {
        text.append('"');
        for (var each : string.toCharArray()) {
            if (each == '"' || each == '\\') text.append('\\').append(each);
            else if (each < ' ' || Character.isSurrogate(each)) text.append("\\u%04x".formatted((int) each));
            else text.append(each);
        }
        text.append('"');
    }
}
