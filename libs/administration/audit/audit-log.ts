import { AppConfig } from '@app/config/app-config';
import type { AuditEvent } from '@app/database/audit/audit-event.entity';
import { AuditLogRepository, type ChainTip } from '@app/database/audit/audit-log.repository';
import {
  CHAIN_START,
  chainHash,
  chainKeyId,
  ChainVerifier,
  type AuditHead,
  type AuditRow,
  type ChainProblem,
} from '@app/domain/audit/audit-chain';
import type { AuditAction } from '@app/domain/audit/audit-actions';
import { withoutSecrets } from '@app/domain/audit/audit-redaction';
import { deriveKeys, type DerivedKeys } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditActor } from './audit-actors';

export interface AuditEntry {
  actor: AuditActor;
  action: AuditAction;
  /** With `accountId` when it concerns a customer. */
  target: { type: string; id: string; accountId?: string };
  /** What has changed, as plain JSON: only the fields that differ. */
  before?: object | null;
  after?: object | null;
  reason?: string | null;
}

type ChainVerdict =
  | { ok: true; rows: number; heads: AuditHead[] }
  | { ok: false; rows: number; broken: ChainProblem };

/** A day of the chain: how many rows fit, and the first that does not. */
export interface DayVerdict {
  day: string;
  rows: number;
  broken: ChainProblem | null;
}

/** The audit log: writes events in the transaction of their change, and proves that none was altered. */
@Injectable()
export class AuditLog {
  private readonly logger = new Logger(AuditLog.name);
  private readonly keys: DerivedKeys;
  private readonly keyId: string;
  private readonly sealingKeys: DerivedKeys;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: AuditLogRepository,
    config: AppConfig,
  ) {
    this.keys = deriveKeys(config.requireAppSecrets(), 'audit chain');
    this.keyId = chainKeyId(this.keys[0]);
    this.sealingKeys = deriveKeys(config.requireAppSecrets(), 'audit keys');
  }

  /**
   * Writes an event, with secrets in it replaced. To be called last in the transaction of the change: from here to its
   * end, other events wait.
   */
  async record(entry: AuditEntry, em: EntityManager): Promise<void> {
    const { written } = await this.send(entry, em);
    await written;
  }

  /**
   * `record` for what is followed by the COMMIT at once: returns when the event is sent, so that both take one trip. If the
   * event is refused, PostgreSQL rolls back instead, and `written` rejects.
   */
  async send(entry: AuditEntry, em: EntityManager): Promise<{ written: Promise<void> }> {
    const tip = await this.events.lockTip(em);
    const row = withoutSecrets(toRow(entry, tip));
    const hash = chainHash(this.keys[0], tip.hash ?? CHAIN_START, row);
    const written = this.events.append(row, { hash, keyId: this.keyId }, em);
    // Awaited by the caller; until then a failure must not look unhandled.
    written.catch(() => undefined);
    // The day before is complete now. A copy of its head outside the database is what a forger cannot change.
    if (tip.seq === 0 && tip.hash)
      this.logger.log('The audit log starts a new day.', { previousHead: tip.hash });
    return { written };
  }

  /** Writes an event of something that changes no data, such as an export. */
  async recordAlone(entry: AuditEntry): Promise<void> {
    await this.dataSource.transaction((em) => this.record(entry, em));
  }

  /**
   * Follows the whole chain.
   *
   * @param stored heads that were exported earlier: they prove that the end of the log was not cut off
   */
  async verifyChain(stored: AuditHead[] = []): Promise<ChainVerdict> {
    const heads = await this.events.listHeads();
    const chain = new ChainVerifier(await this.allKeys(), [...heads, ...stored]);
    for await (const event of this.events.streamChain()) {
      const broken = chain.next(fromEvent(event), event);
      if (broken) return { ok: false, rows: chain.rows, broken };
    }
    const broken = chain.end();
    return broken ? { ok: false, rows: chain.rows, broken } : { ok: true, rows: chain.rows, heads };
  }

  /**
   * Follows the chain day by day, each from where the day before says that it ends: a day that is broken does not hide
   * those after it.
   *
   * @param first `YYYY-MM-DD` in UTC
   * @param last inclusive
   * @returns the days that have events, or had some; oldest first
   */
  async verifyDays(first: string, last: string): Promise<DayVerdict[]> {
    const heads = await this.events.listHeads();
    const withHead = heads.map(({ day }) => day).filter((day) => day >= first && day <= last);
    const days = new Set([...withHead, ...(await this.events.listDays(first, last))]);
    const verdicts: DayVerdict[] = [];
    const keys = await this.allKeys();
    for (const day of [...days].sort()) verdicts.push(await this.verifyDay(day, heads, keys));
    return verdicts;
  }

  /**
   * Stores the keys of earlier secrets, sealed with the present one: the events that they signed can be verified when the
   * secrets are gone.
   *
   * @returns the ids of the key that events are signed with, and of those before it
   */
  async keepEarlierKeys(em: EntityManager): Promise<{ keyId: string; earlier: string[] }> {
    const earlier = (await this.allKeys(em)).slice(1).map((key) => ({
      id: chainKeyId(key),
      sealedKey: sealText(key.toString('base64'), this.sealingKeys[0], chainKeyId(key), randomBytes),
    }));
    if (earlier.length > 0) await this.events.saveKeys(earlier, em);
    return { keyId: this.keyId, earlier: earlier.map(({ id }) => id) };
  }

  /** The key that events are signed with, then those of earlier secrets that can be opened. */
  private async allKeys(em?: EntityManager): Promise<Buffer[]> {
    const known = new Map(this.keys.map((key) => [chainKeyId(key), key]));
    for (const { id, sealedKey } of await this.events.listKeys(em)) {
      const key = this.openKey(id, sealedKey);
      if (key && !known.has(id)) known.set(id, key);
    }
    return [...known.values()];
  }

  /** Null for one that was sealed with a secret that is not known here: events that it signed count as not verified. */
  private openKey(id: string, sealedKey: string): Buffer | null {
    try {
      return Buffer.from(openSealedText(sealedKey, this.sealingKeys, id), 'base64');
    } catch {
      return null;
    }
  }

  private async verifyDay(day: string, heads: AuditHead[], keys: Buffer[]): Promise<DayVerdict> {
    const head = heads.find((each) => each.day === day);
    const before = heads.findLast((each) => each.day < day);
    const chain = new ChainVerifier(keys, head ? [head] : [], before?.hash);
    for await (const event of this.events.streamChain(day, day)) {
      const broken = chain.next(fromEvent(event), event);
      if (broken) return { day, rows: chain.rows, broken };
    }
    const headless: ChainProblem = { day, seq: chain.rows, problem: 'the head of its day was changed' };
    return { day, rows: chain.rows, broken: head ? chain.end() : headless };
  }
}

function toRow({ actor, action, target, before, after, reason }: AuditEntry, tip: ChainTip): AuditRow {
  return {
    day: tip.day,
    seq: tip.seq + 1,
    at: tip.at.toISOString(),
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    actorRole: actor.role,
    action,
    targetType: target.type,
    targetId: target.id,
    accountId: target.accountId ?? null,
    before: toPlainJson(before),
    after: toPlainJson(after),
    reason: reason ?? null,
    address: actor.address,
    requestId: actor.requestId,
  };
}

function fromEvent(event: AuditEvent): AuditRow {
  return { ...event, at: event.at.toISOString() };
}

/** Dates as text, no undefined values: what comes back when it is read. */
function toPlainJson(value: object | null | undefined): unknown {
  return value ? JSON.parse(JSON.stringify(value)) : null;
}
