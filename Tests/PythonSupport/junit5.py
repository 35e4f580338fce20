"""JUnit 5 as Debian has it: the package junit5 and what it depends on."""

JARS = ":".join(f"/usr/share/java/{name}.jar" for name in (
    "junit-platform-console", "junit-platform-launcher", "junit-platform-engine", "junit-platform-commons",
    "junit-platform-reporting", "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "opentest4j",
    "apiguardian-api", "picocli", "opentest4j-reporting-events", "opentest4j-reporting-schema"))


def javac(folder, *words):
    """Compiles into a folder."""
    return ["javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-cp", JARS, "-d", str(folder), *map(str, words)]


def junit(folder, *words):
    """Runs tests that were compiled into a folder."""
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{JARS}:{folder}",
            "org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--disable-ansi-colors", *words]
