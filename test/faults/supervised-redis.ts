import { Redis } from 'ioredis';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/redis-server';
import { TemporaryFolder } from '../support/temporary-folder';
import { pause } from './fault-options';
import { SupervisedProcess } from './supervised-process';

const LOST_MS = 1_000;
/** Where Redis 7 keeps what it has written. */
const APPEND_ONLY_FOLDER = 'appendonlydir';

/** A redis-server as in production: it writes an append-only file, and comes back with what is in it. */
export class SupervisedRedis {
  private constructor(
    readonly url: string,
    readonly process: SupervisedProcess,
    readonly folder: TemporaryFolder,
  ) {}

  static async start(diskMb?: number): Promise<SupervisedRedis> {
    const folder = TemporaryFolder.make('greenroom-redis-', diskMb);
    const port = await freePort();
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder.path, '--save', ''];
    const process = new SupervisedProcess({
      name: 'redis',
      file: 'redis-server',
      args: [...args, '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
      ready: /Ready to accept connections/,
    });
    await process.start();
    return new SupervisedRedis(`redis://127.0.0.1:${port}`, process, folder);
  }

  /** Deletes everything in it. */
  async wipe(): Promise<void> {
    await this.ask((redis) => redis.flushall());
  }

  /** Ends it, and brings it back with an empty disk. */
  async lose(): Promise<void> {
    const isBack = this.process.down(LOST_MS);
    await pause(LOST_MS / 2);
    rmSync(join(this.folder.path, APPEND_ONLY_FOLDER), { recursive: true, force: true });
    await isBack;
  }

  /** Refuses whatever needs memory; 0 means no limit. */
  async limitMemory(bytes: number): Promise<void> {
    await this.ask((redis) => redis.config('SET', 'maxmemory', bytes));
  }

  private async ask(question: (redis: Redis) => Promise<unknown>): Promise<void> {
    const redis = new Redis(this.url, { lazyConnect: true });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await question(redis);
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.process.stop();
    this.folder.remove();
  }
}
