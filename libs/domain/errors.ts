/**
 * The error table: every refusal Greenroom can give, with its HTTP status, family (`type`), legacy mirror
 * (`legacyStatus`, the wire field `status`) and text. One filter in the api turns a DomainError into a body;
 * a code that is not in this table does not compile.
 *
 * Families, codes and legacy mirrors follow the published error pages of the wire contract.
 */
interface ErrorRow {
  httpStatus: number;
  type: ErrorFamily;
  /** The older wire field `status`, which many clients still switch on. By default the code. */
  legacyStatus?: string;
  /** With placeholders: `{name}`, and `{name?}` for a part that only some refusals have. */
  message: string;
}

export type ErrorFamily =
  | 'validation_error'
  | 'invalid_request'
  | 'authentication_error'
  | 'payment_required'
  | 'authorization_error'
  | 'not_found'
  | 'conflict'
  | 'rate_limit_error'
  | 'internal_error'
  | 'service_unavailable';

/** Rows of one status and family: what differs is the text, whose placeholders the compiler reads. */
const refusals =
  <const Status extends number, const Family extends ErrorFamily>(httpStatus: Status, type: Family) =>
  <const Text extends string>(message: Text, legacyStatus?: string) => ({
    httpStatus,
    type,
    legacyStatus,
    message,
  });

const invalid = refusals(400, 'invalid_request');
const unreadable = refusals(400, 'validation_error');
const unauthenticated = refusals(401, 'authentication_error');
const unpaid = refusals(402, 'payment_required');
const forbidden = refusals(403, 'authorization_error');
const notFound = refusals(404, 'not_found');
const tooSlow = refusals(408, 'invalid_request');
const conflict = refusals(409, 'conflict');
const tooLarge = refusals(413, 'invalid_request');
const tooMany = refusals(429, 'rate_limit_error');
const headersTooLarge = refusals(431, 'invalid_request');
const unavailable = refusals(503, 'service_unavailable');

export const ERRORS = {
  // 400
  bad_request: invalid('{reason}'),
  invalid_parameters: unreadable('{reason}'),
  invalid_cursor: unreadable('The cursor is not accepted: {reason}. Leave it out to start at the beginning.'),
  invalid_voice_settings: unreadable('The speed {speed} is not accepted. Give one from {min} to {max}.'),
  malformed_json: invalid('The body is not JSON that is accepted here: {reason}.'),
  voice_limit_reached: invalid(
    'You have reached your maximum amount of custom voices ({used} / {limit}). You can upgrade your subscription to increase your custom voice limit.',
  ),
  service_account_limit_reached: invalid(
    'You have reached your maximum amount of service accounts ({used} / {limit}).',
  ),
  service_account_key_limit_reached: invalid(
    'A service account has at most {limit} API keys, and this one has {used}. Delete one first.',
  ),
  key_generation_limit_reached: invalid(
    'There are at most {limit} generations of keys above a key, and the new key would have {used}. Create it with a key nearer to the first one.',
  ),
  single_use_token_limit_reached: invalid(
    'An API key has at most {limit} single-use tokens that can still be used, and this one has {used}. Use them, or wait until they expire.',
  ),
  webhook_limit_reached: invalid(
    'An account has at most {limit} webhooks, and this one has {used}. Delete one first.',
  ),
  budget_limit_reached: invalid(
    '{subject} has at most {limit} budgets, and this one has {used}. Delete one first.',
  ),
  prepaid_limit_reached: invalid(
    'An account has at most {limit} prepaid grants that are not used up or ended, and this one has {used}.',
  ),
  contact_limit_reached: invalid(
    'There are at most {limit} contacts here, and there are {used}. Remove one first.',
  ),
  alert_rule_limit_reached: invalid(
    'There are at most {limit} rules here, and there are {used}. Remove one first.',
  ),
  missing_preview_text: invalid('Either text or auto_generate_text: true is required; neither was given.'),
  key_has_no_maker: invalid(
    'No key has created this one, or it was detached before: there is nothing to detach it from.',
  ),
  // 401
  missing_api_key: unauthenticated(
    'Neither authorization header nor xi-api-key received, please provide one.',
    'needs_authorization',
  ),
  invalid_authorization_header: unauthenticated(
    'Provided authorization header was invalid. Send the API key in the header xi-api-key: the header Authorization is not read here.',
  ),
  invalid_api_key: unauthenticated('Invalid API key'),
  invalid_single_use_token: unauthenticated(
    'The single-use token is not valid: it is unknown, expired, used already, or not for this request.',
  ),
  staff_sign_in_required: unauthenticated('Sign in first: no session was sent, or it has ended.'),
  staff_sign_in_refused: unauthenticated(
    'The e-mail address and the password do not go together, or this person may not sign in.',
  ),
  second_factor_refused: unauthenticated(
    'The code is not right, was used before, or the sign-in it belongs to has run out.',
  ),
  passkey_refused: unauthenticated(
    'The passkey was not accepted: it is not known here, its device did not check who you are, or more than five minutes have passed.',
  ),
  missing_service_credential: unauthenticated(
    'Send the credential of a service as "Authorization: Bearer grs_…", at /introspect/forward as "x-greenroom-service: grs_…".',
  ),
  invalid_service_credential: unauthenticated('The credential is not one of a service that may call this.'),
  invalid_scim_token: unauthenticated('The bearer token is not that of SCIM_TOKEN.'),
  invalid_management_credential: unauthenticated(
    'The management credential does not open this: it is unknown, disabled or over, not for this address, or its creator may not sign in.',
  ),
  // 402
  insufficient_credits: unpaid(
    'This request exceeds your {scope} quota of {limit}. You have {remaining} credits remaining, while {cost} credits are required for this request.',
    'quota_exceeded',
  ),
  budget_spent: unpaid(
    "This request exceeds the budget '{budget}' of {limit} credits per {window}. You have {remaining} credits remaining in it, while {cost} credits are required for this request. The budget renews at {renewsAt}.",
    'quota_exceeded',
  ),
  // 403
  forbidden: forbidden('{reason}'),
  proxy_not_trusted: forbidden(
    'Requests are forwarded by proxies only: {address} is not one of TRUSTED_PROXIES.',
  ),
  forwarded_request_not_listed: forbidden(
    'The service has no rule for {method} {path}: no key may request it.',
  ),
  leak_reports_not_expected: forbidden(
    'Reports of leaked keys are not expected here: SECRET_SCANNING_KEYS_URL is not set.',
    'forbidden',
  ),
  report_not_signed: forbidden(
    'The report is not signed by the secret scanner: the headers github-public-key-identifier and github-public-key-signature must fit the body.',
    'forbidden',
  ),
  ip_not_allowed: forbidden('The address {address} is not on the IP allow-list of this API key.'),
  insufficient_permissions: forbidden(
    'The API key you used is missing the permission {permission} to execute this operation.',
    'missing_permissions',
  ),
  key_too_free: forbidden(
    'An API key gives no more than it has. {dimension}: {input} was requested, and the key you used may give {accepted}.',
  ),
  key_out_of_reach: forbidden(
    'An API key changes no key that is freer than itself. {dimension} of that key: {input}; the key you used has {accepted}.',
  ),
  model_not_allowed: forbidden('This API key may not use the model {model}. It may use {models}.'),
  voice_not_allowed: forbidden('This API key may not use the voice {voice}. It may use {voices}.'),
  feature_not_available: forbidden('{feature} is not available on the tier {tier}. It needs {needs}.'),
  own_approval: forbidden(
    'You requested this yourself: another member of staff has to decide about it. You can withdraw it.',
  ),
  not_own_approval: forbidden(
    '{requestedBy} requested this, and only they can withdraw it. You can decline it.',
  ),
  staff_permission_missing: forbidden(
    'The role {role} may not do this: it needs {permission}, which {roles} have.',
  ),
  management_permission_missing: forbidden(
    "The management credential '{name}' may not do this: it needs {permission}, which it and its creator must both have.",
  ),
  management_refused_for_people: forbidden(
    'This operation needs {permission}, which only people have: no management credential may do it.',
  ),
  management_bound_to_accounts: forbidden(
    "The management credential '{name}' is bound to accounts ({accounts}): it may call operations whose path names an account or a key.",
  ),
  management_credential_of_another: forbidden(
    'Only {creator}, who has created this credential, may rotate it: requests of a credential are never approved by who knows its secret. Create another one instead.',
  ),
  password_change_required: forbidden(
    'This password is a temporary one. Choose your own before anything else.',
  ),
  second_factor_setup_required: forbidden(
    'The role {role} requires a second factor. Set one up before anything else.',
  ),
  passkey_required: forbidden(
    'The role {role} requires a second factor. Confirm with your passkey before anything else.',
  ),
  sign_in_confirmation_required: forbidden(
    'This change needs a recent confirmation that it is you. Confirm with {proof}, and send it again.',
  ),
  cross_site_request: forbidden(
    'The request comes from another site ({origin}) and was refused: this installation is reached at {own}. If the first is right, set PUBLIC_URL to it.',
  ),
  staff_session_of_another: unauthenticated(
    'In this browser, another member of staff has signed in since this page was opened. Nothing was changed. Sign in again to continue here.',
  ),
  sign_in_in_clear: forbidden(
    'Signing in from {address}, which is not on a private network, needs TLS: {own} is not encrypted. Put a proxy with TLS in front, and set PUBLIC_URL to its https:// address.',
  ),
  recordings_consent_missing: forbidden(
    'Recordings are accepted once it is noted that those who speak in them have consented. An account manager or an admin of this service can note it for your account.',
  ),
  blocked_generation: forbidden(
    "Sorry, this prompt potentially doesn't follow our safety guidelines and therefore has been blocked.",
  ),
  voice_held: forbidden(
    "The voice '{voiceId}' {decision} by the staff of this service, and neither plays nor speaks{notice?}.",
  ),
  preview_url_refused: forbidden(
    'This preview URL {reason}. Read the voice again: its preview_url is good for a day.',
  ),
  // 404
  not_found: notFound('Not Found{advice?}'),
  voice_not_found: notFound("A voice with voice_id '{voiceId}' was not found."),
  prepaid_grant_not_found: notFound("This account has no prepaid grant with id '{grantId}'."),
  comment_not_found: notFound("You have no comment with id '{commentId}' on this voice."),
  screening_entry_not_found: notFound("The screening lists have no entry with id '{entryId}'."),
  appeal_not_found: notFound("The grade of the voice '{voiceId}' was not appealed."),
  no_go_voice_not_found: notFound("No recording of the voice '{voiceId}' is on the no-go list."),
  sample_not_found: notFound("A sample with sample_id '{sampleId}' was not found."),
  preview_not_found: notFound(
    "A preview with generated_voice_id '{generatedVoiceId}' was not found or has expired.",
  ),
  history_item_not_found: notFound("A history item with history_item_id '{historyItemId}' was not found."),
  account_not_found: notFound("An account '{account}' was not found."),
  service_account_not_found: notFound("A service account with id '{serviceAccountId}' was not found."),
  api_key_not_found: notFound("An API key with id '{keyId}' was not found."),
  bulk_change_not_found: notFound("A change of many keys with id '{changeId}' was not found."),
  approval_not_found: notFound(
    "A change with id '{approvalId}' that waits for a second person was not found.",
  ),
  key_policy_not_found: notFound('There is no key policy of the {whose}.'),
  key_policy_changed: conflict('The key policy of the {whose} is no longer as it was.'),
  finding_not_found: notFound("The key has no such finding: '{kind}'."),
  setting_not_found: notFound(
    "'{setting}' is not a setting whose change can be undone. Those are: {accepted}.",
  ),
  saved_view_not_found: notFound("A saved view with id '{viewId}' was not found."),
  queue_not_found: notFound("A queue '{queue}' was not found. There is: {known}."),
  worker_not_found: notFound("A worker '{worker}' was not found. It may have ended since."),
  timer_not_found: notFound("A timer '{timer}' was not found. There is: {known}."),
  timer_always_runs: conflict("The timer '{timer}' cannot be paused: {because}."),
  dead_letter_not_found: notFound(
    "The review of a voice '{voiceId}' is not a dead letter, or the voice does not exist.",
  ),
  retry_not_found: notFound('No retry of dead letters has this id.'),
  review_item_not_found: notFound("The review desk has no item with id '{itemId}'."),
  role_not_found: notFound("The role '{role}' does not exist. The roles are {roles}."),
  staff_not_found: notFound("A member of staff with id '{staffId}' was not found."),
  scim_resource_not_found: notFound("A {kind} with id '{id}' was not found."),
  session_not_found: notFound("You have no session with id '{sessionId}'. It may have ended already."),
  passkey_not_found: notFound("You have no passkey with id '{passkeyId}'. It may have been removed already."),
  usage_sink_not_found: notFound("There is no usage sink '{name}'. Configured: {names}."),
  service_credential_not_found: notFound("A service credential with id '{credentialId}' was not found."),
  management_credential_not_found: notFound(
    "A management credential with id '{credentialId}' was not found.",
  ),
  hold_not_found: notFound("No credits were held for the request '{requestId}' of the account {account}."),
  webhook_not_found: notFound("A webhook with id '{webhookId}' was not found."),
  budget_not_found: notFound("A budget with id '{budgetId}' was not found."),
  contact_not_found: notFound("A contact with id '{contactId}' was not found."),
  alert_rule_not_found: notFound("A rule with id '{ruleId}' was not found."),
  webhook_delivery_not_found: notFound("A delivery with id '{deliveryId}' was not found."),
  // 405, 408, 413, 414, 415, 431
  // 405, 408, 413, 414, 415, 416, 431
  method_not_allowed: {
    httpStatus: 405,
    type: 'invalid_request',
    message: 'Method {method} is not allowed here. Allowed: {allowed}.',
  },
  request_timeout: tooSlow(
    'The request took too long to arrive. Its headers may take 10 s; of its body, 200 kB or the end must arrive in each 25 s.',
  ),
  request_too_large: tooLarge('The body is larger than the {limitBytes} bytes accepted here.'),
  uri_too_long: { httpStatus: 414, type: 'invalid_request', message: 'The path is too long.' },
  invalid_content_type: {
    httpStatus: 415,
    type: 'invalid_request',
    message: "Content type '{input}' is not accepted here. Accepted: {accepted}.",
  },
  range_not_satisfiable: {
    httpStatus: 416,
    type: 'invalid_request',
    message: "The range '{input}' begins after the end: there are {sizeBytes} bytes.",
  },
  headers_too_large: headersTooLarge('The request headers are too large.'),
  too_many_headers: headersTooLarge(
    'The request has {count} headers; at most {limit} are accepted.',
    'headers_too_large',
  ),
  input_timeout_exceeded: tooSlow(
    'Have not received a new text input within the timeout of {secs} seconds. Please send text input or close the socket.',
  ),
  audio_not_read: tooSlow('Audio was not read for {secs} s. What was sent until then is charged.'),
  first_message_too_large: tooLarge(
    'The first message has more than {limit} bytes. Until it has said who its client is, a socket accepts no more.',
  ),
  too_much_text: tooLarge(
    '{characters} characters were waiting to be spoken on this socket, and {limit} may. Send them as they are spoken, or on several sockets.',
  ),
  // 409
  context_settings_fixed: conflict(
    "The context '{contextId}' is open with other {setting}. Close it first, or use another context_id: they are chosen in its first message.",
  ),
  idempotency_key_reused: conflict(
    "The Idempotency-Key '{key}' was used within the last day for a request with other content.",
  ),
  idempotency_key_claimed: conflict(
    "A request with the Idempotency-Key '{key}' began at {since} and has no response yet. If it is not running any more, look whether it had its effect before you send it with another key.",
  ),
  idempotent_response_gone: conflict(
    "A request with the Idempotency-Key '{key}' was completed within the last day, and charged {cost} credits; its response is not stored. Send it with another key to have it performed again.",
  ),
  key_lifetime_exceeded: conflict(
    'The key {expires}, and the policy of the {whose} allows {days} days from a new secret on. Set expires_at to {latest} or earlier first.',
  ),
  external_id_in_use: conflict("Another {resource} has the external id '{externalId}' already."),
  selection_changed: conflict(
    '{count} match now, not the {confirmed} that were confirmed. Look at them again.',
  ),
  appeal_open: conflict(
    "The voice '{voiceId}' has an appeal that is not answered yet, of {createdAt}. Wait for its answer.",
  ),
  verdict_appealed: conflict(
    "This grade of the voice '{voiceId}' was appealed before, and the appeal was answered at {answeredAt}: {answer}",
  ),
  nothing_to_undo: conflict('You have decided nothing at the review desk within the last {minutes} minutes.'),
  decision_final: conflict('The decision about {name} stays: {cause}. Nothing was undone.'),
  recording_not_played: conflict(
    'You have not played the recording of {name}. Listen first, or send `unheard` with a reason that says what the decision rests on; a second listening is always heard.',
  ),
  appeal_is_own: conflict(
    'You have filed the appeal against the grade of {name}: another person has to decide it.',
  ),
  review_item_alone: conflict(
    'The item of {name} has to be decided separately: it is {cause}. Nothing was decided.',
  ),
  screening_entry_exists: conflict("The list has '{text}' already, which reads the same."),
  screening_full: conflict('The screening lists have {limit} entries, which is the most. Remove one first.'),
  review_item_own: conflict(
    '{name} has graded this voice first. Its second listening is for another person.',
  ),
  review_item_taken: conflict('{holder} has this item{until?}. Take it over, or take the next one.'),
  review_item_not_taken: conflict(
    'You do not have this item: {cause}. Nothing was decided; take it again, or take the next one.',
  ),
  review_item_decided: conflict('This item is decided already: {decision} by {decidedBy}.'),
  review_state_conflict: conflict('The review of this voice is {state}. {advice}'),
  no_old_secret: conflict('No old secret works: there is nothing to end.'),
  managed_by_file: conflict(
    'This {resource} is managed by the file of keys "{file}". Change it there and run greenroom apply, or have an administrator release it: then the file leaves it alone.',
  ),
  rotation_in_progress: conflict('{old} End it first, or rotate without overlap, which ends both.'),
  key_expired: conflict(
    'The API key expired on {expiresAt}: a new secret would not work either. Give it a later expiry first.',
  ),
  usage_replay_not_recognised: conflict(
    'Stripe recognises what it has for a day: what is sent again from an earlier time it would count twice. Confirm it if it has not had these lines.',
  ),
  management_credential_known: conflict(
    "The secret of the management credential '{name}' was disabled or replaced here, and must not work again. Give the digest of its newest secret, or create another credential.",
  ),
  service_credential_stays_disabled: conflict(
    'A service credential that was disabled stays disabled. Issue a new one for the service instead.',
  ),
  report_repeated: conflict('This report was processed at {receivedAt}. Nothing was changed now.'),
  status_unchanged: conflict('This is {status} already.'),
  end_passed: conflict('This would have ended at {endsAt} already. Request it with another end.'),
  approval_waiting: conflict(
    'The same change waits for a second person already: {requestedBy} requested it at {requestedAt}. It has to be approved, declined or withdrawn first.',
  ),
  approval_ended: conflict('This no longer waits for a second person: it is {status}{by?}.'),
  approval_stale: conflict(
    '{resource} no longer allows what {requestedBy} requested, so nothing was done: {reason} Decline it, and have it requested again.',
  ),
  approval_requester_gone: conflict(
    '{requestedBy}, who requested this, may not do it any more ({permission}), so nothing was done. Decline it.',
  ),
  account_closed: conflict('The account is closed. Its keys can be disabled and deleted, nothing else.'),
  confirmation_required: conflict(
    '{reasons} Send it again with "confirm": true (--confirm on the command line) if this is meant.',
  ),
  saved_view_limit_reached: conflict('You can save {limit} views of a list. Delete one first.'),
  no_setting_change: conflict('The key has no change of {setting} that could be {verb}.'),
  contact_unsubscribed: conflict(
    'The contact has unsubscribed. Subscribe it again first, if it wants that: nothing is sent to it.',
  ),
  contact_exists: conflict(
    "There is a contact with this address already, '{name}'. Change that one instead.",
  ),
  contact_channel_fixed: conflict(
    "The contact has {has} and cannot have '{field}' too. Add another contact instead.",
  ),
  alert_rule_exists: conflict('There is a rule for {kind}{at?} here already. Change that one.'),
  webhook_disabled: conflict('The webhook is disabled. Enable it first: nothing is sent to it.'),
  preview_already_used: conflict(
    "The preview '{generatedVoiceId}' was already used to create voice '{voiceId}' with other content. A preview becomes at most one voice.",
  ),
  preview_not_ready: conflict(
    "The preview '{generatedVoiceId}' is still being spoken. Listen to its stream first.",
  ),
  preview_failed: conflict(
    "The preview '{generatedVoiceId}' could not be spoken, and its credits were returned. Request new previews.",
  ),
  voice_not_shareable: conflict(
    "The voice '{voiceId}' cannot be shared: {reason}. Voices that a description created, and whose review is complete, are accepted.",
  ),
  voice_not_speakable: conflict(
    "The voice '{voiceId}' cannot speak here: it was created {created}, and voices of {accepted} are accepted. {advice}",
  ),
  voice_alias_taken: conflict("'{alias}' cannot be an alias: it is {use}."),
  only_sample: conflict(
    "The sample '{sampleId}' is the only recording of its voice, and stays. Delete the voice instead.",
  ),
  budget_name_taken: conflict("The account has a budget with the name '{name}' already."),
  staff_email_taken: conflict("There is a member of staff with the e-mail address '{email}' already."),
  staff_group_exists: conflict("There is a group with the name '{name}' already."),
  last_admin: conflict('This is the last admin who can sign in. Make another member an admin first.'),
  second_factor_enabled: conflict('A second factor is set up already. Remove it first.'),
  second_factor_required_by_role: conflict(
    'The role {role} requires a second factor. An admin can reset yours, or change what the role requires.',
  ),
  passkey_limit_reached: conflict(
    'You have {limit} passkeys, which is the most that is accepted. Remove one first.',
  ),
  second_factor_not_started: conflict('No second factor is being set up, or none is in use.'),
  request_id_conflict: conflict(
    "The request id '{requestId}' stands for another charge: with another cost, operation or key, or for a hold that has ended.",
  ),
  hold_ended: conflict(
    "The hold of the request '{requestId}' has ended otherwise before: captured with another cost, released, or by its deadline.",
  ),
  adjustment_out_of_range: conflict(
    'An amount of {amount} does not fit: from {min} to {max} is accepted for this {subject} now.',
  ),
  // 412, 426, 428
  precondition_failed: {
    httpStatus: 412,
    type: 'conflict',
    message:
      'Another request has changed this in the meantime (If-Match {input}, now {current}). Read it again.',
  },
  web_socket_required: {
    httpStatus: 426,
    type: 'invalid_request',
    message: 'This is a WebSocket: connect with ws:// or wss:// instead of a plain request.',
  },
  precondition_required: {
    httpStatus: 428,
    type: 'invalid_request',
    message: 'Send If-Match with the ETag of what you have read, so that no other change is lost.',
  },
  // 421
  other_cell: {
    httpStatus: 421,
    type: 'invalid_request',
    message:
      "The {what} belongs to the cell '{cell}', and this is the cell '{own}'. Send the request to that cell, or through the proxy that routes between them.{advice?}",
  },
  // 422
  webhook_url_refused: {
    httpStatus: 422,
    type: 'validation_error',
    message:
      "The URL '{url}' is not accepted: {reason}. Give an https:// URL whose name resolves to public addresses only.",
  },
  // 429
  too_many_sockets: tooMany(
    '{owner} has {limit} speech sockets open, which is the most for one process. Close one first.',
  ),
  too_many_contexts: tooMany('A socket has at most {limit} open contexts. Close one first.'),
  too_many_messages: tooMany(
    'More than {limit} messages {whose} arrived on sockets within {secs} s; the parts of messages, and pings, count. Send fewer, longer ones.',
  ),
  messages_too_costly: tooMany(
    'Reading the messages {whose} took more than {limit} ms within {secs} s. Send fewer of them.',
  ),
  concurrent_limit_exceeded: tooMany(
    'Too many concurrent requests: {current} of {limit} are running.',
    'too_many_concurrent_requests',
  ),
  rate_limit_exceeded: tooMany('Too many requests{limit?}. Try again later.'),
  too_many_failed_credentials: tooMany(
    'Too many credentials from {network} were not valid. One that was not seen before is looked at again in {retryAfterSecs} s.',
    'rate_limit_exceeded',
  ),
  too_much_unread: tooMany(
    'This response has {bytes} bytes, and others for {network} with {held} bytes are still unread; at most {limit} are accepted. Read them first.',
    'rate_limit_exceeded',
  ),
  too_many_large_bodies: tooMany(
    'This body or message has {bytes} bytes, and others {whose} with {held} bytes are still being served; at most {limit} are accepted together. Send it when they are done.',
    'rate_limit_exceeded',
  ),
  too_many_uploads: tooMany(
    'This account has {count} uploads of recordings that are not finished; at most {limit} are accepted at a time. Send this one when one of them is done.',
    'rate_limit_exceeded',
  ),
  system_busy: tooMany('The service is busy right now. Try again shortly.'),
  // 499: logged only, the client does not see it
  client_gone: {
    httpStatus: 499,
    type: 'invalid_request',
    message: 'The client closed the connection before it had the response.',
  },
  // 500, 503
  internal_error: { httpStatus: 500, type: 'internal_error', message: 'Something went wrong on our side.' },
  console_not_built: unavailable('The console has not been built. Run npm run build, and start again.'),
  service_unavailable: unavailable(
    'A part of the service is not available right now{part?}. Try again shortly.',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams = Record<string, string | number>;

/** The names between braces in a text. */
type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type PlaceholderOf<Code extends ErrorCode> = Placeholder<(typeof ERRORS)[Code]['message']>;

type Filling<Name extends string> = { [N in Name as N extends `${string}?` ? never : N]: string | number } & {
  [N in Name as N extends `${infer Optional}?` ? Optional : never]?: string | number;
};

/** What fills the text of a refusal, as an argument: each of its placeholders and nothing else. It is left out where the text needs none. */
export type Params<Code extends ErrorCode> = [PlaceholderOf<Code>] extends [never]
  ? [params?: Record<string, never>]
  : [PlaceholderOf<Code>] extends [`${string}?`]
    ? [params?: Filling<PlaceholderOf<Code>>]
    : [params: Filling<PlaceholderOf<Code>>];

interface ErrorOptions {
  /** The input that was refused. */
  param?: string;
  retryAfterSecs?: number;
  cause?: unknown;
}

class Refusal extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly params: ErrorParams = {},
    readonly options: ErrorOptions = {},
  ) {
    super(describeRefusal(code, params), { cause: options.cause });
    this.name = 'DomainError';
  }
}

/** A refusal with a code of the table. `params` fill the placeholders of its text, which types them. */
export type DomainError = Refusal;
export const DomainError = Refusal as {
  readonly prototype: DomainError;
  new <Code extends ErrorCode>(
    code: Code,
    ...rest: [...params: Params<Code>, options?: ErrorOptions]
  ): DomainError;
};

/** The text of a refusal, for those who pass it on. */
export function describeRefusal(code: ErrorCode, params: ErrorParams): string {
  return fillTemplate(ERRORS[code].message, params);
}

/** A value that ends a sentence itself is not followed by another full stop. */
function fillTemplate(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\??\}(\.?)/g, (_, name: string, stop: string) => {
    const value = String(params[name] ?? '');
    return /[.!?]$/.test(value) ? value : value + stop;
  });
}
