import { capitalised } from '../common/sentences';

/** The classes of OCSF 1.6 (https://schema.ocsf.io) that events of an account belong to. */
const CLASS_NAMES = { 3001: 'Account Change', 3004: 'Entity Management' } as const;
type ClassUid = keyof typeof CLASS_NAMES;

/** `activity_id` of Account Change [3001]. */
const ACCOUNT = { create: 1, enable: 2, attach: 7, detach: 8, lock: 9, close: 6, other: 99 } as const;
/** `activity_id` of Entity Management [3004]. */
const ENTITY = { create: 1, read: 2, update: 3, delete: 4, enable: 8, disable: 9, other: 99 } as const;

/** An audited action as a class and an activity of OCSF. */
export interface AuditedActivity {
  classUid: ClassUid;
  className: string;
  activityId: number;
  activityName: string;
}

const account = (activityId: number, activityName: string) => activity(3001, activityId, activityName);
const entity = (activityId: number, activityName: string) => activity(3004, activityId, activityName);

/** Every action that is audited, as what an account sees it in its own audit log; null for what only staff see. */
const AUDIT_ACTIONS = {
  'account.created': account(ACCOUNT.create, 'Account Creation'),
  'account.edited': account(ACCOUNT.other, 'Account Update'),
  'account.edit_undone': account(ACCOUNT.other, 'Account Undo'),
  'account.edit_kept': account(ACCOUNT.other, 'Account Change Confirmation'),
  'account.suspended': account(ACCOUNT.lock, 'Account Suspension'),
  'account.reactivated': account(ACCOUNT.enable, 'Account Reactivation'),
  'account.closed': account(ACCOUNT.close, 'Account Closure'),
  'account.ip_allow_list_switched_on': account(ACCOUNT.attach, 'IP Allow-list Activation'),
  'account.ip_allow_list_switched_off': account(ACCOUNT.detach, 'IP Allow-list Deactivation'),
  'credits.grant': account(ACCOUNT.other, 'Credit Grant'),
  'credits.adjustment': account(ACCOUNT.other, 'Credit Adjustment'),
  'credits.prepaid': account(ACCOUNT.other, 'Prepaid Credit Grant'),
  'credits.prepaid_revoked': account(ACCOUNT.other, 'Prepaid Credit Revocation'),
  'key.created': entity(ENTITY.create, 'API Key Creation'),
  'key.edited': entity(ENTITY.update, 'API Key Update'),
  'key.deleted': entity(ENTITY.delete, 'API Key Deletion'),
  'key.enabled': entity(ENTITY.enable, 'API Key Activation'),
  'key.disabled': entity(ENTITY.disable, 'API Key Deactivation'),
  'key.rotated': entity(ENTITY.update, 'API Key Rotation'),
  'key.rotation_ended': entity(ENTITY.update, 'API Key Rotation End'),
  'key.detached': entity(ENTITY.update, 'API Key Detachment'),
  'key.allow_list_changed': entity(ENTITY.update, 'API Key IP Allow-list Update'),
  'key.allow_list_undone': entity(ENTITY.update, 'API Key IP Allow-list Undo'),
  'key.allow_list_kept': entity(ENTITY.update, 'API Key IP Allow-list Confirmation'),
  'key.edit_undone': entity(ENTITY.update, 'API Key Undo'),
  'key.edit_kept': entity(ENTITY.update, 'API Key Change Confirmation'),
  'key.finding_accepted': entity(ENTITY.update, 'API Key Finding Acceptance'),
  'key.finding_reopened': entity(ENTITY.update, 'API Key Finding Reopening'),
  'keys.disabled': entity(ENTITY.disable, 'API Key Bulk Deactivation'),
  'keys.disable_undone': entity(ENTITY.enable, 'API Key Bulk Deactivation Undo'),
  'keys.disable_kept': entity(ENTITY.update, 'API Key Bulk Deactivation Confirmation'),
  'keys.enabled': entity(ENTITY.enable, 'API Key Bulk Activation'),
  'keys.enable_undone': entity(ENTITY.disable, 'API Key Bulk Activation Undo'),
  'keys.enable_kept': entity(ENTITY.update, 'API Key Bulk Activation Confirmation'),
  'keys.edited': entity(ENTITY.update, 'API Key Bulk Update'),
  'keys.edit_undone': entity(ENTITY.update, 'API Key Bulk Update Undo'),
  'keys.edit_kept': entity(ENTITY.update, 'API Key Bulk Update Confirmation'),
  'keys.expiry_shortened': entity(ENTITY.update, 'API Key Bulk Expiry Update'),
  'keys.exported': entity(ENTITY.read, 'API Key List Export'),
  'service_account.created': entity(ENTITY.create, 'Service Account Creation'),
  'history.clip_searched': entity(ENTITY.read, 'History Clip Search'),
  'history_item.deleted': entity(ENTITY.delete, 'History Item Deletion'),
  'voice.deleted': entity(ENTITY.delete, 'Voice Deletion'),
  'voice.listened': entity(ENTITY.read, 'Voice Recording Access'),
  'voice.re_reviewed': entity(ENTITY.other, 'Voice Review Restart'),
  'voice.review_cancelled': entity(ENTITY.other, 'Voice Review Cancellation'),
  'voice.shared': entity(ENTITY.update, 'Voice Sharing'),
  'voice.unshared': entity(ENTITY.update, 'Voice Sharing End'),
  'voice.aliased': entity(ENTITY.update, 'Voice Alias Change'),
  'voice.appealed': entity(ENTITY.create, 'Voice Review Appeal'),
  'voice.no_go_added': entity(ENTITY.create, 'No-go Recording Listing'),
  'voice.no_go_removed': entity(ENTITY.delete, 'No-go Recording Removal'),
  'voice.held': entity(ENTITY.disable, 'Voice Hold'),
  'voice.released': entity(ENTITY.enable, 'Voice Release'),
  'voice.taken_down': entity(ENTITY.disable, 'Voice Take-down'),
  'voice.grade_overridden': entity(ENTITY.update, 'Voice Grade Override'),
  'budget.created': entity(ENTITY.create, 'Budget Creation'),
  'budget.edited': entity(ENTITY.update, 'Budget Update'),
  'budget.edit_undone': entity(ENTITY.update, 'Budget Undo'),
  'budget.edit_kept': entity(ENTITY.update, 'Budget Change Confirmation'),
  'budget.deleted': entity(ENTITY.delete, 'Budget Deletion'),
  'webhook.created': entity(ENTITY.create, 'Webhook Creation'),
  'webhook.edited': entity(ENTITY.update, 'Webhook Update'),
  'webhook.deleted': entity(ENTITY.delete, 'Webhook Deletion'),
  'webhook.secret_rotated': entity(ENTITY.update, 'Webhook Secret Rotation'),
  'webhook.tested': entity(ENTITY.other, 'Webhook Test'),
  'webhook.delivery_replayed': entity(ENTITY.other, 'Webhook Delivery Replay'),
  'webhook.deliveries_replayed': entity(ENTITY.other, 'Webhook Delivery Bulk Replay'),
  // Staff alone see these.
  'account.allow_list_changed': null,
  'account.allow_list_kept': null,
  'account.allow_list_undone': null,
  'account.arrived': null,
  'account.manager_assigned': null,
  'account.manager_removed': null,
  'account.move_begun': null,
  'account.move_taken_back': null,
  'account.moved': null,
  'account.recordings_consent_noted': null,
  'account.recordings_consent_withdrawn': null,
  'account.reviews_held': null,
  'account.reviews_moved_behind': null,
  'account.reviews_released': null,
  'alert_rule.added': null,
  'alert_rule.edited': null,
  'alert_rule.removed': null,
  'allow_list_preset.added': null,
  'allow_list_preset.changed': null,
  'allow_list_preset.failed': null,
  'approval.declined': null,
  'approval.expired': null,
  'approval.given': null,
  'approval.requested': null,
  'approval.withdrawn': null,
  'audit.exported': null,
  'contact.added': null,
  'contact.edited': null,
  'contact.removed': null,
  'contact.tested': null,
  'contact.unsubscribed': null,
  'dead_letter.retried': null,
  'dead_letters.removed': null,
  'dead_letters.retried': null,
  'key.managed': null,
  'key.released': null,
  'key.restored': null,
  'key_policy.removed': null,
  'key_policy.saved': null,
  'keys.imported': null,
  'management_credential.created': null,
  'management_credential.deleted': null,
  'management_credential.disabled': null,
  'management_credential.edited': null,
  'management_credential.rotated': null,
  'preferences.exported': null,
  'queue.paused': null,
  'queue.resumed': null,
  'screening.entry_added': null,
  'screening.entry_edited': null,
  'screening.entry_removed': null,
  'screening.profanity_set': null,
  'secret.rotated': null,
  'service_credential.created': null,
  'service_credential.deleted': null,
  'service_credential.disabled': null,
  'service_credential.forwarding_changed': null,
  'staff.added': null,
  'staff.changed': null,
  'staff.disabled': null,
  'staff.enabled': null,
  'staff.passkey_added': null,
  'staff.passkey_removed': null,
  'staff.passkey_renamed': null,
  'staff.password_changed': null,
  'staff.password_reset': null,
  'staff.emergency_password_given': null,
  'staff.provisioned': null,
  'staff.role_policy_changed': null,
  'staff.second_factor_enabled': null,
  'staff.second_factor_removed': null,
  'staff.second_factor_reset': null,
  'staff.session_ended': null,
  'staff.sessions_ended': null,
  'staff.sign_in_confirmed': null,
  'staff.sign_in_refused': null,
  'staff.signed_in': null,
  'staff.signed_out': null,
  'staff_group.changed': null,
  'staff_group.created': null,
  'staff_group.deleted': null,
  'timer.paused': null,
  'timer.resumed': null,
  'timer.run': null,
  'usage_sink.replayed': null,
  'voice.comment_deleted': null,
  'voice.commented': null,
  'voice.decision_undone': null,
  'voice.desk_assigned': null,
  'voice.desk_snoozed': null,
  'voice.desk_taken_over': null,
  'voice.desk_unassigned': null,
  'voice.grade_confirmed': null,
  'voice.sample_deleted': null,
  'voice.samples_added': null,
  'voice.second_listened': null,
  'voice.sent_to_desk': null,
  'voice.tagged': null,
  'voices.re_reviewed': null,
  'webhook.managed': null,
  'webhook.released': null,
  'worker.quieted': null,
  'worker.resumed': null,
} satisfies Record<string, AuditedActivity | null>;

/** `resource.verb` of what is audited. */
export type AuditAction = keyof typeof AUDIT_ACTIONS;

const ACTIVITIES: ReadonlyMap<string, AuditedActivity> = new Map(
  Object.entries(AUDIT_ACTIONS).flatMap(([action, activity]) => (activity ? [[action, activity]] : [])),
);

function activity(classUid: ClassUid, activityId: number, activityName: string): AuditedActivity {
  return { classUid, className: CLASS_NAMES[classUid], activityId, activityName };
}

/** The actions that an account sees, narrowed to a class and a name, if any; none when nothing has both. */
export function actionsSeenByAccount(
  requested: { className?: string; activityName?: string } = {},
): string[] {
  const { className, activityName } = requested;
  return [...ACTIVITIES]
    .filter(([, each]) => className === undefined || each.className === className)
    .filter(([, each]) => activityName === undefined || each.activityName === activityName)
    .map(([action]) => action);
}

/** @throws for an action that accounts do not see */
export function activityOf(action: string): AuditedActivity {
  const found = ACTIVITIES.get(action);
  if (!found) throw new Error(`Accounts do not see the action ${action}.`);
  return found;
}

/** The same of any action; one that accounts do not see is named by its words. */
export function activityOrOther(action: string): AuditedActivity {
  const words = action.split(/[._]/).filter(Boolean).map(capitalised);
  return ACTIVITIES.get(action) ?? entity(ENTITY.other, words.join(' '));
}
