import { KeyChanges, type ChangeReceipt, type KeyChange } from '@app/auth/invalidation/key-changes';
import { inOneTrip } from '@app/database/common/one-trip';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type AuditEntry } from './audit-log';

/** What was done in a transaction. */
export interface Change<T> {
  result: T;
  /** What happened; empty when nothing did. */
  events: AuditEntry[];
  /** The keys or the account whose verification it concerns. */
  announce?: KeyChange;
  /** The version of the resource before the change, when it was about one. */
  version?: number;
}

/** A change that makes one transaction, alone or with others. */
export type ChangeWork<T = void> = (em: EntityManager) => Promise<Change<T>>;

export interface Changed<T> {
  result: T;
  /** Null for a change that verification need not know. */
  receipt: ChangeReceipt | null;
}

/** A change with what is read after it, in the same transaction. */
export function thenRead<T>(work: ChangeWork, read: (em: EntityManager) => Promise<T>): ChangeWork<T> {
  return async (em) => ({ ...(await work(em)), result: await read(em) });
}

const NOTHING = Promise.resolve(null);

/** What examines keys and accounts again after a change of them. */
export interface ChangedSubjects {
  /** @param ids of keys and accounts */
  markDue(ids: readonly string[], em: EntityManager): Promise<unknown>;
}

export const CHANGED_SUBJECTS = Symbol('CHANGED_SUBJECTS');

/** Makes audited changes: each with its events and its announcement in one transaction, or not at all. */
@Injectable()
export class AuditedChanges {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly auditLog: AuditLog,
    private readonly keyChanges: KeyChanges,
    @Inject(CHANGED_SUBJECTS) private readonly changedSubjects: ChangedSubjects,
  ) {}

  /** Runs a change and waits until every process has acknowledged it. */
  async make<T>(change: ChangeWork<T>): Promise<Changed<T>> {
    const { result, ticket, last } = await this.dataSource.transaction(async (em) => {
      const { result, events, announce } = await change(em);
      const changed = changedIds(announce, events);
      const [ticket, , last] = await inOneTrip([
        announce ? this.keyChanges.announce(announce, em) : NOTHING,
        changed.length > 0 ? this.changedSubjects.markDue(changed, em) : NOTHING,
        // Last: from here to the commit, other audited changes wait.
        this.write(events, em),
      ]);
      return { result, ticket, last };
    });
    await last?.written;
    return { result, receipt: ticket && (await this.keyChanges.receipt(ticket)) };
  }

  /** Returns when the last event is sent: the COMMIT goes with it. */
  private async write(
    events: readonly AuditEntry[],
    em: EntityManager,
  ): Promise<{ written: Promise<void> } | null> {
    for (const event of events.slice(0, -1)) await this.auditLog.record(event, em);
    const last = events.at(-1);
    return last ? this.auditLog.send(last, em) : null;
  }
}

/** Several changes as one: each after the one before, all of them or none. */
export function inOrder(works: readonly ChangeWork[]): ChangeWork {
  return async (em) => {
    const changes: Change<void>[] = [];
    for (const work of works) changes.push(await work(em));
    return together(changes, undefined);
  };
}

/** What several changes of one transaction have done, as one. */
export function together<T>(changes: readonly Change<unknown>[], result: T): Change<T> {
  const keyIds = new Set(changes.flatMap(({ announce }) => idsOf(announce)));
  return {
    result,
    events: changes.flatMap(({ events }) => events),
    ...(keyIds.size > 0 && { announce: { keyIds: [...keyIds] } }),
  };
}

/** The keys and accounts that a change was about: what is found about them may be another now. */
function changedIds(announce: KeyChange | undefined, events: readonly AuditEntry[]): string[] {
  const keys = events.filter(({ target: { type } }) => type === 'api_key').map(({ target }) => target.id);
  return [...new Set([...idsOf(announce), ...keys])];
}

function idsOf({ keyId, keyIds = [], accountId }: KeyChange = {}): string[] {
  return [keyId, accountId, ...keyIds].filter((id) => id !== undefined);
}
