package mockapns;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How a container publishes the ports of sessions, written as for {@code docker run -p}: {@code 12300-12399:2300-2399}, or
 * several with commas between.
 *
 * @param outer the published port of each port
 */
record PublishedPorts(SortedMap<Integer, Integer> outer) {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?:(\\d{1,5})(?:-(\\d{1,5}))?");

    static PublishedPorts of(String text) {
        var ports = new TreeMap<Integer, Integer>();
        for (var part : text.split(",", -1)) {
            var found = RANGE.matcher(part);
            var count = 0;
            if (found.matches()) {
                int outer = Integer.parseInt(found.group(1)), inner = Integer.parseInt(found.group(3));
                var same = found.group(4) == null ? 1 : Integer.parseInt(found.group(4)) - inner + 1;
                count = found.group(2) == null ? 1 : Integer.parseInt(found.group(2)) - outer + 1;
                if (count != same) count = 0;
                for (var index = 0; index < count; index++) ports.put(inner + index, outer + index);
            }
            if (count <= 0) {
                throw new MockAPNsException(
                    text + " is not a mapping of ports as a container has it, such as 12300-12399:2300-2399.");
            }
        }
        return new PublishedPorts(ports);
    }

    int published(int port) {
        var found = outer.get(port);
        if (found != null) return found;
        throw new MockAPNsException("The session has port " + port + ", which is not published; start the server with"
            + " --session-ports " + outer.firstKey() + "-" + outer.lastKey() + ".");
    }
}
