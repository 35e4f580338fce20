package mockapns;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The ways in which what runs the tests can end; {@code Tests/EndToEnd/clients/test_java.py} runs each by its name. */
@ExtendWith(MockAPNsExtension.class)
class Endings {
    @Test
    void normally(MockAPNs apns) {
        begin(apns);
    }

    @Test
    void byExit(MockAPNs apns) {
        begin(apns);
        System.exit(3);
    }

    @Test
    void byHalt(MockAPNs apns) {
        begin(apns);
        Runtime.getRuntime().halt(4);
    }

    /** JUnit catches every other error. */
    @Test
    void byAnUncaughtError(MockAPNs apns) {
        begin(apns);
        throw new OutOfMemoryError("as if");
    }

    @Test
    @Timeout(value = 1, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void byATimeout(MockAPNs apns) {
        begin(apns);
        while (true) sleep();
    }

    /** It waits for kill -9. */
    @Test
    void bySignal(MockAPNs apns) {
        begin(apns);
        while (true) sleep();
    }

    /** Makes files in the folder of our server, and in another for a server that is running already. */
    private static void begin(MockAPNs apns) {
        var other = MockAPNs.at(apns.adminURL().toString());
        System.out.println("admin " + apns.adminURL() + " " + apns.ca() + " " + other.ca());
        System.out.flush();
    }

    private static void sleep() {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException error) {
            return;
        }
    }
}
