import { AuditLog } from '../../libs/administration/audit/audit-log';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { loadConfig } from '../../libs/config/app-config';
import { AuditCursorRepository } from '../../libs/database/audit/audit-cursor.repository';
import { AuditLogRepository } from '../../libs/database/audit/audit-log.repository';
import { createDataSource } from '../../libs/database/data-source';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:tls';
import type { DataSource } from 'typeorm';
import { AuditStream } from '../../apps/worker/src/housekeeping/audit-stream';
import { hasOpenssl, makeCertificates } from '../support/certificates';
import { eventually } from '../support/eventually';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { WorkerProcess } from '../support/worker-process';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';

/** A syslog collector on a real socket. While it holds, it takes bytes and ends no connection. */
class Collector {
  readonly ids: string[] = [];
  holds = false;
  connections = 0;
  bytes = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor() {
    // It ends a connection itself, when it has read everything.
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.receive(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `tcp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private receive(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      this.bytes += chunk.length;
    });
    socket.on('end', () => {
      if (this.holds) return;
      this.ids.push(...idsOf(Buffer.concat(chunks)));
      socket.end();
    });
  }
}

function idsOf(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const end = space + 1 + Number(bytes.toString('utf8', at, space));
    const message = bytes.toString('utf8', space + 1, end);
    ids.push((JSON.parse(message.slice(message.indexOf('{'))) as { id: string }).id);
    at = end;
  }
  return ids;
}

let database: TestDatabase;
let dataSource: DataSource;
let cursor: AuditCursorRepository;

beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  cursor = new AuditCursorRepository(dataSource, new AuditLogRepository(dataSource));
});

afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function recordEvents(count: number): Promise<string[]> {
  const auditLog = new AuditLog(dataSource, new AuditLogRepository(dataSource), loadConfig({ APP_SECRET }));
  await dataSource.transaction(async (em) => {
    for (let index = 0; index < count; index += 1) {
      const target = { type: 'api_key', id: `key ${index}` };
      await auditLog.record({ actor: bySystem('test'), action: 'key.edited', target, after: { index } }, em);
    }
  });
  const rows = await dataSource.query<{ id: string }[]>('SELECT id FROM audit_event ORDER BY id');
  return rows.map(({ id }) => id);
}

const streamTo = (url: string, more: Record<string, string> = {}) =>
  new AuditStream(loadConfig({ AUDIT_STREAM_URL: url, ...more }), cursor);

it('reaches a syslog collector at least once and in order, through the kill of a worker in the middle', async () => {
  const collector = new Collector();
  const url = await collector.listen();
  const config = loadConfig({ DATABASE_URL: database.url, APP_SECRET, AUDIT_STREAM_URL: url });
  collector.holds = true;
  const killed = new WorkerProcess(config);
  let ids: string[] = [];
  try {
    ids = await recordEvents(520);
    await eventually(() => expect(collector.bytes).toBeGreaterThan(0));
    expect((await cursor.getLag()).waiting).toBe(520);
  } finally {
    await killed.kill();
  }
  collector.holds = false;
  // The one that follows has the lock as soon as the database notices that the first has gone.
  const stream = streamTo(url);
  await eventually(async () => {
    await stream.send();
    expect((await cursor.getLag()).waiting).toBe(0);
  });
  expect([...new Set(collector.ids)]).toEqual(ids);
  expect(await stream.send()).toBe('idle');
  await collector.close();
});

it('moves the cursor only for what a collector over HTTP has accepted', async () => {
  const ids = await recordEvents(3);
  const received: string[] = [];
  let status = 503;
  const server = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (status === 200 && request.headers.authorization === 'Bearer secret')
        received.push(...body.trim().split('\n'));
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  const stream = streamTo(url, { AUDIT_STREAM_TOKEN: 'secret' });
  await expect(stream.send()).rejects.toThrow('responded with 503');
  expect(await cursor.getLag()).toMatchObject({ waiting: 3, lastError: 'the collector responded with 503' });
  status = 200;
  await stream.send();
  expect(received.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
  expect(await cursor.getLag()).toMatchObject({ waiting: 0, failingSince: null });
  await new Promise((resolve) => server.close(resolve));
});

/** A collector over TLS, for syslog or for HTTPS, and the authority that has signed its certificate. */
async function listenOverTls(kind: 'tls' | 'https') {
  const folder = TemporaryFolder.make('greenroom-collector-');
  const { caFile, certFile, keyFile } = makeCertificates(folder.path);
  const received: Buffer[] = [];
  const options = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const take = (chunk: Buffer) => void received.push(chunk);
  const server =
    kind === 'tls'
      ? createTlsServer(options, (socket) => socket.on('data', take))
      : createHttpsServer(options, (request, response) => {
          request.on('data', take).on('end', () => response.end());
        });
  const sockets = new Set<Socket>();
  server.on('tlsClientError', () => undefined).on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${kind}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    text: () => Buffer.concat(received).toString(),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      folder.remove();
    },
  };
}

for (const kind of ['tls', 'https'] as const) {
  (hasOpenssl ? it : it.skip)(
    `reaches a collector over ${kind} by an authority of its own, and no other`,
    async () => {
      const ids = await recordEvents(2);
      const collector = await listenOverTls(kind);
      const other = await listenOverTls(kind);
      const refused =
        /^the certificate of the collector is not trusted: .+ Nothing was sent\. AUDIT_STREAM_CA_FILE/;
      for (const untrusting of [undefined, { AUDIT_STREAM_CA_FILE: other.caFile }]) {
        await expect(streamTo(collector.url, untrusting).send()).rejects.toThrow(refused);
        expect(await cursor.getLag()).toMatchObject({
          waiting: 2,
          lastError: expect.stringMatching(refused),
        });
      }
      expect(collector.text()).toBe('');

      await streamTo(collector.url, { AUDIT_STREAM_CA_FILE: collector.caFile }).send();
      expect(await cursor.getLag()).toMatchObject({ waiting: 0, lastError: null });
      for (const id of ids) expect(collector.text()).toContain(`"${id}"`);
      await collector.stop();
      await other.stop();
    },
  );
}
