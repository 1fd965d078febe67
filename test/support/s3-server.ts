import S3rver from '@20minutes/s3rver';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An S3 server with an empty bucket for audio, and one for backups. */
export class S3Server {
  private constructor(
    readonly variables: { S3_ENDPOINT: string; S3_BUCKET: string } & Record<string, string>,
    private readonly server: S3rver,
    /** Where it has its buckets. */
    readonly folder: string,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-s3-'));
    const server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      // It reckons with another encoding of a slash in a query than the client, which is the one of Amazon.
      allowMismatchedSignatures: true,
      directory: folder,
      configureBuckets: ['audio-of-tests', 'backups-of-tests'].map((name) => ({ name, configs: [] })),
    });
    const { address, port } = await server.run();
    const variables = {
      AUDIO_STORE: 's3',
      S3_ENDPOINT: `http://${address}:${port}`,
      S3_BUCKET: 'audio-of-tests',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
    return new S3Server(variables, server, folder);
  }

  async stop(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
