import { KeyChangeRepository } from '@app/database/keys/key-change.repository';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { KeyChangeListener, LEASE_MS } from './key-change-listener';

/** What has changed: keys, or an account and with it all of its keys. */
export interface KeyChange {
  keyId?: string;
  keyIds?: readonly string[];
  accountId?: string;
  /** Of secrets that are found again: processes may know that no key has them. */
  digests?: readonly string[];
}

/** Proof that a change was announced; gets a receipt once its transaction has committed. */
interface ChangeTicket {
  readonly numbers: readonly number[];
}

/** How far a change had spread when its response was sent. */
export interface ChangeReceipt {
  /** Processes that verify keys and are alive. A process that is not alive cannot use its cache, see KeyChangeListener. */
  processes: number;
  /** Those of them that have evicted the changed keys. */
  acknowledged: number;
  /** From the commit to the last acknowledgement, or to the time limit. */
  ms: number;
}

const RECEIPT_TIMEOUT_MS = 500;

/**
 * Announces to every process that verifies keys what has changed.
 *
 *     const ticket = await dataSource.transaction(async (em) => {
 *       …change the key…
 *       return keyChanges.announce({ keyId }, em);
 *     });
 *     const receipt = await keyChanges.receipt(ticket);
 */
@Injectable()
export class KeyChanges {
  private readonly logger = new Logger(KeyChanges.name);

  private listener: KeyChangeListener | null = null;

  constructor(private readonly messages: KeyChangeRepository) {}

  /**
   * Counts the acknowledgements that a listener receives. Without a listener (in a command, in a worker) changes are still
   * announced, and a receipt does not wait.
   */
  collectFrom(listener: KeyChangeListener): void {
    this.listener = listener;
  }

  /** Announces a change, in its transaction: every process receives it if and when that commits. */
  async announce(
    { keyId, keyIds = [], accountId, digests = [] }: KeyChange,
    em: EntityManager,
  ): Promise<ChangeTicket> {
    const ids = [keyId, accountId, ...keyIds, ...digests].filter((id) => id !== undefined);
    const numbers = await this.messages.notify(ids, this.listener?.processId ?? null, em);
    this.listener?.acknowledgements.expect(numbers);
    return { numbers };
  }

  /**
   * Waits, half a second at the most, until every process has acknowledged a change. To be called after the commit. Never
   * throws: the change is committed, acknowledged or not.
   */
  async receipt({ numbers }: ChangeTicket): Promise<ChangeReceipt> {
    const startedAtMs = performance.now();
    const elapsedMs = () => performance.now() - startedAtMs;
    try {
      const live = await this.messages.listLiveProcesses(LEASE_MS);
      const timeoutMs = Math.max(0, RECEIPT_TIMEOUT_MS - elapsedMs());
      const acknowledged = (await this.listener?.acknowledgements.wait(numbers, live, timeoutMs)) ?? 0;
      return { processes: live.length, acknowledged, ms: Math.round(elapsedMs()) };
    } catch (error) {
      this.logger.error(`No receipt for a change: ${(error as Error).message}`);
      return { processes: 0, acknowledged: 0, ms: Math.round(elapsedMs()) };
    }
  }
}
