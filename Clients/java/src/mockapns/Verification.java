package mockapns;

import java.util.List;
import java.util.Map;

/**
 * What became of expectations.
 *
 * @param results the result of each: {@code name}, {@code passed}, {@code expected}, {@code seen}, {@code nearMisses}
 * @param unusedRules the rules that never applied
 * @param report all of it as text
 */
public record Verification(List<Map<String, Object>> results, List<String> unusedRules, String report) {}
