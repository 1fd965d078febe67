import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import type { AuditFilter } from '@app/database/audit/audit-log.repository';
import { checkTime } from '@app/domain/common/field-checks';
import { toTime } from '@app/domain/common/times';
import { isUuid } from '@app/domain/common/uuid';
import { choose } from '../http/choose';
import { CheckedField, StringField } from '../http/fields';
import { PageQuery } from '../http/pagination';
import { invalid, type ValidationProblem } from '../http/wire-problem';

export class AuditQuery extends PageQuery {
  /** Id of the actor, or a part of its name or e-mail address. */
  @StringField({ optional: true, max: 320 })
  actor?: string;

  /** Id of the actor. */
  @StringField({ optional: true, max: 200 })
  actor_id?: string;

  /** `key.disabled`, or `key.*` for everything about keys. */
  @StringField({ optional: true, max: 100 })
  action?: string;

  /** Id of what was changed, alone or with others. */
  @StringField({ optional: true, max: 200 })
  target?: string;

  @StringField({ optional: true, max: 36 })
  account_id?: string;

  /** ISO 8601, inclusive. */
  @CheckedField(checkTime, { optional: true })
  from?: string;

  /** ISO 8601, exclusive. */
  @CheckedField(checkTime, { optional: true })
  to?: string;
}

export function toFilter(query: AuditQuery): AuditFilter {
  return {
    actor: query.actor,
    actorId: query.actor_id,
    action: query.action,
    targetId: query.target,
    accountId: toUuid('account_id', query.account_id),
    from: toTime(query.from),
    to: toTime(query.to),
  };
}

function toUuid(name: string, input: string | undefined): string | undefined {
  if (input === undefined || isUuid(input)) return input;
  throw refuse(name, input, 'the id of an account');
}

function refuse(name: string, input: string, accepted: string): ValidationProblem {
  const msg = `Input should be ${accepted}`;
  return invalid('query', { type: 'value_error', path: [name], msg, input, ctx: { accepted } });
}

/** An event, with what those it names are called today; null for what is gone or has no name. */
export interface NamedAuditEventResponse extends AuditEventResponse {
  names: { actor: string | null; target: string | null; account: string | null };
}

export function toNamedResponse(names: ReadonlyMap<string, string>) {
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return (event: AuditEvent): NamedAuditEventResponse => ({
    ...toAuditEventResponse(event),
    names: {
      actor: nameOf(event.actorId),
      target: nameOf(event.targetId),
      account: nameOf(event.accountId),
    },
  });
}

export interface AuditEventResponse extends ReturnType<typeof toAuditEventResponse> {}

export function toAuditEventResponse(event: AuditEvent) {
  return {
    ...choose(event, 'id', 'at'),
    actor: {
      kind: event.actorKind as string,
      id: event.actorId,
      name: event.actorName,
      role: event.actorRole,
    },
    action: event.action,
    target: { type: event.targetType, id: event.targetId, account_id: event.accountId },
    ...choose(event, 'before', 'after', 'reason', 'address', 'requestId'),
    /** Place in the chain of its day. */
    chain: { day: event.day, seq: event.seq, hash: event.hash, key_id: event.keyId },
  };
}
