package mockapns;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A device, by its name in the scenario or its token. Each question asks the server for the present state. */
public final class Device {
    /**
     * A notification that a device shows, or that waits for it.
     *
     * @param sequence the number of the push's record
     * @param collapseID {@code apns-collapse-id}, or null
     * @param payload the payload; whole numbers are Long
     * @param time when it was displayed, or when it expires
     * @param json the object as the server sent it
     */
    public record Notification(long sequence, String collapseID, Object payload, Instant time, Map<String, Object> json) {
        private static List<Notification> all(Object array, String time) {
            return Json.<Object>list(array).stream().map(Json::map).map(each -> new Notification(
                Json.number(each.get("sequence")), (String) each.get("collapseID"), each.get("payload"),
                Instant.parse(each.get(time).toString()), each)).toList();
        }
    }

    /**
     * What became of a push on its device, once APNs had delivered it.
     *
     * @param sequence the number of the push's record
     * @param clock when it happened, by the scenario's clock
     * @param state {@code shown}, {@code woke}, {@code heldByBudget}, {@code dropped}, {@code ignored}, {@code replaced},
     *     {@code opened} or {@code dismissed}
     * @param why what happened and why, in a sentence
     * @param json the object as the server sent it
     */
    public record HistoryEntry(long sequence, Instant clock, String state, String why, Map<String, Object> json) {
        private static HistoryEntry of(Map<String, Object> json) {
            return new HistoryEntry(Json.number(json.get("sequence")), Instant.parse(json.get("clock").toString()),
                (String) json.get("state"), (String) json.get("why"), json);
        }
    }

    private final Admin admin;
    /** Or its token. */
    private volatile String name;

    Device(Admin admin, String name) {
        this.admin = admin;
        this.name = name;
    }

    /** Connects it; what is stored for it is delivered. */
    public void online() { change(Map.of("online", true)); }

    /** Disconnects it; pushes are stored for it. */
    public void offline() { change(Map.of("online", false)); }

    /** Removes the app: pushes are answered with 410 Unregistered from now on. */
    public void uninstall() { change(Map.of("registered", false)); }

    /**
     * Changes the state of its apps, on which it depends what a push does: {@code Map.of("state", "forceQuit")}. States are
     * {@code background}, {@code foreground}, {@code notRunning}, {@code forceQuit} and {@code neverLaunched};
     * {@code backgroundRefresh} and {@code presentsInForeground} are true or false. What is not given stays.
     */
    public void app(Map<String, ?> change) { change(Map.of("app", change)); }

    /**
     * Changes the state of one app, by its bundle id. It has a state of its own from then on, which {@link #app(Map)} leaves
     * as it is.
     */
    public void app(Map<String, ?> change, String topic) { change(Map.of("apps", Map.of(topic, change))); }

    /** Changes what the user allows: everything, or nothing. */
    public void notifications(boolean allowed) { change(Map.of("notifications", allowed)); }

    /**
     * Changes what the user allows: {@code authorization}, which is {@code authorized}, {@code provisional},
     * {@code denied} or {@code notDetermined}; {@code alert}, {@code badge} and {@code sound}, which are true or false. What
     * is not given stays.
     */
    public void notifications(Map<String, ?> allowed) { change(Map.of("notifications", allowed)); }

    /**
     * Allows each app so many pushes of a kind per period: {@code budget("background", 3, "1h")}. Kinds are
     * {@code background}, {@code pushToStart}, {@code liveActivityPriority10} and {@code widgets}. A push beyond the
     * budget is delivered to the device, which holds or drops it.
     */
    public void budget(String kind, long allowed, String per) {
        change(Map.of("budgets", Map.of(kind, Map.of("allowed", allowed, "per", per))));
    }

    /** Allows each app so many pushes of a kind per period. */
    public void budget(String kind, long allowed, Duration per) { budget(kind, allowed, MockAPNs.duration(per)); }

    /**
     * Changes what kind of device it is, on which it depends what a push does: {@code iOS}, {@code iPadOS}, {@code macOS},
     * {@code watchOS}, {@code tvOS} or {@code visionOS}.
     */
    public void platform(String platform) { change(Map.of("platform", platform)); }

    /**
     * Has it save power, {@code saving}, or no longer, {@code normal}. While it saves power, pushes of priority 5 and 1 are
     * stored. They are delivered when it no longer does.
     */
    public void power(String power) { change(Map.of("power", power)); }

    /**
     * Gives it a new token, as a new phone has it, and returns that. Pushes to the old one are answered with 410
     * Unregistered from now on.
     */
    public String renewToken() {
        var renewed = admin.call("POST", path() + "/token", null);
        var token = (String) renewed.get("token");
        if (!name.equals(renewed.get("name"))) name = token;
        return token;
    }

    /** Starts a Live Activity on a broadcast channel, given by name or id. */
    public void subscribe(String channel) { change(Map.of("subscribe", Map.of("channel", channel))); }

    /** Starts a Live Activity with a name on a broadcast channel; {@link #endActivity} can end it. */
    public void subscribe(String channel, String activity) {
        change(Map.of("subscribe", Map.of("name", activity, "channel", channel)));
    }

    /** Dismisses the Live Activities on a broadcast channel, as a user does. */
    public void unsubscribe(String channel) { change(Map.of("unsubscribe", channel)); }

    /** Starts a Live Activity of the device's first app, as the app does. */
    public void startActivity(String activity) { change(Map.of("startActivity", Map.of("name", activity))); }

    /** Ends the Live Activity of that name or update token, as the app does. */
    public void endActivity(String activity) { change(Map.of("endActivity", activity)); }

    /** Takes the Live Activity of that name or update token off the screen, as a user does. */
    public void dismissActivity(String activity) { change(Map.of("dismissActivity", activity)); }

    /** Changes {@code online}, {@code registered}, {@code power}, {@code platform} and so on: JSON, or a Map. */
    public void change(Object changes) { admin.call("PATCH", path(), changes); }

    /** Opens a notification, as a user does. */
    public void open(Notification notification) { respond(notification, Map.of()); }

    /** Chooses an action of a notification, by its id, as a user does. */
    public void open(Notification notification, String action) { respond(notification, Map.of("action", action)); }

    /** Chooses an action that asks for a text, and types that. */
    public void open(Notification notification, String action, String text) {
        respond(notification, Map.of("action", action, "text", text));
    }

    private void respond(Notification notification, Map<String, String> response) {
        admin.post(path() + "/displayed/" + notification.sequence() + "/open", response);
    }

    /** Takes a notification off the screen, as a user does. */
    public void dismiss(Notification notification) {
        admin.call("DELETE", path() + "/displayed/" + notification.sequence(), null);
    }

    /** Deletes it, and what is stored for it. */
    public void delete() { admin.call("DELETE", path(), null); }

    /** The notifications that it shows, newest last. */
    public List<Notification> displayed() { return Notification.all(json().get("displayed"), "displayedAt"); }

    /** The notifications that wait for it, oldest first. */
    public List<Notification> stored() { return Notification.all(json().get("stored"), "expiresAt"); }

    /** What became of the pushes that reached it, and why, newest last. */
    public List<HistoryEntry> history() {
        return Json.<Object>list(json().get("history")).stream().map(Json::map).map(HistoryEntry::of).toList();
    }

    /** The Live Activities on its screen, newest last, as the server sent them. */
    public List<Map<String, Object>> activities() { return Json.list(json().get("activities")); }

    /** Waits 5 s for so many Live Activities of any app. */
    public List<Map<String, Object>> waitForActivities(int count) {
        return waitForActivities(count, null, MockAPNs.TIMEOUT);
    }

    /**
     * Waits until it has at least {@code count} Live Activities that have not ended, and returns all of these, as the server
     * sent them. Each has {@code token}, to which its updates go.
     *
     * @param topic the bundle id of their app, or null
     * @throws AssertionError when the time is over
     */
    public List<Map<String, Object>> waitForActivities(int count, String topic, Duration timeout) {
        var question = new LinkedHashMap<String, Object>(Map.of("count", count, "timeout", MockAPNs.duration(timeout)));
        if (topic != null) question.put("topic", topic);
        var answer = admin.await(path() + "/activities/wait", question);
        if (answer.status() >= 400 && answer.status() != 408) throw Admin.error(answer);
        List<Map<String, Object>> activities = Json.list(Json.map(answer.body()).get("activities"));
        if (answer.status() < 400) return activities;
        var expected = counted(count) + " of " + name + (topic == null ? "" : " with topic " + topic);
        throw new AssertionError("Not enough Live Activities within " + MockAPNs.seconds(timeout) + ".\n  expected  at least "
            + Report.line(expected) + ", not ended\n  seen      " + counted(activities.size()) + Report.whyNone(admin));
    }

    private static String counted(int activities) {
        return activities == 1 ? "1 Live Activity" : activities + " Live Activities";
    }

    /** The number on the app's icon. */
    public long badge() { return Json.number(json().get("badge")); }

    /** The number of pushes that it has received. */
    public long received() { return Json.number(json().get("received")); }

    /** The device token. */
    public String token() { return (String) json().get("token"); }

    /**
     * Where to push the start of a Live Activity. Null if Live Activities have no tokens of their own: all of their pushes go
     * to {@link #token} then.
     *
     * @throws MockAPNsException if it has several apps; {@link #json} has a token for each
     */
    public String pushToStartToken() {
        var token = json().get("pushToStartToken");
        if (token instanceof Map<?, ?>) throw new MockAPNsException(name + " has a push-to-start token for each app; see json().");
        return (String) token;
    }

    /** Everything that the server knows of it. */
    public Map<String, Object> json() { return admin.get(path()); }

    private String path() { return "/devices/" + Admin.quoted(name); }

    @Override
    public String toString() { return Report.line(name); }
}
