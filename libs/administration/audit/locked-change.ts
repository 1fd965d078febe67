import type { KeyChange } from '@app/auth/invalidation/key-changes';
import { inOneTrip } from '@app/database/common/one-trip';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from './audit-actors';
import type { AuditEntry } from './audit-log';
import type { ChangeWork } from './audited-changes';

const NOTHING = Promise.resolve();

/** Who requests a change of an existing resource, from which version of it, and why. */
export interface ChangeRequest {
  actor: AuditActor;
  expected: ExpectedVersion;
  reason: string | null;
}

/** A resource that is locked until the transaction ends, and how it is changed in that transaction. */
export interface Locked<T, P = never> {
  resource: T;
  version: number;
  auditTarget: AuditEntry['target'];
  /** Stores a patch, and the next version with it. */
  save?: (patch: P) => Promise<void>;
  /** The keys or the account whose verification a patch concerns. */
  announce?: KeyChange;
}

/** Locks a resource, or throws its 404. */
type Lock<T, P> = (em: EntityManager) => Promise<Locked<T, P>>;

/** What a change sets, and what the audit log says of it. */
export interface Edit<P = never> extends Pick<AuditEntry, 'action' | 'before' | 'after'> {
  /** Absent when the resource itself stays as it is. */
  patch?: P;
  /** What else belongs to the change and needs nothing of the stored patch: both take the same trips to PostgreSQL. */
  also?: (em: EntityManager) => Promise<void>;
}

/**
 * The one way an existing resource changes: lock it, compare its version, let `edit` refuse the change or say what it sets, save
 * that, audit it, announce it.
 *
 * @param edit null when there is nothing to change; what it does besides belongs to the same transaction
 */
export function changing<T, P = never>(
  { actor, expected, reason }: ChangeRequest,
  lock: Lock<T, P>,
  edit: (resource: T, em: EntityManager) => Promise<Edit<P> | null>,
): ChangeWork {
  return async (em) => {
    const { resource, version, auditTarget: target, save, announce } = await lock(em);
    checkVersion(expected, version);
    const edited = await edit(resource, em);
    if (!edited) return { result: undefined, events: [] };
    const { patch, also, ...audited } = edited;
    const events = [{ ...audited, actor, target, reason }];
    const isPatched = patch !== undefined;
    await inOneTrip([(isPatched && save?.(patch)) || NOTHING, also?.(em) ?? NOTHING]);
    return { result: undefined, events, ...(isPatched && { announce }), version };
  };
}

/** The fields of a record that a change sets to something else, as they were and as they will be. */
export function difference<T extends object>(
  before: T,
  requested: Partial<T>,
): { before: Partial<T>; after: Partial<T> } {
  const names = (Object.keys(requested) as (keyof T)[]).filter(
    (name) =>
      requested[name] !== undefined && JSON.stringify(requested[name]) !== JSON.stringify(before[name]),
  );
  const pick = (from: Partial<T>) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>;
  return { before: pick(before), after: pick(requested) };
}
