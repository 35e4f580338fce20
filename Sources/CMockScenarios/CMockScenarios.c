// Embeds the scenarios: `#embed` costs no time, where an array written as Swift takes half a minute to compile.

#include "CMockScenarios.h"

// Clang has #embed in every mode since version 19.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t accepted_after_uninstall[] = {
#embed "../../scenarios/accepted-after-uninstall.json"
};
static const uint8_t activity_over_after_8_hours[] = {
#embed "../../scenarios/activity-over-after-8-hours.json"
};
static const uint8_t activity_start_over_budget[] = {
#embed "../../scenarios/activity-start-over-budget.json"
};
static const uint8_t activity_started_on_a_channel[] = {
#embed "../../scenarios/activity-started-on-a-channel.json"
};
static const uint8_t activity_started_twice[] = {
#embed "../../scenarios/activity-started-twice.json"
};
static const uint8_t activity_token_died[] = {
#embed "../../scenarios/activity-token-died.json"
};
static const uint8_t answer_in_drops[] = {
#embed "../../scenarios/answer-in-drops.json"
};
static const uint8_t answer_lost[] = {
#embed "../../scenarios/answer-lost.json"
};
static const uint8_t answers_stop_pings_work[] = {
#embed "../../scenarios/answers-stop-pings-work.json"
};
static const uint8_t apns_id_missing[] = {
#embed "../../scenarios/apns-id-missing.json"
};
static const uint8_t apns_id_other_case[] = {
#embed "../../scenarios/apns-id-other-case.json"
};
static const uint8_t app_force_quit[] = {
#embed "../../scenarios/app-force-quit.json"
};
static const uint8_t app_in_foreground[] = {
#embed "../../scenarios/app-in-foreground.json"
};
static const uint8_t background_flood[] = {
#embed "../../scenarios/background-flood.json"
};
static const uint8_t background_over_budget[] = {
#embed "../../scenarios/background-over-budget.json"
};
static const uint8_t bad_tokens_end_the_connection[] = {
#embed "../../scenarios/bad-tokens-end-the-connection.json"
};
static const uint8_t broadcast_disabled_by_build[] = {
#embed "../../scenarios/broadcast-disabled-by-build.json"
};
static const uint8_t broadcast_ends_the_activity[] = {
#embed "../../scenarios/broadcast-ends-the-activity.json"
};
static const uint8_t broadcast_late_subscriber[] = {
#embed "../../scenarios/broadcast-late-subscriber.json"
};
static const uint8_t broadcast_throttled[] = {
#embed "../../scenarios/broadcast-throttled.json"
};
static const uint8_t broadcast_to_offline_device[] = {
#embed "../../scenarios/broadcast-to-offline-device.json"
};
static const uint8_t broadcast_token_expired[] = {
#embed "../../scenarios/broadcast-token-expired.json"
};
static const uint8_t brown_out[] = {
#embed "../../scenarios/brown-out.json"
};
static const uint8_t certificate_of_other_environment[] = {
#embed "../../scenarios/certificate-of-other-environment.json"
};
static const uint8_t channel_deleted_under_way[] = {
#embed "../../scenarios/channel-deleted-under-way.json"
};
static const uint8_t channel_limit[] = {
#embed "../../scenarios/channel-limit.json"
};
static const uint8_t channel_made_answer_lost[] = {
#embed "../../scenarios/channel-made-answer-lost.json"
};
static const uint8_t channel_management_down[] = {
#embed "../../scenarios/channel-management-down.json"
};
static const uint8_t client_certificate_expired[] = {
#embed "../../scenarios/client-certificate-expired.json"
};
static const uint8_t client_certificate_of_unknown_authority[] = {
#embed "../../scenarios/client-certificate-of-unknown-authority.json"
};
static const uint8_t client_certificate_revoked[] = {
#embed "../../scenarios/client-certificate-revoked.json"
};
static const uint8_t closed_after_idle[] = {
#embed "../../scenarios/closed-after-idle.json"
};
static const uint8_t collapse_offline[] = {
#embed "../../scenarios/collapse-offline.json"
};
static const uint8_t collapse_online[] = {
#embed "../../scenarios/collapse-online.json"
};
static const uint8_t environment_mismatch[] = {
#embed "../../scenarios/environment-mismatch.json"
};
static const uint8_t error_body_split[] = {
#embed "../../scenarios/error-body-split.json"
};
static const uint8_t error_body_then_empty_frame[] = {
#embed "../../scenarios/error-body-then-empty-frame.json"
};
static const uint8_t error_not_json[] = {
#embed "../../scenarios/error-not-json.json"
};
static const uint8_t error_without_body[] = {
#embed "../../scenarios/error-without-body.json"
};
static const uint8_t expiration_zero_offline[] = {
#embed "../../scenarios/expiration-zero-offline.json"
};
static const uint8_t expired_token_for_ever[] = {
#embed "../../scenarios/expired-token-for-ever.json"
};
static const uint8_t expired_token_wedges_connection[] = {
#embed "../../scenarios/expired-token-wedges-connection.json"
};
static const uint8_t expires_in_storage[] = {
#embed "../../scenarios/expires-in-storage.json"
};
static const uint8_t extension_too_slow[] = {
#embed "../../scenarios/extension-too-slow.json"
};
static const uint8_t fails_twice_then_works[] = {
#embed "../../scenarios/fails-twice-then-works.json"
};
static const uint8_t goaway_instead_of_settings[] = {
#embed "../../scenarios/goaway-instead-of-settings.json"
};
static const uint8_t goaway_mid_flight[] = {
#embed "../../scenarios/goaway-mid-flight.json"
};
static const uint8_t goaway_plain_text[] = {
#embed "../../scenarios/goaway-plain-text.json"
};
static const uint8_t goaway_socket_left_open[] = {
#embed "../../scenarios/goaway-socket-left-open.json"
};
static const uint8_t goaway_twice[] = {
#embed "../../scenarios/goaway-twice.json"
};
static const uint8_t goes_silent[] = {
#embed "../../scenarios/goes-silent.json"
};
static const uint8_t informational_first[] = {
#embed "../../scenarios/informational-first.json"
};
static const uint8_t internal_error_until_reconnect[] = {
#embed "../../scenarios/internal-error-until-reconnect.json"
};
static const uint8_t key_revoked_in_mid_run[] = {
#embed "../../scenarios/key-revoked-in-mid-run.json"
};
static const uint8_t language_without_strings[] = {
#embed "../../scenarios/language-without-strings.json"
};
static const uint8_t limit_falls_in_flight[] = {
#embed "../../scenarios/limit-falls-in-flight.json"
};
static const uint8_t limit_zero_for_a_while[] = {
#embed "../../scenarios/limit-zero-for-a-while.json"
};
static const uint8_t list_in_many_frames[] = {
#embed "../../scenarios/list-in-many-frames.json"
};
static const uint8_t new_phone_new_token[] = {
#embed "../../scenarios/new-phone-new-token.json"
};
static const uint8_t new_reasons[] = {
#embed "../../scenarios/new-reasons.json"
};
static const uint8_t newest_wins[] = {
#embed "../../scenarios/newest-wins.json"
};
static const uint8_t notifications_disabled[] = {
#embed "../../scenarios/notifications-disabled.json"
};
static const uint8_t offline_then_online[] = {
#embed "../../scenarios/offline-then-online.json"
};
static const uint8_t one_stream_at_start[] = {
#embed "../../scenarios/one-stream-at-start.json"
};
static const uint8_t one_token_for_all[] = {
#embed "../../scenarios/one-token-for-all.json"
};
static const uint8_t outage_window[] = {
#embed "../../scenarios/outage-window.json"
};
static const uint8_t payload_too_large[] = {
#embed "../../scenarios/payload-too-large.json"
};
static const uint8_t permission_denied[] = {
#embed "../../scenarios/permission-denied.json"
};
static const uint8_t pings_not_acknowledged[] = {
#embed "../../scenarios/pings-not-acknowledged.json"
};
static const uint8_t power_saving[] = {
#embed "../../scenarios/power-saving.json"
};
static const uint8_t provisional_is_quiet[] = {
#embed "../../scenarios/provisional-is-quiet.json"
};
static const uint8_t refused_after_many_streams[] = {
#embed "../../scenarios/refused-after-many-streams.json"
};
static const uint8_t registered_again_after_410[] = {
#embed "../../scenarios/registered-again-after-410.json"
};
static const uint8_t reset_after_idle[] = {
#embed "../../scenarios/reset-after-idle.json"
};
static const uint8_t retry_after[] = {
#embed "../../scenarios/retry-after.json"
};
static const uint8_t rolling_restart[] = {
#embed "../../scenarios/rolling-restart.json"
};
static const uint8_t server_certificate_changed[] = {
#embed "../../scenarios/server-certificate-changed.json"
};
static const uint8_t server_certificate_not_to_be_trusted[] = {
#embed "../../scenarios/server-certificate-not-to-be-trusted.json"
};
static const uint8_t settings_flood[] = {
#embed "../../scenarios/settings-flood.json"
};
static const uint8_t silent_after_idle[] = {
#embed "../../scenarios/silent-after-idle.json"
};
static const uint8_t silent_from_the_start[] = {
#embed "../../scenarios/silent-from-the-start.json"
};
static const uint8_t slow_answer[] = {
#embed "../../scenarios/slow-answer.json"
};
static const uint8_t sporadic_invalid_token[] = {
#embed "../../scenarios/sporadic-invalid-token.json"
};
static const uint8_t stream_refused[] = {
#embed "../../scenarios/stream-refused.json"
};
static const uint8_t stream_refused_and_closed[] = {
#embed "../../scenarios/stream-refused-and-closed.json"
};
static const uint8_t subscribers_leave[] = {
#embed "../../scenarios/subscribers-leave.json"
};
static const uint8_t token_expired[] = {
#embed "../../scenarios/token-expired.json"
};
static const uint8_t token_rotated[] = {
#embed "../../scenarios/token-rotated.json"
};
static const uint8_t too_many_requests[] = {
#embed "../../scenarios/too-many-requests.json"
};
static const uint8_t too_many_token_updates[] = {
#embed "../../scenarios/too-many-token-updates.json"
};
static const uint8_t tour[] = {
#embed "../../scenarios/tour.json"
};
static const uint8_t trailers[] = {
#embed "../../scenarios/trailers.json"
};
static const uint8_t two_apps_one_client[] = {
#embed "../../scenarios/two-apps-one-client.json"
};
static const uint8_t two_teams[] = {
#embed "../../scenarios/two-teams.json"
};
static const uint8_t unknown_frame[] = {
#embed "../../scenarios/unknown-frame.json"
};
static const uint8_t unknown_reason[] = {
#embed "../../scenarios/unknown-reason.json"
};
static const uint8_t unregistered[] = {
#embed "../../scenarios/unregistered.json"
};
static const uint8_t which_reasons_remove_a_token[] = {
#embed "../../scenarios/which-reasons-remove-a-token.json"
};
static const uint8_t window_stall[] = {
#embed "../../scenarios/window-stall.json"
};

static const struct {
    const uint8_t *bytes;
    size_t length;
} files[] = {
    {accepted_after_uninstall, sizeof accepted_after_uninstall},
    {activity_over_after_8_hours, sizeof activity_over_after_8_hours},
    {activity_start_over_budget, sizeof activity_start_over_budget},
    {activity_started_on_a_channel, sizeof activity_started_on_a_channel},
    {activity_started_twice, sizeof activity_started_twice},
    {activity_token_died, sizeof activity_token_died},
    {answer_in_drops, sizeof answer_in_drops},
    {answer_lost, sizeof answer_lost},
    {answers_stop_pings_work, sizeof answers_stop_pings_work},
    {apns_id_missing, sizeof apns_id_missing},
    {apns_id_other_case, sizeof apns_id_other_case},
    {app_force_quit, sizeof app_force_quit},
    {app_in_foreground, sizeof app_in_foreground},
    {background_flood, sizeof background_flood},
    {background_over_budget, sizeof background_over_budget},
    {bad_tokens_end_the_connection, sizeof bad_tokens_end_the_connection},
    {broadcast_disabled_by_build, sizeof broadcast_disabled_by_build},
    {broadcast_ends_the_activity, sizeof broadcast_ends_the_activity},
    {broadcast_late_subscriber, sizeof broadcast_late_subscriber},
    {broadcast_throttled, sizeof broadcast_throttled},
    {broadcast_to_offline_device, sizeof broadcast_to_offline_device},
    {broadcast_token_expired, sizeof broadcast_token_expired},
    {brown_out, sizeof brown_out},
    {certificate_of_other_environment, sizeof certificate_of_other_environment},
    {channel_deleted_under_way, sizeof channel_deleted_under_way},
    {channel_limit, sizeof channel_limit},
    {channel_made_answer_lost, sizeof channel_made_answer_lost},
    {channel_management_down, sizeof channel_management_down},
    {client_certificate_expired, sizeof client_certificate_expired},
    {client_certificate_of_unknown_authority, sizeof client_certificate_of_unknown_authority},
    {client_certificate_revoked, sizeof client_certificate_revoked},
    {closed_after_idle, sizeof closed_after_idle},
    {collapse_offline, sizeof collapse_offline},
    {collapse_online, sizeof collapse_online},
    {environment_mismatch, sizeof environment_mismatch},
    {error_body_split, sizeof error_body_split},
    {error_body_then_empty_frame, sizeof error_body_then_empty_frame},
    {error_not_json, sizeof error_not_json},
    {error_without_body, sizeof error_without_body},
    {expiration_zero_offline, sizeof expiration_zero_offline},
    {expired_token_for_ever, sizeof expired_token_for_ever},
    {expired_token_wedges_connection, sizeof expired_token_wedges_connection},
    {expires_in_storage, sizeof expires_in_storage},
    {extension_too_slow, sizeof extension_too_slow},
    {fails_twice_then_works, sizeof fails_twice_then_works},
    {goaway_instead_of_settings, sizeof goaway_instead_of_settings},
    {goaway_mid_flight, sizeof goaway_mid_flight},
    {goaway_plain_text, sizeof goaway_plain_text},
    {goaway_socket_left_open, sizeof goaway_socket_left_open},
    {goaway_twice, sizeof goaway_twice},
    {goes_silent, sizeof goes_silent},
    {informational_first, sizeof informational_first},
    {internal_error_until_reconnect, sizeof internal_error_until_reconnect},
    {key_revoked_in_mid_run, sizeof key_revoked_in_mid_run},
    {language_without_strings, sizeof language_without_strings},
    {limit_falls_in_flight, sizeof limit_falls_in_flight},
    {limit_zero_for_a_while, sizeof limit_zero_for_a_while},
    {list_in_many_frames, sizeof list_in_many_frames},
    {new_phone_new_token, sizeof new_phone_new_token},
    {new_reasons, sizeof new_reasons},
    {newest_wins, sizeof newest_wins},
    {notifications_disabled, sizeof notifications_disabled},
    {offline_then_online, sizeof offline_then_online},
    {one_stream_at_start, sizeof one_stream_at_start},
    {one_token_for_all, sizeof one_token_for_all},
    {outage_window, sizeof outage_window},
    {payload_too_large, sizeof payload_too_large},
    {permission_denied, sizeof permission_denied},
    {pings_not_acknowledged, sizeof pings_not_acknowledged},
    {power_saving, sizeof power_saving},
    {provisional_is_quiet, sizeof provisional_is_quiet},
    {refused_after_many_streams, sizeof refused_after_many_streams},
    {registered_again_after_410, sizeof registered_again_after_410},
    {reset_after_idle, sizeof reset_after_idle},
    {retry_after, sizeof retry_after},
    {rolling_restart, sizeof rolling_restart},
    {server_certificate_changed, sizeof server_certificate_changed},
    {server_certificate_not_to_be_trusted, sizeof server_certificate_not_to_be_trusted},
    {settings_flood, sizeof settings_flood},
    {silent_after_idle, sizeof silent_after_idle},
    {silent_from_the_start, sizeof silent_from_the_start},
    {slow_answer, sizeof slow_answer},
    {sporadic_invalid_token, sizeof sporadic_invalid_token},
    {stream_refused, sizeof stream_refused},
    {stream_refused_and_closed, sizeof stream_refused_and_closed},
    {subscribers_leave, sizeof subscribers_leave},
    {token_expired, sizeof token_expired},
    {token_rotated, sizeof token_rotated},
    {too_many_requests, sizeof too_many_requests},
    {too_many_token_updates, sizeof too_many_token_updates},
    {tour, sizeof tour},
    {trailers, sizeof trailers},
    {two_apps_one_client, sizeof two_apps_one_client},
    {two_teams, sizeof two_teams},
    {unknown_frame, sizeof unknown_frame},
    {unknown_reason, sizeof unknown_reason},
    {unregistered, sizeof unregistered},
    {which_reasons_remove_a_token, sizeof which_reasons_remove_a_token},
    {window_stall, sizeof window_stall},
};

int32_t mock_scenario_count(void) { return sizeof files / sizeof *files; }

size_t mock_scenario_length(int32_t file) {
    return file >= 0 && file < mock_scenario_count() ? files[file].length : 0;
}

static const uint8_t schema[] = {
#embed "../../scenarios/scenario.schema.json"
};

size_t mock_schema_length(void) { return sizeof schema; }

uint8_t mock_schema_byte(size_t index) { return index < sizeof schema ? schema[index] : 0; }

uint8_t mock_scenario_byte(int32_t file, size_t index) {
    return index < mock_scenario_length(file) ? files[file].bytes[index] : 0;
}
