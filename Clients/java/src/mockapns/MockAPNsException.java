package mockapns;

/** Something is wrong with mock-apns, or with the way it is used; or the server rejected a call. */
public final class MockAPNsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;
    private final String pointer;

    MockAPNsException(String message) { this(message, 0, "", ""); }

    MockAPNsException(String message, int status, String code, String pointer) {
        super(Report.block(message));
        this.status = status;
        this.code = code;
        this.pointer = pointer;
    }

    /** The status of the server's answer; 0 if there was none. */
    public int status() { return status; }

    /** The server's word for the error, for programs, such as {@code badValue}; can be empty. */
    public String code() { return code; }

    /** A JSON Pointer to what is wrong in what was sent; can be empty. */
    public String pointer() { return pointer; }
}
