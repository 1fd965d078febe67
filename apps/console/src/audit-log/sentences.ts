import { APPROVAL_KIND_NAMES, approvalKind } from '@app/domain/approvals/approvals';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { formatNumber, plural } from '../components/number';

/** What a sentence consists of: an event of the audit log, with what those it names are called today. */
export interface SentenceEvent {
  actor: { kind: string; id: string; name: string };
  action: string;
  target: { type: string; id: string; account_id: string | null };
  before: unknown;
  after: unknown;
  names: { actor: string | null; target: string | null; account: string | null };
}

/** A part of a sentence: words of ours, or a name, with the screen that is about it; `by` is the address of a member of staff. */
export type Part = string | { name: string; to?: string; by?: string };

/**
 * What was done, by action. `{target}` is what it was done to, `{keys}` and `{voices}` how many of them; other places in
 * braces are fields of the event. Whose it is, such as "of ACME", follows what it was done to.
 */
const SENTENCES = {
  'account.allow_list_changed': 'changed the allow-list for all keys of {target}',
  'account.allow_list_kept': 'kept the new allow-list for all keys of {target}',
  'account.allow_list_undone': 'undid a change to the allow-list for all keys of {target}',
  'account.arrived': 'moved {target} here from cell {after.from_cell}',
  'account.closed': 'closed {target}',
  'account.created': 'created the account {target}',
  'account.edited': 'edited the settings of {target}',
  'account.edit_kept': 'kept a change to {target}',
  'account.edit_undone': 'undid a change to {target}',
  'account.ip_allow_list_switched_off': 'switched the allow-lists of {target} off',
  'account.ip_allow_list_switched_on': 'switched the allow-lists of {target} on',
  'account.manager_assigned': 'made {after.manager} the account manager of {target}',
  'account.manager_removed': 'removed {before.manager} as the account manager of {target}',
  'account.move_begun': 'began to move {target} to cell {after.cell}',
  'account.move_taken_back': 'took back the move of {target} to another cell',
  'account.moved': 'moved {target} to cell {after.cell}',
  'account.reactivated': 'reactivated {target}',
  'account.recordings_consent_noted': 'recorded that {target} has consent for its recordings',
  'account.recordings_consent_withdrawn': 'recorded that {target} no longer has consent for its recordings',
  'account.suspended': 'suspended {target}',
  'alert_rule.added': 'added the alert rule {after.kind}',
  'alert_rule.edited': 'changed the alert rule {after.kind}',
  'alert_rule.removed': 'removed the alert rule {before.kind}',
  'allow_list_preset.added': 'read the preset {target} of allow-lists for the first time',
  'allow_list_preset.changed': 'read the preset {target} of allow-lists again, whose file had changed',
  'allow_list_preset.failed': 'could not use the file of the preset {target} of allow-lists',
  'approval.declined': 'declined a change to {target} that {after.requested_by} had requested',
  'approval.expired': 'ended a change to {target} that waited too long for a second person',
  'approval.given': 'approved a change to {target} that {after.requested_by} had requested',
  'approval.requested': 'requested approval to {change}',
  'approval.withdrawn': 'withdrew their request for a change to {target}',
  'audit.exported': 'exported the audit log',
  'budget.created': 'added the budget {target}',
  'budget.deleted': 'deleted the budget {target}',
  'budget.edited': 'edited the budget {target}',
  'budget.edit_kept': 'kept a change to the budget {target}',
  'budget.edit_undone': 'undid a change to the budget {target}',
  'contact.added': 'added the contact {target}',
  'contact.edited': 'changed the contact {target}',
  'contact.removed': 'removed the contact {target}',
  'contact.tested': 'sent a test message to the contact {target}',
  'contact.unsubscribed': 'unsubscribed the contact {target}',
  'credits.adjustment': 'adjusted the credits of {target} by {after.amount}',
  'credits.grant': 'granted {after.amount} credits to {target}',
  'credits.prepaid': 'granted {after.amount} prepaid credits to {target}',
  'credits.prepaid_revoked': 'took back {after.revoked} prepaid credits of {target}',
  'dead_letter.retried': 'retried the failed review of {target}',
  'dead_letters.removed': 'removed the failed reviews of {voices}',
  'dead_letters.retried': 'retried the failed reviews of {voices}',
  'history.clip_searched': 'looked for who spoke a clip',
  'history_item.deleted': 'deleted the history item {target}',
  'key.allow_list_changed': 'changed the allow-list of {target}',
  'key.allow_list_kept': 'kept the new allow-list of {target}',
  'key.allow_list_undone': 'undid a change to the allow-list of {target}',
  'key.created': 'created the key {target}',
  'key.deleted': 'deleted the key {target}',
  'key.detached': 'detached {target} from its parent key',
  'key.disabled': 'disabled {target}',
  'key.edited': 'edited {target}',
  'key.enabled': 'enabled {target}',
  'key.edit_kept': 'kept a change to {target}',
  'key.edit_undone': 'undid a change to {target}',
  'key.finding_accepted': 'accepted a finding about {target}',
  'key.finding_reopened': 'reopened a finding about {target}',
  'key.managed': 'put {target} under the file of keys {after.managed_by}',
  'key.released': 'released {target} from the file of keys {before.managed_by}',
  'key.restored': 'restored {target}',
  'key.rotated': 'rotated the secret of {target}',
  'key.rotation_ended': 'ended the old secret of {target}',
  'keys.disable_kept': 'kept keys disabled that were disabled together',
  'keys.disable_undone': 'enabled {keys} that had been disabled together',
  'keys.disabled': 'disabled {keys} together',
  'keys.edit_kept': 'kept a change to keys that were edited together',
  'keys.edit_undone': 'undid a change to {keys} that had been edited together',
  'keys.edited': 'edited {keys} together',
  'keys.enable_kept': 'kept keys enabled that were enabled together',
  'keys.enable_undone': 'disabled {keys} again that had been enabled together',
  'keys.enabled': 'enabled {keys} together',
  'key_policy.removed': 'removed the key policy of {target}',
  'key_policy.saved': 'changed the key policy of {target}',
  'keys.expiry_shortened': 'let {keys} expire earlier, as their key policy says',
  'keys.exported': 'exported the list of keys',
  'keys.imported': 'imported {keys} of another system',
  'preferences.exported': 'exported which previews were preferred',
  'account.reviews_held': 'held the reviews of {target}',
  'account.reviews_moved_behind': 'moved the reviews of {target} behind those of all others',
  'account.reviews_released': 'released the reviews of {target}',
  'queue.paused': 'paused the queue {target}',
  'queue.resumed': 'resumed the queue {target}',
  'secret.rotated': 'replaced APP_SECRET',
  'screening.entry_added': 'added {after.name} to the screening lists',
  'screening.entry_edited': 'changed {before.name} of the screening lists to {after.name}',
  'screening.entry_removed': 'removed {before.name} from the screening lists',
  'screening.profanity_set': 'set whether profane words are refused',
  'management_credential.created': 'created the management credential {target}',
  'management_credential.deleted': 'deleted the management credential {target}',
  'management_credential.disabled': 'disabled the management credential {target}',
  'management_credential.edited': 'edited the management credential {target}',
  'management_credential.rotated': 'rotated the secret of the management credential {target}',
  'service_account.created': 'created the service account {target}',
  'service_credential.created': 'created the service credential {target}',
  'service_credential.deleted': 'deleted the service credential {target}',
  'service_credential.disabled': 'disabled the service credential {target}',
  'service_credential.forwarding_changed':
    'changed which requests the service credential {target} may forward',
  'staff.added': 'added {target} to the staff',
  'staff.changed': 'changed the role or name of {target}',
  'staff.disabled': 'disabled the sign-in of {target}',
  'staff.enabled': 'enabled the sign-in of {target}',
  'staff.passkey_added': 'added the passkey {after.name}',
  'staff.passkey_removed': 'removed the passkey {before.name}',
  'staff.passkey_renamed': 'renamed a passkey to {after.name}',
  'staff.password_changed': 'chose a new password',
  'staff.password_reset': 'reset the password of {target}',
  'staff.emergency_password_given': 'gave {target} a password for an emergency',
  'staff.provisioned': 'recorded what the identity provider says of {target}',
  'staff.role_policy_changed': 'changed the sign-in policy of the role {target}',
  'staff.second_factor_enabled': 'set up a second factor',
  'staff.second_factor_removed': 'removed their second factor',
  'staff.second_factor_reset': 'reset the second factor of {target}',
  'staff.session_ended': 'ended one of their sessions',
  'staff.sessions_ended': 'ended the sessions of {target}',
  'staff.sign_in_confirmed': 'confirmed their sign-in',
  'staff.sign_in_refused': 'refused a sign-in as {target}',
  'staff.signed_in': 'signed in with {after.method}',
  'staff.signed_out': 'signed out',
  'staff_group.changed': 'changed the group {after.name}',
  'staff_group.created': 'created the group {after.name}',
  'staff_group.deleted': 'deleted the group {before.name}',
  'timer.paused': 'paused the timer {target}',
  'timer.resumed': 'resumed the timer {target}',
  'timer.run': 'had the timer {target} run at once',
  'voice.aliased': 'changed the aliases of {target}',
  'voice.appealed': 'appealed against the grade of {target}',
  'usage_sink.replayed': 'had usage sent again to {target}',
  'voice.comment_deleted': 'deleted a comment on {target}',
  'voice.commented': 'commented on {target}',
  'voice.decision_undone': 'undid what they had decided about {target} at the review desk',
  'voice.deleted': 'deleted the voice {target}',
  'voice.desk_assigned': 'assigned {target} to {after.assigned_to} at the review desk',
  'voice.desk_snoozed': 'snoozed {target} at the review desk',
  'voice.desk_taken_over': 'took {target} over from {before.taken_by} at the review desk',
  'voice.desk_unassigned': 'removed the assignee of {target} at the review desk',
  'voice.tagged': 'changed the tags of {target}',
  'voice.grade_confirmed': 'listened to {target} and kept its grade',
  'voice.grade_overridden': 'set the grade of {target} to {after.recording_quality}',
  'voice.held': 'held {target}',
  'voice.listened': 'listened to {target}',
  'voice.no_go_added': 'put the recordings of {target} on the no-go list',
  'voice.no_go_removed': 'took the recordings of {target} off the no-go list',
  'voice.re_reviewed': 'started another review of {target}',
  'voice.released': 'released {target}',
  'voice.review_cancelled': 'cancelled the review of {target}',
  'voice.sample_deleted': 'deleted a recording from {target}',
  'voice.samples_added': 'added recordings to {target}',
  'voice.second_listened': 'listened to {target} without seeing its grade',
  'voice.sent_to_desk': 'sent {target} to the review desk',
  'voice.shared': 'added {target} to the shared voices',
  'voice.taken_down': 'took {target} down',
  'voice.unshared': 'removed {target} from the shared voices',
  'voices.re_reviewed': 'started another review of {voices}',
  'webhook.created': 'created the webhook {target}',
  'webhook.deleted': 'deleted the webhook {target}',
  'webhook.deliveries_replayed': 'sent {after.replayed} deliveries of the webhook {target} again',
  'webhook.delivery_replayed': 'sent a delivery of the webhook {target} again',
  'webhook.edited': 'edited the webhook {target}',
  'webhook.managed': 'put the webhook {target} under the file of keys {after.managed_by}',
  'webhook.released': 'released the webhook {target} from the file of keys {before.managed_by}',
  'webhook.secret_rotated': 'rotated the secret of the webhook {target}',
  'webhook.tested': 'sent a test event to the webhook {target}',
  'worker.quieted': 'quieted {target}',
  'worker.resumed': 'let {target} take jobs again',
} satisfies Record<AuditAction, string>;

export const ACTIONS: readonly string[] = Object.keys(SENTENCES);

const PLACE = /(\{[a-z_.]+\})/;
const OBJECT = /\{(target|keys|voices|change)\}/;
/** Actors other than people and keys. */
const PROCESSES: Record<string, string> = {
  cli: 'The command line',
  'first run': 'The first start',
  'allow-list-undo': 'The undo timer',
  'approval-expiry': 'The approval timer',
  'bulk-undo': 'The undo timer',
  'preset-watch': 'The preset timer',
  'sign-in': 'The sign-in page',
  'unsubscribe-link': 'The unsubscribe link',
  'secret scanner': 'The secret scanner',
};

/** An event as a sentence without its reason: "Ana disabled production of ACME". */
export function sentenceOf(event: SentenceEvent): Part[] {
  const approver = textOf(fieldOf(event.after, 'approved_by'));
  return [
    ...actorOf(event),
    ' ',
    ...doneBy(event),
    ...(approver === undefined ? [] : [', approved by ', { name: approver }]),
  ];
}

function doneBy(event: SentenceEvent): Part[] {
  const sentence = (SENTENCES as Record<string, string>)[event.action] ?? `did “${event.action}” to {target}`;
  const done = sentence
    .split(PLACE)
    .filter((piece) => piece !== '')
    .flatMap((piece) => (PLACE.test(piece) ? placeOf(event, piece.slice(1, -1)) : [piece]));
  return OBJECT.test(sentence) ? done : [...done, ...accountOf(event)];
}

function placeOf(event: SentenceEvent, place: string): Part[] {
  if (place === 'target') return [targetOf(event), ...accountOf(event)];
  if (place === 'keys') return [countOf(event, 'key_ids', 'key'), ...accountOf(event)];
  if (place === 'voices') return [countOf(event, 'voice_ids', 'voice'), ...accountOf(event)];
  if (place === 'change') return changeOf(event);
  const [side = '', field = ''] = place.split('.');
  const value = fieldOf(side === 'before' ? event.before : event.after, field);
  if (typeof value === 'number') return [formatNumber(value)];
  return [{ name: textOf(value) ?? 'none' }];
}

function actorOf({ actor, names }: SentenceEvent): Part[] {
  if (actor.kind === 'system') return [PROCESSES[actor.name] ?? { name: actor.name }];
  if (actor.kind !== 'customer') return [{ name: names.actor ?? actor.name, by: actor.name }];
  if (names.actor === null) return [{ name: actor.name }];
  return ['The key ', { name: names.actor, to: `/api-keys/${actor.id}` }];
}

/** What waits for a second person: "give 20,000 credits to ACME". */
function changeOf(event: SentenceEvent): Part[] {
  const kind = APPROVAL_KIND_NAMES.find((name) => name === fieldOf(event.after, 'change'));
  if (kind === undefined) return ['change ', ...placeOf(event, 'target')];
  const { type, id } = event.target;
  const after = fieldOf(fieldOf(event.after, 'requested'), 'after') as Record<string, unknown> | undefined;
  const text = approvalKind(kind).text(after ?? {}, id);
  // The text names many keys, and a tier, by itself.
  const isNamed = type === 'api_key' || type === 'account';
  return [
    `${text.charAt(0).toLowerCase()}${text.slice(1)}`,
    ...(isNamed ? [' ', ...placeOf(event, 'target')] : accountOf(event)),
  ];
}

/** By the name it has today; what is gone by the name it had, or by its id. */
function targetOf(event: SentenceEvent): Part {
  const { target, names } = event;
  const name =
    names.target ??
    textOf(fieldOf(event.after, 'name')) ??
    textOf(fieldOf(event.before, 'name')) ??
    target.id;
  const to = names.target === null ? null : screenOf(event);
  return { name, ...(to !== null && { to }) };
}

function screenOf({ target: { type, id, account_id: accountId } }: SentenceEvent): string | null {
  if (type === 'api_key') return `/api-keys/${id}`;
  if (type === 'account') return `/accounts/${id}`;
  if (type === 'voice') return `/voices/${id}`;
  if (type === 'webhook' && accountId !== null) return `/accounts/${accountId}/webhooks/${id}`;
  return null;
}

function accountOf({ target, names }: SentenceEvent): Part[] {
  if (target.account_id === null || target.type === 'account') return [];
  const name = names.account;
  return [
    ' of ',
    name === null ? { name: target.account_id } : { name, to: `/accounts/${target.account_id}` },
  ];
}

function countOf({ after }: SentenceEvent, field: string, one: string): string {
  const ids = fieldOf(after, field);
  return Array.isArray(ids) ? plural(ids.length, one) : `${one}s`;
}

function fieldOf(record: unknown, field: string): unknown {
  return typeof record === 'object' && record !== null
    ? (record as Record<string, unknown>)[field]
    : undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
