import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEmitters, programOf, type EmitterPlace } from './support/event-emitters';
import { isShort } from './support/short';
import { ROOT, sourceFiles } from './support/source-files';

jest.setTimeout(300_000);

/** Emitters for whose errors the same file does not listen, and where their errors arrive. */
const ELSEWHERE: Record<string, string> = {
  'apps/api/src/api-keys/staff-api-keys.controller.ts: from()': 'Fastify ends the response',
  'apps/api/src/audit-log/staff-audit-log.controller.ts: from()': 'Fastify ends the response',
  'apps/api/src/history/history.service.ts: from()': 'Fastify ends the response',
  'apps/api/src/text-to-speech/public-text-to-speech.controller.ts: from()': 'Fastify ends the response',
  'apps/api/src/text-to-voice/staff-previews.controller.ts: from()': 'Fastify ends the response',
  'apps/api/src/usage/staff-usage.controller.ts: from()': 'Fastify ends the response',
  "apps/api/src/server/pipelined-requests.ts: on 'request' → request":
    'Node listens to the sockets of a server',
  "apps/api/src/server/pipelined-requests.ts: on 'request' → response":
    'Node listens to the sockets of a server',
  'apps/api/src/queues/queue-events.service.ts: new Readable': 'Fastify ends the response',
  "apps/api/src/server/drain.ts: prependListener 'request' → request": 'Node listens to its requests',
  "apps/api/src/server/drain.ts: prependListener 'request' → response": 'Node listens to its responses',
  'apps/api/src/server/connections.ts: destroy()': 'Node listens to the sockets of a server',
  "apps/api/src/server/connections.ts: on 'connection' → socket": 'Node listens to the sockets of a server',
  'apps/api/src/server/web-sockets.ts: handleUpgrade → webSocket': '`SpeechSocket` listens to it',
  'apps/api/src/server/web-sockets.ts: new Response': 'it fails with its socket, which is listened to',
  'apps/api/src/server/web-sockets.ts: new WebSocketServer': 'without a server of its own it has no errors',
  "apps/api/src/server/web-sockets.ts: on 'upgrade' → request": 'it has no body to read',
  "apps/api/src/server/web-sockets.ts: on 'wsClientError' → _socket": 'it is listened to since its upgrade',
  "apps/api/src/server/web-sockets.ts: on 'wsClientError' → request": 'it has no body to read',
  "apps/api/src/server/slow-bodies.ts: prependListener 'request' → request": 'Node listens to its requests',
  'apps/api/src/server/multipart-body.ts: new Busboy': '`FormReading` listens to it',
  'libs/queue/queue-connection.ts: createPostgresBackend()':
    'BullMQ reports them as errors of its queue or worker',
  'libs/queue/queue-connection.ts: createRedisBackend()':
    'BullMQ reports them as errors of its queue or worker',
  'libs/queue/queue.module.ts: createIORedisClient()': 'BullMQ reports them as errors of its queue or worker',
  'libs/connections/redis-client.ts: new Cluster': 'the callers of `connectRedis` listen',
  'libs/connections/redis-client.ts: new Redis': 'the callers of `connectRedis` listen',
  'libs/config/app-config.ts: new Client': 'reads an address and never connects',
  'libs/database/common/application-role.ts: new Client': 'reads an address and never connects',
  'libs/database/common/listening-connection.ts: new Socket':
    'the client of PostgreSQL listens to its socket',
  'apps/worker/src/deliveries/mail-transport.ts: new Socket': '`within` and nodemailer listen to it',
  'apps/worker/src/health/health-server.ts: createServer()': '`listenOn` keeps it serving',
  'apps/worker/src/health/health-server.ts: createServer → request': 'Node listens to its requests',
  'apps/worker/src/health/health-server.ts: createServer → response': 'Node listens to its responses',
  "libs/telemetry/process-metrics.ts: on 'exit' → worker": '`ApiProcesses` listens to its processes',
  "libs/telemetry/process-metrics.ts: on 'listening' → worker": '`ApiProcesses` listens to its processes',
  'libs/telemetry/metrics-server.ts: createServer()': '`listenOn` keeps it serving',
  'libs/telemetry/metrics-server.ts: createServer → request': 'Node listens to its requests',
  'libs/telemetry/metrics-server.ts: createServer → response': 'Node listens to its responses',
  'libs/connections/http-exchange.ts: addAbortSignal()': '`for await` throws them',
  "libs/connections/http-exchange.ts: once 'response' → response": '`for await` throws them',
  "libs/connections/http-exchange.ts: once 'upgrade' → { statusCode }": 'it has no body to read',
  'apps/worker/src/housekeeping/scheduled-backups.ts: child.stderr': 'reading it as a text throws them',
  'apps/worker/src/housekeeping/scheduled-backups.ts: child.stdout': 'reading it as a text throws them',
  'libs/audio/threads/speech-encoder.thread.ts: move()': 'a list of buffers to hand over, no emitter',
  'libs/voice-engine/flite.thread.ts: move()': 'a list of buffers to hand over, no emitter',
  'libs/voice-engine/speech-server.thread.ts: move()': 'a list of buffers to hand over, no emitter',
  'libs/backup-store/s3-backup-store.ts: createReadStream()': '`toArray` throws them',
  'libs/backup-store/s3-backup-store.ts: createWriteStream()': '`pipeline` throws them',
  'libs/operations/certificate-ends.ts: connect()':
    '`once` throws them, and the lines of `startTls` before it',
  'libs/operations/certificate-ends.ts: createInterface()': 'its iterator throws them',
  'src/backup/object-inventory.ts: createInterface()': '`for await` throws them',
  'src/backup/object-inventory.ts: createReadStream()': 'the lines that are read from it throw them',
  'src/backup/object-inventory.ts: createWriteStream()': '`pipeline` throws them',
  'src/backup/object-inventory.ts: from()': '`pipeline` throws them',
  'src/launcher/run-to-end.ts: child.stderr': 'reading it as a text throws them',
  'src/launcher/run-to-end.ts: child.stdout': 'reading it as a text throws them',
  'src/launcher/supervised-process.ts: child.stderr': '`for await` throws them',
  'src/launcher/supervised-process.ts: child.stdout': '`for await` throws them',
  'src/launcher/supervised-process.ts: createInterface()': '`for await` throws them',
};

/** It listens to itself, so that a connection that is cut never ends the process. */
const LISTENS_ITSELF = /: new PostgresClient$/;

const isOurs = (file: string): boolean =>
  /^(apps\/(api|worker)|libs|src)\//.test(file) && !/\.spec\.ts$|\/spec-/.test(file);

/** Modules of Node whose emitters fail. */
const GIVES_EMITTERS =
  /'node:(child_process|cluster|dgram|events|fs|http|http2|https|net|readline|stream|tls|worker_threads|zlib)'/;

const FILES = sourceFiles('apps/api', 'apps/worker', 'libs', 'src').filter(isOurs);

/** Where emitters have no listener for their errors in the same file. */
function withoutListener(files: string[], isNodeAlone: boolean): string[] {
  const emitters = findEmitters(programOf(files, { isNodeAlone }), isOurs);
  expect(emitters.length).toBeGreaterThan(30);
  const places = emitters
    .filter(({ isListenedTo, place }) => !isListenedTo && !LISTENS_ITSELF.test(place))
    .map(({ place }) => place);
  return [...new Set(places)].sort();
}

it('every emitter that a file has from Node has a listener for its errors', () => {
  const files = FILES.filter((file) => GIVES_EMITTERS.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(withoutListener(files, true).filter((place) => !(place in ELSEWHERE))).toEqual([]);
});

// The compiler reads every declaration of every library.
(isShort() ? it.skip : it)(
  'every emitter that is created in our source, or handed to it, has a listener for its errors',
  () => expect(withoutListener(FILES, false)).toEqual(Object.keys(ELSEWHERE).sort()),
);

const IMPORTS = `import { Socket, createServer } from 'node:net'; import { spawn, type ChildProcess } from 'node:child_process';`;
const IGNORE = `on('error', () => undefined)`;

const UNHEARD = {
  'a socket': `new Socket();`,
  'a child process': `const child = spawn('true');`,
  'the output of a child process': `export const of = (child: ChildProcess) => [child.stdout];`,
  'a server': `const server = createServer();`,
  'a socket that a callback is handed': `createServer((socket) => socket.end()).${IGNORE};`,
};
const HEARD = {
  'in a chain': `spawn('true').on('exit', () => undefined).${IGNORE};`,
  'by the name of a variable': `const socket = new Socket(); socket.${IGNORE};`,
  'by the name of a parameter': `createServer((socket) => socket.${IGNORE}).${IGNORE};`,
  'where it keeps a server serving': `const server = createServer(); keepServing(server);`,
};

describe('of a file of its own it says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emitters-'));
  const codes = Object.entries({ ...UNHEARD, ...HEARD });
  const files = codes.map((_, index) => join(folder, `file-${index}.ts`));
  let emitters: EmitterPlace[];
  const of = (name: string) => {
    const index = codes.findIndex(([each]) => each === name);
    return emitters.filter(({ place }) => place.includes(`file-${index}.ts`));
  };

  beforeAll(() => {
    codes.forEach(([, code], index) => writeFileSync(files[index]!, `${IMPORTS}\n${code}`));
    emitters = findEmitters(programOf(files, { isNodeAlone: true }), (path) => path.includes('emitters-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.keys(UNHEARD))('that nothing listens to %s', (name) => {
    expect(of(name).filter(({ isListenedTo }) => !isListenedTo)).toHaveLength(1);
  });

  it.each(Object.keys(HEARD))('that it listens %s', (name) => {
    expect(of(name).length).toBeGreaterThan(0);
    expect(of(name).filter(({ isListenedTo }) => !isListenedTo)).toEqual([]);
  });
});
