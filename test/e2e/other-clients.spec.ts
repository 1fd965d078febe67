import { copyPreviews, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

/** What the programs send that the newest official library does not: older official clients, community libraries, browsers. */
let stack: Stack;
let key: IssuedKey;
let firstPreview: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  [firstPreview] = (await designPreviews(stack, key)) as [string];
});

afterAll(async () => {
  await stack.stop();
});

const newPreview = async () => (await copyPreviews(stack, firstPreview, 1))[0]!;

describe('POST /v1/text-to-voice/create-voice-from-preview, which older official clients call', () => {
  const OLDER_PATH = '/v1/text-to-voice/create-voice-from-preview';

  it('creates the voice that the newer path creates, and the same request there is the same voice', async () => {
    const body = createBody(await newPreview(), { labels: { accent: 'irish' } });
    const created = await stack.request('POST', OLDER_PATH, { secret: key.secret, body });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ name: 'Harbour narrator', labels: { accent: 'irish' } });
    const again = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
    expect(again.body.voice_id).toBe(created.body.voice_id);
  });

  it('understands Idempotency-Key, and needs voices_write', async () => {
    const headers = { 'idempotency-key': 'older-path' };
    const body = createBody(await newPreview());
    const [one, two] = [
      await stack.request('POST', OLDER_PATH, { secret: key.secret, body, headers }),
      await stack.request('POST', OLDER_PATH, { secret: key.secret, body, headers }),
    ];
    expect([two.status, two.body]).toEqual([200, one.body]);
    const { secret } = await stack.issueKey({ permissions: ['voice_generation'] });
    expect((await stack.request('POST', OLDER_PATH, { secret, body })).status).toBe(403);
  });
});
