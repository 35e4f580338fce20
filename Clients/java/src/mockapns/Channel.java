package mockapns;

import java.util.Map;

/**
 * A broadcast channel as it was when asked for, with the figures that Apple's console shows.
 *
 * @param id the id, as in {@code apns-channel-id}
 * @param name its name, or null
 * @param topic the bundle id of its app
 * @param storage which pushes are stored for devices that are offline: {@code none} or {@code mostRecent}
 * @param published pushes published to it
 * @param delivered how many times a push reached a device
 * @param subscribers Live Activities that listen to it
 * @param stored the sequence of the push that is stored for devices that are offline, or null
 * @param json the object as the server sent it
 */
public record Channel(String id, String name, String topic, String storage, long published, long delivered,
    long subscribers, Long stored, Map<String, Object> json) {

    static Channel of(Object object) {
        var json = Json.map(object);
        return new Channel((String) json.get("channelID"), (String) json.get("name"), (String) json.get("topic"),
            (String) json.get("storage"), Json.number(json.get("published")), Json.number(json.get("delivered")),
            Json.number(json.get("subscribers")), Json.number(json.get("stored")), json);
    }
}
