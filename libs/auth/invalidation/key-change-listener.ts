import { AppConfig } from '@app/config/app-config';
import { KeyChangeConnection, type Acknowledgement, type ChangeMessage } from './key-change.connection';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Acknowledgements } from './acknowledgements';
import type { ChangeFollower } from './change-follower';

/** The lease of this process's cache after a moment up to which it has received every change. */
export const LEASE_MS = 2_500;
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 2_000];

/**
 * Listens for key and service-credential changes and evicts them from the caches.
 *
 * The lease is renewed by a heartbeat that comes back, counted from the moment it was sent: at that moment every earlier change
 * was on its way before it. A process that does not receive its heartbeat reads each key instead of using its cache, at the
 * latest LEASE_MS after the last change it can have missed.
 */
@Injectable()
export class KeyChangeListener implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly processId = randomUUID();
  readonly acknowledgements = new Acknowledgements();

  private readonly logger = new Logger(KeyChangeListener.name);
  private readonly databaseUrl: string;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private connection: KeyChangeConnection | null = null;
  private toAcknowledge: Acknowledgement[] = [];
  private acknowledging = false;
  private disconnected = false;

  constructor(
    private readonly followers: readonly ChangeFollower[],
    config: AppConfig,
  ) {
    this.databaseUrl = config.requireDatabaseUrl();
  }

  /** Whether changes arrive, so that the cache is used. */
  get isListening(): boolean {
    return !this.disconnected;
  }

  /** Begins to listen. Resolves when it does, or the first attempt has failed. */
  async onApplicationBootstrap(): Promise<void> {
    this.leaseUntil(0);
    await new Promise<void>((tried) => {
      this.running = this.run(tried);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(tried: () => void): Promise<void> {
    const { signal } = this.stopping;
    for (
      let pauseMs = SHORTEST_PAUSE_MS;
      !signal.aborted;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      try {
        await this.listen(() => {
          tried();
          pauseMs = SHORTEST_PAUSE_MS;
        });
      } catch (error) {
        this.reportDisconnected(error as Error);
      }
      this.leaseUntil(0);
      tried();
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Listens until the connection is lost, which throws, or the process stops. */
  private async listen(onListening: () => void): Promise<void> {
    const connection = await KeyChangeConnection.open(this.databaseUrl, this.processId, {
      changed: (message) => this.change(message),
      acknowledged: (processId, numbers) => this.acknowledgements.record(processId, numbers),
    });
    try {
      // Changes may have been missed until now.
      for (const follower of this.followers) follower.invalidateAll();
      this.connection = connection;
      while (!this.stopping.signal.aborted) {
        const sentAtMs = performance.now();
        await connection.heartbeat(HEARTBEAT_TIMEOUT_MS);
        this.leaseUntil(sentAtMs + LEASE_MS);
        this.reportListening();
        onListening();
        await Promise.race([this.pause(), connection.lost]);
      }
      await connection.close();
    } finally {
      this.connection = null;
      connection.drop();
    }
  }

  private leaseUntil(monotonicMs: number): void {
    for (const follower of this.followers) follower.leaseUntil(monotonicMs);
  }

  private async pause(): Promise<void> {
    await sleep(HEARTBEAT_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private change({ number, ids, requestedBy }: ChangeMessage): void {
    for (const id of ids.split(',')) for (const follower of this.followers) follower.invalidate(id);
    if (requestedBy === this.processId) this.acknowledgements.record(this.processId, [number]);
    else if (requestedBy !== null) this.acknowledge({ requestedBy, number });
  }

  /** Acknowledgements that come up while some are being sent go together after them. */
  private acknowledge(done: Acknowledgement): void {
    this.toAcknowledge.push(done);
    if (this.acknowledging) return;
    this.acknowledging = true;
    setImmediate(() => void this.sendAcknowledgements());
  }

  private async sendAcknowledgements(): Promise<void> {
    while (this.toAcknowledge.length > 0) {
      const done = this.toAcknowledge.splice(0);
      // If it cannot be sent, the requesting process counts this one as unacknowledged; `listen` handles the lost
      // connection.
      await this.connection?.acknowledge(done).catch(() => undefined);
    }
    this.acknowledging = false;
  }

  private reportDisconnected(error: Error): void {
    if (!this.disconnected)
      this.logger.error(`Receives no key changes, so reads every key: ${error.message}`);
    this.disconnected = true;
  }

  private reportListening(): void {
    if (this.disconnected) this.logger.log('Receives key changes again');
    this.disconnected = false;
  }
}
