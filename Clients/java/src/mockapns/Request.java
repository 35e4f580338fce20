package mockapns;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/** One recorded request, and what was decided about it. What is absent is null. */
public final class Request {
    private final Map<String, Object> json;

    private Request(Map<String, Object> json) { this.json = json; }

    static List<Request> all(Object array) {
        return Json.<Object>list(array).stream().map(each -> new Request(Json.map(each))).toList();
    }

    /** 1 for the first request since the last reset. */
    public long sequence() { return Json.number(json.get("sequence")); }

    /** When it came. */
    public Instant time() { return Instant.parse(text("time")); }

    /** The path, such as {@code /3/device/…}. */
    public String path() { return text("path"); }

    /** The device token. */
    public String token() { return text("token"); }

    /** The name of a declared device. */
    public String device() { return text("device"); }

    /** {@code apns-topic}. */
    public String topic() { return text("topic"); }

    /** {@code apns-push-type}. */
    public String pushType() { return text("pushType"); }

    /** {@code apns-priority}. */
    public Long priority() { return Json.number(json.get("priority")); }

    /** {@code apns-expiration}, in UNIX seconds. */
    public Long expiration() { return Json.number(json.get("expiration")); }

    /** {@code apns-collapse-id}. */
    public String collapseID() { return text("collapseID"); }

    /** {@code apns-id}. */
    public String apnsID() { return text("apnsID"); }

    /** The value of the first header field of that name. */
    public String header(String name) {
        for (var field : Json.<List<String>>list(json.get("headers"))) {
            if (field.get(0).equalsIgnoreCase(name)) return field.get(1);
        }
        return null;
    }

    /** The body, if it is JSON; whole numbers are Long. */
    public Object payload() { return json.get("payload"); }

    /** The value in the payload to which a JSON Pointer leads: {@code payload("/aps/alert/title")}. */
    public Object payload(String pointer) {
        var value = payload();
        if (!pointer.isEmpty() && !pointer.startsWith("/")) {
            throw new IllegalArgumentException("A JSON Pointer begins with a slash; this one is " + pointer + ".");
        }
        for (var part : pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
            var name = part.replace("~1", "/").replace("~0", "~");
            if (value instanceof Map<?, ?> members) value = members.get(name);
            else if (value instanceof List<?> elements && name.matches("\\d{1,9}") && Integer.parseInt(name) < elements.size()) {
                value = elements.get(Integer.parseInt(name));
            } else return null;
        }
        return value;
    }

    /** The status of the answer; null while there is none. */
    public Integer status() {
        var status = Json.number(json.get("status"));
        return status == null ? null : (Integer) status.intValue();
    }

    /** Why it was rejected, such as {@code BadDeviceToken}. */
    public String reason() { return text("reason"); }

    /** {@code responded}, {@code delayed}, {@code stalled}, {@code reset}, {@code goAway}, {@code closed} and so on. */
    public String outcome() { return text("outcome"); }

    /** {@code checks}, {@code device}, {@code connection}, {@code outage}, {@code upstream} or {@code rule:NAME}. */
    public String decidedBy() { return text("decidedBy"); }

    /** A sentence that explains a rejection. */
    public String explanation() { return text("explanation"); }

    /** What became of an accepted push, such as {@code Delivered to Device}. */
    public String delivery() { return text("delivery"); }

    /** Any member of the record, by its name in JSON; the article RequestRecords lists them. */
    public Object get(String name) {
        if (!json.containsKey(name)) {
            throw new IllegalArgumentException("A record has no \"" + name + "\"; there are " + String.join(", ", json.keySet()) + ".");
        }
        return json.get(name);
    }

    /** The record as the server sent it. */
    public Map<String, Object> json() { return json; }

    /** The request and its answer in a few words. */
    @Override
    public String toString() {
        var token = token() == null || token().length() < 20 ? token()
            : token().substring(0, 8) + "…" + token().substring(token().length() - 4);
        var to = device() != null ? device() : token != null ? token : path();
        var answer = status() == null ? outcome() : status().toString();
        return Report.line((pushType() == null ? "push" : pushType()) + " to " + to + ", " + answer
            + (reason() == null ? "" : " " + reason())
            + ("checks".equals(decidedBy()) ? "" : ", decided by " + decidedBy()));
    }

    private String text(String name) { return (String) json.get(name); }
}
