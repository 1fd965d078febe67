import { loadConfig } from '@app/config/app-config';
import type { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { hasOpenssl, makeCertificates } from '../../test/support/certificates';
import { MailServer } from '../../test/support/mail-server';
import { listCertificateEnds } from './certificate-ends';

const SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const DAY_MS = 24 * 3_600_000;

let folder: string;
const servers: Server[] = [];

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'greenroom-certificates-'))));

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const read = (variables: Record<string, string>, endsAt: () => Promise<Date | null> = async () => null) =>
  listCertificateEnds(loadConfig({ APP_SECRET: SECRET, ...variables }), {
    readCertificateEnd: endsAt,
  } as DatabaseServerRepository);

(hasOpenssl ? describe : describe.skip)('with TLS', () => {
  let port: number;
  let mails: MailServer;

  beforeAll(async () => {
    const { certFile, keyFile } = makeCertificates(folder);
    const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    port = await listening(createServer(tls, (socket) => socket.on('error', () => undefined).resume()));
    mails = await MailServer.start(tls);
  });

  afterAll(() => mails.stop());

  it.each([
    ['OIDC_ISSUER', () => oidc(`https://localhost:${port}`)],
    ['PUBLIC_URL', () => ({ PUBLIC_URL: `https://localhost:${port}` })],
    [
      'S3_ENDPOINT',
      () => ({ AUDIO_STORE: 's3', S3_BUCKET: 'audio', S3_ENDPOINT: `https://localhost:${port}` }),
    ],
    ['S3_ENDPOINT', () => ({ BACKUP_TO: 's3://backups', S3_ENDPOINT: `https://127.0.0.1:${port}` })],
    ['the mail server', () => mail(`smtps://localhost:${port}`)],
    ['the mail server', () => mail(mails.url)],
  ])('%s is among those that show when theirs ends', async (of, variables) => {
    const ends = await read(variables());
    expect(ends.map((end) => end.of)).toEqual([of]);
    const days = (ends[0]!.endsAt.getTime() - Date.now()) / DAY_MS;
    expect(Math.round(days)).toBe(2);
  });
});

it('a server that does not respond, has no TLS or is not there is left out, and so is a database that is away', async () => {
  const silent = await listening(createTcpServer((socket) => socket.on('error', () => undefined).resume()));
  const plain = await MailServer.start();
  try {
    const ends = [
      oidc(`https://127.0.0.1:${silent}`),
      mail(`smtp://127.0.0.1:${silent}`),
      mail(plain.url),
      mail('smtps://127.0.0.1:1'),
    ].map((variables) => read(variables, async () => Promise.reject(new Error('It is away.'))));
    expect(await Promise.all(ends)).toEqual([[], [], [], []]);
  } finally {
    await plain.stop();
  }
});

const oidc = (issuer: string) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'greenroom',
  OIDC_CLIENT_SECRET: 'secret',
  PUBLIC_URL: 'http://localhost:3000',
});
const mail = (url: string) => ({
  SMTP_URL: url,
  MAIL_FROM: 'greenroom@example.com',
  PUBLIC_URL: 'http://localhost:3000',
});
