import { KeyChanges, type ChangeReceipt, type KeyChange } from '@app/auth/invalidation/key-changes';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog, type AuditEntry } from './audit-log';

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

/** Changes to accounts and keys: each with its audit events and its announcement in one transaction, or not at all. */
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
