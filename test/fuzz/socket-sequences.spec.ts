import fc from 'fast-check';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SocketBudget } from '../../apps/api/src/server/socket-budgets';
import { mainThreadMs } from '../../libs/domain/common/processor-time';
import { makeVoice, type VoiceOwner } from '../support/previews';
import { HandshakeRefused, SpeechSocketClient } from '../support/speech-socket';
import { Stack } from '../support/stack';
import { FUZZ_OPTIONS } from './fuzz-options';
import { socketSequences, type Sent, type SocketSequence } from './socket-sequences';

const { sequences, seed, minutes, isLong } = FUZZ_OPTIONS;

jest.setTimeout(minutes * 60_000 + 120_000);

/** Sequences with an account of their own, found again by its seed. */
const BATCH = 200;
const AT_ONCE = 6;
/** Longer than any time that a socket may take by itself. */
const HANGS_AFTER_MS = 40_000;
/** Of the event loop, for one message. */
const MOST_MS = 20;
/** What other work of the process took in between is not the message's: it is sent so often, and its least time counts. */
const ATTEMPTS = 4;
/** Codes with which sockets are closed that nothing of ours ended; 1006 when its client ends it. */
const CLOSED_WELL = new Set([1_000, 1_002, 1_003, 1_005, 1_006, 1_007, 1_008, 1_009, 1_010]);
/** Share of sequences that may find a part busy. */
const MOST_BUSY = 0.002;

const stack = Stack.ofFile({ worker: false, env: { LOG_LEVEL: 'error' } });

const report = {
  sent: 0,
  messages: 0,
  busy: 0,
  codes: {} as Record<string, number>,
  longestMs: 0,
  findings: [] as string[],
};

/** The longest that a message took of the event loop since this was set to 0. */
let longestMs = 0;
/** Sequences that are being sent, and those that were when a message took too long. */
const running = new Set<SocketSequence>();
const suspects = new Set<SocketSequence>();

beforeAll(() => {
  const measured = Reflect.get(SocketBudget.prototype, 'time') as (work: () => void) => void;
  jest.spyOn(SocketBudget.prototype, 'time').mockImplementation(function time(this: SocketBudget, work) {
    const before = mainThreadMs();
    measured.call(this, work);
    report.messages += 1;
    const ms = mainThreadMs() - before;
    longestMs = Math.max(longestMs, ms);
    if (ms > MOST_MS) for (const sequence of running) suspects.add(sequence);
  });
});

afterAll(() => {
  jest.restoreAllMocks();
});

it('no sequence of messages ends a socket by a fault of ours, hangs, or holds the event loop', async () => {
  const endsAt = Date.now() + minutes * 60_000;
  for (let done = 0; done < sequences && Date.now() < endsAt; done += BATCH) {
    const batch = { seed: seed + done / BATCH, numRuns: Math.min(BATCH, sequences - done) };
    const key = await stack.issueKey({ tier: 'enterprise' });
    const owner = { ...key, voiceId: (await makeVoice(stack, key.secret)).voiceId };
    const all = fc.sample(socketSequences(), batch);
    const waiting = [...all];
    const find = (sequence: SocketSequence, problem: string) =>
      report.findings.push(
        `${problem} (seed ${batch.seed}, number ${all.indexOf(sequence)}): ${shown(sequence)}`,
      );
    const next = async () => {
      for (let each = waiting.pop(); each; each = waiting.pop()) {
        running.add(each);
        const problem = await run(owner, each);
        running.delete(each);
        report.sent += 1;
        if (problem) find(each, problem);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    for (const each of suspects) {
      const ms = await leastMsOf(owner, each);
      if (ms > MOST_MS) find(each, `${ms.toFixed(1)} ms of the event loop for a message`);
    }
    suspects.clear();
    if (isLong) process.stdout.write(`${describeReport()}\n`);
  }
  process.stdout.write(
    `Sockets, seed ${seed}: ${describeReport()}\n${report.findings.slice(0, 20).join('\n')}\n`,
  );
  expect(report.findings).toEqual([]);
  expect(report.busy).toBeLessThanOrEqual(1 + report.sent * MOST_BUSY);
  expect(report.codes['1000']).toBeGreaterThan(0);
  expect(report.messages).toBeGreaterThan(4 * report.sent);
});

const describeReport = () =>
  `${report.sent} sequences of ${report.messages} messages, closed with ${JSON.stringify(report.codes)}, ${report.busy} busy, at most ${Math.max(MOST_MS, report.longestMs)} ms of the event loop for a message, ${report.findings.length} findings`;

const shown = (sequence: SocketSequence) => JSON.stringify(sequence).slice(0, 1_500);

/** The longest that a message of a sequence takes when it is sent alone: the least of several attempts. */
async function leastMsOf(owner: VoiceOwner, sequence: SocketSequence): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; least > MOST_MS && attempt < ATTEMPTS; attempt += 1) {
    longestMs = 0;
    await run(owner, sequence);
    least = Math.min(least, longestMs);
  }
  report.longestMs = Math.max(report.longestMs, least);
  return least;
}

/** Sends a sequence, and says what was wrong with what came of it. */
async function run({ secret, voiceId }: VoiceOwner, sequence: SocketSequence): Promise<string | null> {
  const { path, query, key, sent, stays } = sequence;
  const url = `${stack.baseUrl}/v1/text-to-speech/${voiceId}/${path}?${query}`;
  const named = key === 'query' ? `&authorization=${encodeURIComponent(`Bearer ${secret}`)}` : '';
  let socket: SpeechSocketClient;
  try {
    const headers = { header: secret, wrong: 'grk_wrong' }[key as string];
    socket = await SpeechSocketClient.open(`${url}${named}`, headers ? { 'xi-api-key': headers } : {});
  } catch (error) {
    if (!(error instanceof HandshakeRefused)) return `the handshake failed: ${(error as Error).message}`;
    count(`HTTP ${error.status}`);
    return judge(
      error.status >= 500,
      error.status === 503 || isBusy(error.body.detail.code),
      `HTTP ${error.status}`,
    );
  }
  if (key === 'message') socket.send({ text: ' ', xi_api_key: secret });
  for (const each of sent) transmit(socket, each);
  // All of it is spoken, or what it ends with is refused.
  if (stays) socket.send(path === 'stream-input' ? { text: '' } : { close_socket: true });
  else socket.webSocket.ping();
  if (key === 'nowhere' && sent.length === 0 && !stays) socket.webSocket.terminate();
  const over = stays ? socket.closed : Promise.race([socket.closed, once(socket.webSocket, 'pong')]);
  const hangs = new Promise<'hangs'>((resolve) => setTimeout(resolve, HANGS_AFTER_MS, 'hangs').unref());
  const outcome = await Promise.race([over, hangs]);
  socket.webSocket.terminate();
  const { code } = await socket.closed;
  if (outcome === 'hangs') return `neither read nor closed within ${HANGS_AFTER_MS} ms`;
  const { error, message } = socket.error ?? {};
  count(error ? `${code} ${error}` : String(code));
  return judge(
    !CLOSED_WELL.has(code) || error === 'internal_error',
    isBusy(error),
    `closed with ${code}: ${error}, ${message}`,
  );
}

function transmit({ webSocket }: SpeechSocketClient, sent: Sent): void {
  if (webSocket.readyState !== webSocket.OPEN) return;
  if (sent.kind === 'raw') (webSocket as unknown as { _socket: Socket })._socket.write(sent.bytes);
  else webSocket.send(sent.kind === 'text' ? sent.text : sent.bytes);
}

function count(outcome: string): void {
  report.codes[outcome] = (report.codes[outcome] ?? 0) + 1;
}

/** A machine that has too much to do says so, with 503; that is a fault only when it is often. */
const isBusy = (code: string | undefined) => code === 'system_busy' || code === 'service_unavailable';

function judge(isFault: boolean, busy: boolean, what: string): string | null {
  if (busy) report.busy += 1;
  return isFault && !busy ? what : null;
}
