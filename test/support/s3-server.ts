import S3rver, { type S3Context } from '@20minutes/s3rver';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where it has the parts of uploads that are not finished, in the folder of a bucket. */
const UPLOADS = '._S3rver_uploads';

/** An S3 server with an empty bucket for audio, and one for backups. */
export class S3Server {
  /** Whether it lets a client list and end unfinished uploads, which not every store does. */
  listsUploads = true;
  /** What happens when all parts of an upload are there, instead of joining them. */
  insteadOfJoining: (() => Promise<void>) | null = null;

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
    let started: S3Server;
    server.middleware.unshift(async (ctx, next) => {
      const { insteadOfJoining, listsUploads } = started;
      if (insteadOfJoining && ctx.method === 'POST' && 'uploadId' in ctx.query) await insteadOfJoining();
      else if (listsUploads) await answerUploads(folder, ctx, next);
      else await next();
    });
    const { address, port } = await server.run();
    const variables = {
      AUDIO_STORE: 's3',
      S3_ENDPOINT: `http://${address}:${port}`,
      S3_BUCKET: 'audio-of-tests',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
    started = new S3Server(variables, server, folder);
    return started;
  }

  /** The uploads to a bucket that are not finished. */
  unfinished(bucket: string): string[] {
    const uploads = join(this.folder, bucket, UPLOADS);
    return existsSync(uploads) ? readdirSync(uploads) : [];
  }

  async stop(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What the server lacks of multipart uploads: the list of those that are unfinished, and their end. */
async function answerUploads(folder: string, ctx: S3Context, next: () => Promise<void>): Promise<void> {
  const [bucket = ''] = ctx.path.slice(1).split('/');
  const uploads = join(folder, bucket, UPLOADS);
  const { prefix = '', uploadId } = ctx.query;
  if (ctx.method === 'GET' && 'uploads' in ctx.query) {
    const listed = (existsSync(uploads) ? readdirSync(uploads) : [])
      .map((id) => ({ id, key: readFileSync(join(uploads, id, 'key'), 'utf8') }))
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
    ctx.type = 'application/xml';
    ctx.body = `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`;
  } else if (ctx.method === 'DELETE' && uploadId !== undefined) {
    rmSync(join(uploads, uploadId), { recursive: true, force: true });
    ctx.status = 204;
  } else await next();
}
