// Embeds the probes: see CMockScenarios.c.

#include "CMockProbes.h"

// Clang has #embed in every mode since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t facts[] = {
#embed "../MockAPNSProbe/Data/facts.json"
};
static const uint8_t scenario[] = {
#embed "../MockAPNSProbe/Data/scenario.json"
};
static const uint8_t checks[] = {
#embed "../MockAPNSProbe/Data/checks.json"
};
static const uint8_t tokens[] = {
#embed "../MockAPNSProbe/Data/tokens.json"
};
static const uint8_t headers[] = {
#embed "../MockAPNSProbe/Data/headers.json"
};
static const uint8_t payload[] = {
#embed "../MockAPNSProbe/Data/payload.json"
};
static const uint8_t connection[] = {
#embed "../MockAPNSProbe/Data/connection.json"
};
static const uint8_t limits[] = {
#embed "../MockAPNSProbe/Data/limits.json"
};
static const uint8_t shutdown[] = {
#embed "../MockAPNSProbe/Data/shutdown.json"
};
static const uint8_t broadcast[] = {
#embed "../MockAPNSProbe/Data/broadcast.json"
};

static const struct {
    const uint8_t *bytes;
    size_t length;
} files[] = {
    {facts, sizeof facts},
    {scenario, sizeof scenario},
    {checks, sizeof checks},
    {tokens, sizeof tokens},
    {headers, sizeof headers},
    {payload, sizeof payload},
    {connection, sizeof connection},
    {limits, sizeof limits},
    {shutdown, sizeof shutdown},
    {broadcast, sizeof broadcast},
};

int32_t mock_probes_count(void) { return sizeof files / sizeof *files; }

size_t mock_probes_length(int32_t file) { return file >= 0 && file < mock_probes_count() ? files[file].length : 0; }

uint8_t mock_probes_byte(int32_t file, size_t index) {
    return index < mock_probes_length(file) ? files[file].bytes[index] : 0;
}
