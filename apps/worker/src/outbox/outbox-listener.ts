import { AppConfig } from '@app/config/app-config';
import { ListeningConnection } from '@app/database/common/listening-connection';
import { OUTBOX_CHANNEL } from '@app/queue/outbox.repository';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { AFTER_FAILURE_MS, Loop, type Next } from '../loop';
import { RelayWakeSignal } from './relay-wake-signal';

/** From one notification that is rung for to the next. Every worker receives every one of them, and each round is three queries. */
const AT_MOST_EVERY_MS = 100;

/**
 * Wakes the relay when messages have been committed, so that they do not wait for its next round. What is missed
 * while the connection is lost, the relay finds without it.
 */
@Injectable()
export class OutboxListener implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly databaseUrl: string;
  private readonly loop = new Loop(OutboxListener.name, () => this.listen(), AFTER_FAILURE_MS);
  private connection: ListeningConnection | null = null;
  private rungAtMs = -Infinity;
  private nextWake: NodeJS.Timeout | null = null;
  private end: () => void = () => undefined;
  private readonly ending = new Promise<void>((resolve) => (this.end = resolve));

  constructor(
    config: AppConfig,
    private readonly wakeSignal: RelayWakeSignal,
  ) {
    this.databaseUrl = config.requireDatabaseUrl();
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.end();
    if (this.nextWake) clearTimeout(this.nextWake);
    await this.loop.stop();
    await this.connection?.close().catch(() => undefined);
  }

  /** Connects, or waits until the connection is lost, which throws, or the process stops. */
  private async listen(): Promise<Next> {
    if (!this.connection) {
      this.connection = await ListeningConnection.open(this.databaseUrl, {
        name: 'greenroom-outbox',
        channels: [OUTBOX_CHANNEL],
        received: () => this.wakeSoon(),
      });
      this.wake();
      return 'more';
    }
    try {
      await Promise.race([this.connection.lost, this.ending]);
      return 'idle';
    } catch (error) {
      this.connection.drop();
      this.connection = null;
      throw error;
    }
  }

  /** Wakes it now, or when the time since the last signal has passed. */
  private wakeSoon(): void {
    if (this.nextWake) return;
    const waitMs = this.rungAtMs + AT_MOST_EVERY_MS - performance.now();
    if (waitMs <= 0) this.wake();
    else this.nextWake = setTimeout(() => this.wake(), waitMs);
  }

  private wake(): void {
    this.nextWake = null;
    this.rungAtMs = performance.now();
    this.wakeSignal.wake();
  }
}
