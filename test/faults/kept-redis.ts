import { Redis } from 'ioredis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/redis-server';
import { KeptProcess } from './kept-process';

/** A redis-server as in production: it writes an append-only file, and comes back with what is in it. */
export class KeptRedis {
  private constructor(
    readonly url: string,
    readonly process: KeptProcess,
    private readonly folder: string,
  ) {}

  static async start(): Promise<KeptRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-redis-'));
    const port = await freePort();
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    const process = new KeptProcess({
      name: 'redis',
      file: 'redis-server',
      args: [...args, '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
      ready: /Ready to accept connections/,
    });
    await process.start();
    return new KeptRedis(`redis://127.0.0.1:${port}`, process, folder);
  }

  /** Deletes everything in it. */
  async wipe(): Promise<void> {
    const redis = new Redis(this.url, { lazyConnect: true });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
