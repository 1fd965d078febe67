import { randomBytes } from 'node:crypto';
import { silentFlac } from '../support/audio/containers';
import { wavFile } from '../support/audio/signals';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

/** Of an account at a time. */
const MOST_FORMS = 8;
/** Ten minutes each. */
const LONG_FILES = 3;
/** What inspections and bodies have when the process is asked to stop, and what it takes to notice. */
const PROMPT_MS = 15_000;

let stack: Stack;
let staff: StaffClient;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  staff = await StaffClient.signedIn(stack, 'account_manager');
});
beforeEach(async () => (key = await consentedKey()));
afterAll(() => stack.stop());

async function consentedKey(): Promise<IssuedKey> {
  const issued = await stack.issueKey({ tier: 'business' });
  const path = `/admin/accounts/${issued.accountId}/recordings-consent`;
  await staff.send('PUT', path, { given: true, reason: 'Signed form 12' }, { 'if-match': '*' });
  return issued;
}

/** A short recording that no other form has. */
const shortWav = () => wavFile(randomBytes(3_200));

let longOnes = 0;
/** A long one of 7 kB. */
const longFlac = () => silentFlac(590, { sampleRate: 40_000 + longOnes++ });

async function send(baseUrl: string, files: Uint8Array[], { secret } = key) {
  const body = new FormData();
  body.set('name', 'From recordings');
  for (const [index, bytes] of files.entries())
    body.append('files', new Blob([new Uint8Array(bytes)]), `${index}`);
  const headers = { 'xi-api-key': secret };
  const response = await fetch(`${baseUrl}/v1/voices/add`, { method: 'POST', headers, body });
  const { detail } = (await response.json()) as { detail?: { code: string } };
  return [response.status, detail?.code, response.headers.get('retry-after')];
}

/** A form whose first file is stored, and that does not end. */
async function beginForm(baseUrl: string, { secret } = key): Promise<RawConnection> {
  const connection = await RawConnection.to(baseUrl);
  const part = '--x\r\ncontent-disposition: form-data; name="files"; filename="a.wav"\r\n\r\n';
  const text = `${part}${Buffer.from(shortWav()).toString('latin1')}\r\n${part}`;
  connection.send(
    `POST /v1/voices/add HTTP/1.1\r\nHost: here\r\nxi-api-key: ${secret}\r\nTransfer-Encoding: chunked\r\n` +
      `Content-Type: multipart/form-data; boundary=x\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`,
  );
  return connection;
}

async function storedRecordings(): Promise<number> {
  const [row] = await stack.dataSource.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM audio_object',
  );
  return row!.count;
}

it('429: more unfinished uploads of an account than are accepted; another account has its own', async () => {
  const forms = await Promise.all(Array.from({ length: MOST_FORMS }, () => beginForm(stack.baseUrl)));
  await eventually(async () => expect(await storedRecordings()).toBe(MOST_FORMS));
  expect(await send(stack.baseUrl, [shortWav()])).toEqual([429, 'too_many_uploads', '5']);
  expect(await send(stack.baseUrl, [shortWav()], await consentedKey())).toEqual([200, undefined, null]);
  for (const form of forms) form.close();
  await eventually(async () =>
    expect(await send(stack.baseUrl, [shortWav()])).toEqual([200, undefined, null]),
  );
});

it('the same recordings in several forms at once: one that is refused takes them from no other', async () => {
  const same = Array.from({ length: LONG_FILES + 1 }, longFlac);
  const responses = await Promise.all(Array.from({ length: 4 }, () => send(stack.baseUrl, same)));
  expect(responses.map(([status]) => status)).toEqual([422, 422, 422, 422]);
  const one = shortWav();
  const both = await Promise.all([send(stack.baseUrl, [one, ...same]), send(stack.baseUrl, [one])]);
  expect(both.map(([status]) => status)).toEqual([422, 200]);
});

it('a process that is asked to stop ends promptly, whatever is uploaded to it', async () => {
  const api = await ApiProcess.start(stack.config);
  const before = await storedRecordings();
  const forms = Array.from({ length: MOST_FORMS - 1 }, () =>
    send(api.url, Array.from({ length: LONG_FILES }, longFlac)),
  );
  const responses = Promise.allSettled(forms);
  const unfinished = await beginForm(api.url);
  await eventually(async () => expect(await storedRecordings()).toBeGreaterThan(before + LONG_FILES));
  const startedAt = performance.now();
  await api.stop('SIGTERM');
  expect(performance.now() - startedAt).toBeLessThan(PROMPT_MS);
  const statuses = (await responses).map((each) =>
    each.status === 'fulfilled' ? each.value[0] : each.reason,
  );
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(unfinished.statuses).toEqual([503]);
});
