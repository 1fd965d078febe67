import { KeyChanges, type ChangeReceipt, type KeyChange } from '@app/auth/invalidation/key-changes';
import { checkVersion, type ExpectedVersion } from '@app/domain/common/version';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditActor } from './audit-actors';
import { AuditLog, type AuditEntry } from './audit-log';

/** Who asks for a change of an existing thing, from which version of it, and why. */
export interface ChangeRequest {
  actor: AuditActor;
  expected: ExpectedVersion;
  reason: string | null;
}

/** How one kind of thing is found and saved. */
export interface Changeable<T, P = never> {
  /** Locks the thing until the transaction ends, or throws its 404. */
  lock: (em: EntityManager) => Promise<T>;
  version: (thing: T) => number;
  auditTarget: (thing: T) => AuditEntry['target'];
  /** Stores a patch, and the next version with it. */
  save?: (thing: T, patch: P, em: EntityManager) => Promise<void>;
  /** The keys or the account whose verification a patch concerns. */
  announce?: (thing: T) => KeyChange;
}

/** What a change sets, and what the audit log says of it. */
export interface Edit<P = never> extends Pick<AuditEntry, 'action' | 'before' | 'after'> {
  /** Absent when the thing itself stays as it is. */
  patch?: P;
}

/** What was done in a transaction. */
export interface Change<T> {
  result: T;
  /** What happened; empty when nothing did. */
  events: AuditEntry[];
  /** The keys or the account whose verification it concerns. */
  announce?: KeyChange;
}

/** A change that makes one transaction, alone or with others. */
export type ChangeWork<T = void> = (em: EntityManager) => Promise<Change<T>>;

export interface Changed<T> {
  result: T;
  /** Null for a change that verification need not know. */
  receipt: ChangeReceipt | null;
}

/**
 * The one way an existing thing changes: lock it, compare its version, let `edit` refuse the change or say what it sets, save
 * that, audit it, announce it.
 *
 * @param edit null when there is nothing to change; what it does besides belongs to the same transaction
 */
export function changing<T, P = never>(
  { expected, ...request }: ChangeRequest,
  thing: Changeable<T, P>,
  edit: (found: T, em: EntityManager) => Promise<Edit<P> | null>,
): ChangeWork {
  return acting(request, thing, async (found, em) => {
    checkVersion(expected, thing.version(found));
    return edit(found, em);
  });
}

/** The same for what is done whatever the version, such as ending sessions. */
export function acting<T, P = never>(
  { actor, reason }: Omit<ChangeRequest, 'expected'>,
  { lock, auditTarget, save, announce }: Omit<Changeable<T, P>, 'version'>,
  edit: (found: T, em: EntityManager) => Promise<Edit<P> | null>,
): ChangeWork {
  return async (em) => {
    const found = await lock(em);
    const edited = await edit(found, em);
    if (!edited) return { result: undefined, events: [] };
    const { patch, ...audited } = edited;
    const events = [{ ...audited, actor, target: auditTarget(found), reason }];
    if (patch === undefined) return { result: undefined, events };
    await save?.(found, patch, em);
    return { result: undefined, events, announce: announce?.(found) };
  };
}

/** A change with what is read after it, in the same transaction. */
export function thenRead<T>(work: ChangeWork, read: (em: EntityManager) => Promise<T>): ChangeWork<T> {
  return async (em) => ({ ...(await work(em)), result: await read(em) });
}

/** Makes audited changes: each with its events and its announcement in one transaction, or not at all. */
@Injectable()
export class AuditedChanges {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly auditLog: AuditLog,
    private readonly keyChanges: KeyChanges,
  ) {}

  /** Runs a change and waits until every process has acknowledged it. */
  async make<T>(change: ChangeWork<T>): Promise<Changed<T>> {
    const { result, ticket } = await this.dataSource.transaction(async (em) => {
      const { result, events, announce } = await change(em);
      const ticket = announce ? await this.keyChanges.announce(announce, em) : null;
      // Last: from here to the commit, other audited changes wait.
      for (const event of events) await this.auditLog.record(event, em);
      return { result, ticket };
    });
    return { result, receipt: ticket && (await this.keyChanges.receipt(ticket)) };
  }

  /** Writes an event of something that changes no data, such as an export. */
  async record(event: AuditEntry): Promise<void> {
    await this.make(async () => ({ result: undefined, events: [event] }));
  }
}

/** Several changes as one: each after the one before, all of them or none. */
export function inOrder(works: readonly ChangeWork[]): ChangeWork {
  return async (em) => {
    const changes: Change<void>[] = [];
    for (const work of works) changes.push(await work(em));
    const keyIds = new Set(changes.flatMap(({ announce }) => idsOf(announce)));
    return {
      result: undefined,
      events: changes.flatMap(({ events }) => events),
      ...(keyIds.size > 0 && { announce: { keyIds: [...keyIds] } }),
    };
  };
}

function idsOf({ keyId, keyIds = [], accountId }: KeyChange = {}): string[] {
  return [keyId, accountId, ...keyIds].filter((id) => id !== undefined);
}

/** The fields of a record that a change sets to something else, as they were and as they will be. */
export function difference<T extends object>(
  before: T,
  wanted: Partial<T>,
): { before: Partial<T>; after: Partial<T> } {
  const names = (Object.keys(wanted) as (keyof T)[]).filter(
    (name) => wanted[name] !== undefined && JSON.stringify(wanted[name]) !== JSON.stringify(before[name]),
  );
  const pick = (from: Partial<T>) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>;
  return { before: pick(before), after: pick(wanted) };
}
