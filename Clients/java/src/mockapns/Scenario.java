package mockapns;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the server of a test plays, on a test method or a class; the nearest one counts. What it expects is judged after the
 * test's method: on a method always, on a class if the test asks for {@link MockAPNs}, so that other tests can be beside it.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Scenario {
    /**
     * JSON, which begins with a brace; or the path of a file, from the current folder or as a resource beside the test's
     * class; or the name of a built-in scenario.
     */
    String value();
}
