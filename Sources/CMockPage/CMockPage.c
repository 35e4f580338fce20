// Embeds the page. `#embed` costs no time, while the same array in Swift takes half a minute to compile.

#include "CMockPage.h"

// Clang has #embed in every mode since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "../MockAPNSAdmin/Page/index.html"
};
static const uint8_t app_css[] = {
#embed "../MockAPNSAdmin/Page/app.css"
};
static const uint8_t app_js[] = {
#embed "../MockAPNSAdmin/Page/app.js"
};
static const uint8_t base_js[] = {
#embed "../MockAPNSAdmin/Page/base.js"
};
static const uint8_t views_css[] = {
#embed "../MockAPNSAdmin/Page/views.css"
};
static const uint8_t base_api_js[] = {
#embed "../MockAPNSAdmin/Page/base/api.js"
};
static const uint8_t base_dialogs_js[] = {
#embed "../MockAPNSAdmin/Page/base/dialogs.js"
};
static const uint8_t base_dom_js[] = {
#embed "../MockAPNSAdmin/Page/base/dom.js"
};
static const uint8_t base_keys_js[] = {
#embed "../MockAPNSAdmin/Page/base/keys.js"
};
static const uint8_t base_router_js[] = {
#embed "../MockAPNSAdmin/Page/base/router.js"
};
static const uint8_t base_store_js[] = {
#embed "../MockAPNSAdmin/Page/base/store.js"
};
static const uint8_t base_stream_js[] = {
#embed "../MockAPNSAdmin/Page/base/stream.js"
};
static const uint8_t base_text_js[] = {
#embed "../MockAPNSAdmin/Page/base/text.js"
};
static const uint8_t parts_clock_js[] = {
#embed "../MockAPNSAdmin/Page/parts/clock.js"
};
static const uint8_t parts_copies_js[] = {
#embed "../MockAPNSAdmin/Page/parts/copies.js"
};
static const uint8_t parts_detail_js[] = {
#embed "../MockAPNSAdmin/Page/parts/detail.js"
};
static const uint8_t parts_empty_js[] = {
#embed "../MockAPNSAdmin/Page/parts/empty.js"
};
static const uint8_t parts_faults_js[] = {
#embed "../MockAPNSAdmin/Page/parts/faults.js"
};
static const uint8_t parts_filters_js[] = {
#embed "../MockAPNSAdmin/Page/parts/filters.js"
};
static const uint8_t parts_frame_js[] = {
#embed "../MockAPNSAdmin/Page/parts/frame.js"
};
static const uint8_t parts_groups_js[] = {
#embed "../MockAPNSAdmin/Page/parts/groups.js"
};
static const uint8_t parts_json_js[] = {
#embed "../MockAPNSAdmin/Page/parts/json.js"
};
static const uint8_t parts_picture_js[] = {
#embed "../MockAPNSAdmin/Page/parts/picture.js"
};
static const uint8_t parts_query_js[] = {
#embed "../MockAPNSAdmin/Page/parts/query.js"
};
static const uint8_t parts_rules_js[] = {
#embed "../MockAPNSAdmin/Page/parts/rules.js"
};
static const uint8_t parts_screens_js[] = {
#embed "../MockAPNSAdmin/Page/parts/screens.js"
};
static const uint8_t parts_status_js[] = {
#embed "../MockAPNSAdmin/Page/parts/status.js"
};
static const uint8_t parts_table_js[] = {
#embed "../MockAPNSAdmin/Page/parts/table.js"
};
static const uint8_t parts_tabs_js[] = {
#embed "../MockAPNSAdmin/Page/parts/tabs.js"
};
static const uint8_t parts_why_js[] = {
#embed "../MockAPNSAdmin/Page/parts/why.js"
};
static const uint8_t views_device_js[] = {
#embed "../MockAPNSAdmin/Page/views/device.js"
};
static const uint8_t views_devices_js[] = {
#embed "../MockAPNSAdmin/Page/views/devices.js"
};
static const uint8_t views_expect_js[] = {
#embed "../MockAPNSAdmin/Page/views/expect.js"
};
static const uint8_t views_faults_js[] = {
#embed "../MockAPNSAdmin/Page/views/faults.js"
};
static const uint8_t views_push_js[] = {
#embed "../MockAPNSAdmin/Page/views/push.js"
};
static const uint8_t views_pushes_js[] = {
#embed "../MockAPNSAdmin/Page/views/pushes.js"
};
static const uint8_t views_reasons_js[] = {
#embed "../MockAPNSAdmin/Page/views/reasons.js"
};
static const uint8_t views_scenario_js[] = {
#embed "../MockAPNSAdmin/Page/views/scenario.js"
};
static const uint8_t views_send_js[] = {
#embed "../MockAPNSAdmin/Page/views/send.js"
};

static const struct {
    const uint8_t *bytes;
    size_t length;
} files[] = {
    {index_html, sizeof index_html},
    {app_css, sizeof app_css},
    {app_js, sizeof app_js},
    {base_js, sizeof base_js},
    {views_css, sizeof views_css},
    {base_api_js, sizeof base_api_js},
    {base_dialogs_js, sizeof base_dialogs_js},
    {base_dom_js, sizeof base_dom_js},
    {base_keys_js, sizeof base_keys_js},
    {base_router_js, sizeof base_router_js},
    {base_store_js, sizeof base_store_js},
    {base_stream_js, sizeof base_stream_js},
    {base_text_js, sizeof base_text_js},
    {parts_clock_js, sizeof parts_clock_js},
    {parts_copies_js, sizeof parts_copies_js},
    {parts_detail_js, sizeof parts_detail_js},
    {parts_empty_js, sizeof parts_empty_js},
    {parts_faults_js, sizeof parts_faults_js},
    {parts_filters_js, sizeof parts_filters_js},
    {parts_frame_js, sizeof parts_frame_js},
    {parts_groups_js, sizeof parts_groups_js},
    {parts_json_js, sizeof parts_json_js},
    {parts_picture_js, sizeof parts_picture_js},
    {parts_query_js, sizeof parts_query_js},
    {parts_rules_js, sizeof parts_rules_js},
    {parts_screens_js, sizeof parts_screens_js},
    {parts_status_js, sizeof parts_status_js},
    {parts_table_js, sizeof parts_table_js},
    {parts_tabs_js, sizeof parts_tabs_js},
    {parts_why_js, sizeof parts_why_js},
    {views_device_js, sizeof views_device_js},
    {views_devices_js, sizeof views_devices_js},
    {views_expect_js, sizeof views_expect_js},
    {views_faults_js, sizeof views_faults_js},
    {views_push_js, sizeof views_push_js},
    {views_pushes_js, sizeof views_pushes_js},
    {views_reasons_js, sizeof views_reasons_js},
    {views_scenario_js, sizeof views_scenario_js},
    {views_send_js, sizeof views_send_js},
};

size_t mock_page_length(int32_t file) {
    return file >= 0 && (size_t)file < sizeof files / sizeof *files ? files[file].length : 0;
}

uint8_t mock_page_byte(int32_t file, size_t index) {
    return index < mock_page_length(file) ? files[file].bytes[index] : 0;
}
