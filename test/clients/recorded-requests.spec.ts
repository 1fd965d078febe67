import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeVoice } from '../support/previews';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { speechFile } from '../support/stored-voices';

/** A request of a client, and what the client reads of the response. `{name}` stands for a value that is known by then. */
interface RecordedRequest {
  does: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  json?: object;
  form?: Record<string, string>;
  /** Names under which recordings are sent in `files`. */
  files?: string[];
  /** 200 when left out. */
  status?: number;
  /** Path in the response to a type or to the value itself. */
  reads?: Record<string, string>;
  /** What at least one entry of a list has. */
  some?: object;
  /** Media type of the audio that is the response. */
  audio?: string;
  /** Names for later requests, and where their values are in the response. */
  keeps?: Record<string, string>;
}

interface Recording {
  client: string;
  version: string;
  source: string;
  /** Of every request. */
  headers?: Record<string, string>;
  requests: RecordedRequest[];
}

const FOLDER = join(__dirname, 'recorded');
const RECORDINGS = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Recording,
);
const TYPES = ['string', 'number', 'boolean', 'object', 'list', 'null'];

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function readAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], body);
}

function bodyOf({ json, form, files }: RecordedRequest, fill: (text: string) => string) {
  if (json) return fill(JSON.stringify(json));
  if (!form) return undefined;
  const parts = new FormData();
  for (const [name, value] of Object.entries(form)) parts.append(name, value);
  for (const name of files ?? []) parts.append('files', new Blob([Buffer.from(speechFile())]), name);
  return parts;
}

/** What the client looks for in a response, and does not find. */
function missing(
  { status = 200, audio, reads = {}, some }: RecordedRequest,
  response: Response,
  bytes: Buffer,
): string[] {
  if (response.status !== status)
    return [`status ${status}: ${response.status} ${bytes.toString('utf8', 0, 500)}`];
  if (audio !== undefined) {
    const type = response.headers.get('content-type');
    return type === audio && bytes.length > 1_000 ? [] : [`${audio}: ${type} of ${bytes.length} bytes`];
  }
  const body = JSON.parse(bytes.toString()) as unknown;
  const unread = Object.entries(reads).filter(([path, expected]) => {
    const value = readAt(body, path);
    return (TYPES.includes(expected) ? typeOf(value) : value) !== expected;
  });
  const entries = some ? Object.entries(some) : [];
  const has = (entry: Record<string, unknown>) => entries.every(([name, value]) => entry[name] === value);
  const hasSome = !some || (body as Record<string, unknown>[]).some(has);
  return [
    ...unread.map(([path, expected]) => `${path}: ${expected}`),
    ...(hasSome ? [] : [JSON.stringify(some)]),
  ];
}

describe.each(RECORDINGS)('$client, $version', ({ requests, headers: common }) => {
  const known: Record<string, string> = { description: DESCRIPTION, text: TEXT, now: String(Date.now()) };
  let secret: string;

  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (name, key: string) => known[key] ?? name);

  beforeAll(async () => {
    const key = await stack.issueKey({ tier: 'pro' });
    ({ secret } = key);
    const { voiceId } = await makeVoice(stack, secret, { voice_name: 'Harbour' });
    known.voice_id = voiceId;
    await stack.dataSource.query('UPDATE account SET recordings_consented_at = now() WHERE id = $1', [
      key.accountId,
    ]);
  });

  it.each(requests)('$does', async (request) => {
    const body = bodyOf(request, fill);
    const headers = {
      'xi-api-key': secret,
      ...common,
      ...(request.json && { 'content-type': 'application/json' }),
      ...request.headers,
    };
    // Of a form, fetch knows the boundary.
    if (request.form) delete (headers as Record<string, string>)['content-type'];
    const response = await fetch(stack.baseUrl + fill(request.path), {
      method: request.method,
      headers,
      body,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(missing(request, response, bytes)).toEqual([]);
    const keeps = Object.entries(request.keeps ?? {});
    for (const [name, path] of keeps) known[name] = String(readAt(JSON.parse(bytes.toString()), path));
  });
});
