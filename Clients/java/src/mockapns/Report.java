package mockapns;

import java.util.ArrayList;
import java.util.stream.Collectors;

/** What came to the server, for people who look at a failed test. */
final class Report {
    private static final int SHOWN = 50;

    private Report() {}

    /** The last requests, or why none came. */
    static String log(Admin admin) {
        var page = admin.get("/requests?order=desc&limit=" + SHOWN);
        var requests = Request.all(page.get("requests"));
        if (requests.isEmpty()) return "No request arrived." + connections(admin);
        var total = (Long) page.get("total") + (Long) page.get("dropped");
        var lines = new ArrayList<String>();
        lines.add(total + (total == 1 ? " request" : " requests")
            + (total > requests.size() ? ", the last " + requests.size() + ":" : ":"));
        for (var at = requests.size() - 1; at >= 0; at--) {
            var request = requests.get(at);
            var time = request.get("time").toString();
            lines.add("%3d  %s  %s".formatted(request.sequence(), time.substring(11, Math.min(23, time.length())), request));
            if (request.explanation() != null) lines.add("     " + line(request.explanation()));
            var body = request.get("payload") == null ? request.get("payloadText") : Json.write(request.get("payload"));
            var text = body == null ? "" : body.toString();
            if (!text.isEmpty()) lines.add("     " + line(text.length() > 300 ? text.substring(0, 300) + "…" : text));
        }
        return String.join("\n", lines);
    }

    /** Why no request came; nothing if one did. */
    static String whyNone(Admin admin) {
        var none = admin.get("/requests?limit=1").get("total").equals(0L);
        return none ? "\nNo request arrived." + connections(admin) : "";
    }

    /** How connections ended that brought no request. */
    private static String connections(Admin admin) {
        var found = Json.<Object>list(admin.get("/connections").get("connections")).stream().map(Json::map)
            .filter(each -> each.get("connection") != null).toList();
        if (found.isEmpty()) return " There was no connection.";
        return found.stream().skip(Math.max(0, found.size() - 5)).map(each -> {
            var end = each.get("closedBy") == null ? "open" : "closed by " + each.get("closedBy");
            var why = each.get("explanation") == null ? "." : ": " + each.get("explanation");
            return line("Connection " + each.get("connection") + " is " + end + why);
        }).collect(Collectors.joining("\n", "\n", ""));
    }

    // Texts of others: a control character steers a terminal, a line feed begins a line that looks like a verdict.

    /** The text on one line, with escapes for what is not printable. */
    static String line(String text) {
        return block(text).replace("\n", "\\n").replace("\t", "\\t");
    }

    /** A text of several lines; its line feeds and tabs stay. */
    static String block(String text) {
        var shown = new StringBuilder();
        text.codePoints().forEach(each -> {
            if (isHidden(each)) shown.append("\\u{%02X}".formatted(each));
            else shown.appendCodePoint(each);
        });
        return shown.toString();
    }

    private static boolean isHidden(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL -> character != '\n' && character != '\t';
            // Joiners are a part of some scripts, and of emoji.
            case Character.FORMAT -> character != 0x200C && character != 0x200D;
            case Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED, Character.LINE_SEPARATOR,
                Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
