// Embeds the page and the OpenAPI document. `#embed` costs no time, while the same array in Swift takes half a minute to compile.

#include "CMockPage.h"

// Clang has #embed in every mode since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "../MockAPNSAdmin/Page/index.html"
};
static const uint8_t app_css[] = {
#embed "app.css"
};
static const uint8_t app_css_gz[] = {
#embed "app.css.gz"
};
static const uint8_t app_js[] = {
#embed "app.js"
};
static const uint8_t app_js_gz[] = {
#embed "app.js.gz"
};

static const uint8_t openapi_json[] = {
#embed "../MockAPNSAdmin/openapi.json"
};

static const struct {
    const uint8_t *bytes;
    size_t length;
} files[] = {
    {index_html, sizeof index_html},
    {app_css, sizeof app_css},
    {app_css_gz, sizeof app_css_gz},
    {app_js, sizeof app_js},
    {app_js_gz, sizeof app_js_gz},
    {openapi_json, sizeof openapi_json},
};

size_t mock_page_length(int32_t file) {
    return file >= 0 && (size_t)file < sizeof files / sizeof *files ? files[file].length : 0;
}

uint8_t mock_page_byte(int32_t file, size_t index) {
    return index < mock_page_length(file) ? files[file].bytes[index] : 0;
}
