package mockapns;

import java.util.regex.Pattern;

/** How a container publishes the ports of sessions, written as for {@code docker run -p}: {@code 12300-12399:2300-2399}. */
record PublishedPorts(int outer, int inner, int count) {
    static PublishedPorts of(String text) {
        var found = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?:(\\d{1,5})(?:-(\\d{1,5}))?").matcher(text);
        if (found.matches()) {
            int outer = Integer.parseInt(found.group(1)), inner = Integer.parseInt(found.group(3));
            var count = found.group(2) == null ? 1 : Integer.parseInt(found.group(2)) - outer + 1;
            var same = found.group(4) == null ? 1 : Integer.parseInt(found.group(4)) - inner + 1;
            if (count == same && count > 0) return new PublishedPorts(outer, inner, count);
        }
        throw new MockAPNsException(text + " is not a mapping of ports as a container has it, such as 12300-12399:2300-2399.");
    }

    int published(int port) {
        if (port >= inner && port < inner + count) return port - inner + outer;
        throw new MockAPNsException("The session has port " + port + ", which is not published; start the server with"
            + " --session-ports " + inner + "-" + (inner + count - 1) + ".");
    }
}
