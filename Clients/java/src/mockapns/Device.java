package mockapns;

import java.time.Instant;
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

    private final Admin admin;
    private final String name;

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

    /** Starts a Live Activity on a broadcast channel, given by name or id. */
    public void subscribe(String channel) { change(Map.of("subscribe", Map.of("channel", channel))); }

    /** Starts a Live Activity with a name on a broadcast channel; {@link #endActivity} can end it. */
    public void subscribe(String channel, String activity) {
        change(Map.of("subscribe", Map.of("name", activity, "channel", channel)));
    }

    /** Dismisses the Live Activities on a broadcast channel, as a user does. */
    public void unsubscribe(String channel) { change(Map.of("unsubscribe", channel)); }

    /** Ends the Live Activity of that name, as the app does. */
    public void endActivity(String activity) { change(Map.of("endActivity", activity)); }

    /** Changes {@code online}, {@code registered}, {@code notifications} or {@code power}: JSON, or a Map. */
    public void change(Object changes) { admin.call("PATCH", path(), changes); }

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

    /** The Live Activities on its screen, newest last, as the server sent them. */
    public List<Map<String, Object>> activities() { return Json.list(json().get("activities")); }

    /** The number on the app's icon. */
    public long badge() { return Json.number(json().get("badge")); }

    /** The number of pushes that it has received. */
    public long received() { return Json.number(json().get("received")); }

    /** The device token. */
    public String token() { return (String) json().get("token"); }

    /** Everything that the server knows of it. */
    public Map<String, Object> json() { return admin.get(path()); }

    private String path() { return "/devices/" + Admin.quoted(name); }

    @Override
    public String toString() { return Report.line(name); }
}
