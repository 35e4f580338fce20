package mockapns;

/**
 * A likely mistake in payloads or by the provider; there is one finding for each rule and pointer.
 *
 * @param rule the name of the rule, as in {@code badge-type}
 * @param severity {@code error}, {@code warning} or {@code note}
 * @param pointer a JSON Pointer to the value in the payload; empty if it is about all of it, or about the provider
 * @param message what is wrong, how to fix it, and what happens if you don't
 * @param count the number of pushes that have it
 * @param sequence the push that the message is about, the first of the worst; null if no push is to blame
 */
public record Finding(String rule, String severity, String pointer, String message, long count, Long sequence) {
    static Finding of(Object object) {
        var json = Json.map(object);
        return new Finding((String) json.get("rule"), (String) json.get("severity"), (String) json.get("pointer"),
            (String) json.get("message"), Json.number(json.get("count")), Json.number(json.get("sequence")));
    }
}
