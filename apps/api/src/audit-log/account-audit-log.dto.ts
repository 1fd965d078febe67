import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import type { AccountAuditFilter } from '@app/database/audit/audit-log.repository';
import { toOcsf } from '@app/administration/audit/ocsf-event';
import { actionsSeenByAccount, activityOf } from '@app/domain/audit/audit-actions';
import { CheckedField, StringField } from '../http/fields';
import { CursorField } from '../http/pagination';
import { checkUnixMs, checkWholeNumber } from '../http/query-checks';
import type { AuditPage } from './account-audit-log.service';

export class AccountAuditQuery {
  /** Entries on a page. */
  @CheckedField(checkWholeNumber({ min: 1, max: 100 }), { optional: true })
  limit: string = '50';

  /** `next_cursor` of the page before. */
  @CursorField()
  cursor?: string;

  /** In milliseconds, inclusive. */
  @CheckedField(checkUnixMs, { optional: true })
  time_from_unix_ms?: string;

  /** In milliseconds, inclusive. */
  @CheckedField(checkUnixMs, { optional: true })
  time_to_unix_ms?: string;

  /** `actor.user.uid` of an entry. */
  @StringField({ optional: true, max: 200 })
  actor_uid?: string;

  /** Such as `Entity Management`. */
  @StringField({ optional: true, max: 100 })
  class_name?: string;

  /** Such as `API Key Creation`. */
  @StringField({ optional: true, max: 100 })
  activity_name?: string;
}

/** Staff have one name and one id for customers, and so have our own processes. */
const STAFF = { uid: 'greenroom-staff', name: 'Greenroom staff', type_id: 2, type: 'Admin' };
const SYSTEM = { uid: 'greenroom', name: 'Greenroom', type_id: 3, type: 'System' };

export function toAccountFilter(query: AccountAuditQuery): AccountAuditFilter {
  return {
    actions: actionsSeenByAccount({ className: query.class_name, activityName: query.activity_name }),
    actor: query.actor_uid === undefined ? undefined : toActor(query.actor_uid),
    from: toTime(query.time_from_unix_ms),
    until: toTime(query.time_to_unix_ms),
  };
}

function toActor(uid: string): AccountAuditFilter['actor'] {
  if (uid === STAFF.uid) return { kind: 'staff' };
  if (uid === SYSTEM.uid) return { kind: 'system' };
  return { kind: 'customer', id: uid };
}

function toTime(unixMs: string | undefined): Date | undefined {
  return unixMs === undefined ? undefined : new Date(Number(unixMs));
}

/** An event in the form of OCSF 1.6. */
export interface AuditEntryResponse {
  id: string;
  metadata: {
    version: '1.6.0';
    product: { name: string; vendor_name: string };
    /** The action, such as `key.disabled`. */
    event_code: string;
    /** `x-request-id` of the account's own request. */
    correlation_uid: string | null;
  };
  /** In milliseconds. */
  time: number;
  time_dt: string;
  category_uid: 3;
  category_name: string;
  class_uid: number;
  class_name: string;
  activity_id: number;
  activity_name: string;
  type_uid: number;
  type_name: string;
  severity_id: 1;
  status_id: 1;
  actor: { user: { uid: string; name: string; type_id: number; type: string } };
  /** From where the account's own request came; null for what staff or the service itself did. */
  device: { ip: string } | null;
  message: string;
  unmapped: { target_type: string; target_id: string; changed_fields: string[] };
}

export interface AuditEntriesResponse extends ReturnType<typeof toAuditEntriesResponse> {}

export function toAuditEntriesResponse({ events, nextCursor }: AuditPage) {
  return {
    entries: events.map(toAuditEntry),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}

function toAuditEntry(event: AuditEvent): AuditEntryResponse {
  const isOwn = event.actorKind === 'customer';
  const subject = {
    user: userOf(event),
    address: isOwn ? event.address : null,
    requestId: isOwn ? event.requestId : null,
  };
  return toOcsf(event, activityOf(event.action), subject, {
    target_type: event.targetType,
    target_id: event.targetId,
    changed_fields: changedFields(event),
  });
}

function userOf({ actorKind, actorId, actorName }: AuditEvent): AuditEntryResponse['actor']['user'] {
  if (actorKind === 'staff') return STAFF;
  if (actorKind === 'system') return SYSTEM;
  return { uid: actorId, name: actorName, type_id: 4, type: 'Service' };
}

/** Names only: values, and the reasons that staff give, are not for the account. */
function changedFields({ before, after }: AuditEvent): string[] {
  return [...new Set([...Object.keys(Object(before)), ...Object.keys(Object(after))])].sort();
}
