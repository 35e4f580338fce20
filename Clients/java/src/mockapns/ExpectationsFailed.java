package mockapns;

/** Expectations do not hold. The message is the report that {@code mock-apns exec} prints. */
public final class ExpectationsFailed extends AssertionError {
    private static final long serialVersionUID = 1;

    private final transient Verification verification;

    ExpectationsFailed(String report, Verification verification) {
        super(report);
        this.verification = verification;
    }

    /** Each result, for programs. */
    public Verification verification() { return verification; }
}
