import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrowserPage } from '../support/browser-page';
import { makeVoice } from '../support/previews';
import { createBody, designBody } from '../support/samples';
import { ROOT } from '../support/source-files';
import { Stack, type IssuedKey } from '../support/stack';

let stack: Stack;
let browser: BrowserPage;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  browser = await BrowserPage.open('<!doctype html><title>A customer</title><audio id="player"></audio>');
  key = await stack.issueKey();
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** What the customer's server does for the page: it has the key, the page never sees it. */
async function tokenFor(type: string): Promise<string> {
  const { body } = await stack.request('POST', `/v1/single-use-token/${type}`, { secret: key.secret });
  return body.token as string;
}

interface ClientResponse {
  status: number;
  body: Record<string, unknown>;
}

/** A request of the page's own script. */
const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<ClientResponse> =>
  browser.page.evaluate(
    async ({ url, sent, given }) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...given },
        body: JSON.stringify(sent),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    { url: stack.baseUrl + path, sent: body, given: headers },
  );

/** What this uses of an audio element. */
interface Player {
  muted: boolean;
  playbackRate: number;
  src: string;
  readonly duration: number;
  readonly error: { code: number } | null;
  addEventListener(event: 'ended' | 'error', listener: () => void): void;
  play(): Promise<void>;
}

/** Plays a preview to its end in the page's audio element; its length in seconds, or how it failed. */
const play = (id: string, token: string): Promise<number | string> =>
  browser.page.locator('#player').evaluate(async (element, url) => {
    const player = element as unknown as Player;
    player.muted = true;
    player.playbackRate = 16;
    player.src = url;
    return new Promise<number | string>((resolve) => {
      player.addEventListener('ended', () => resolve(player.duration));
      player.addEventListener('error', () => resolve(`error ${player.error?.code}`));
      player.play().catch((error: Error) => resolve(error.name));
    });
  }, `${stack.baseUrl}/v1/text-to-voice/${id}/stream?single_use_token=${token}`);

it('a page of another origin designs, plays and creates with single-use tokens only', async () => {
  expect(browser.origin).not.toBe(stack.baseUrl);
  const designed = await post('/v1/text-to-voice/design', designBody(), {
    'xi-single-use-token': await tokenFor('text_to_voice_design'),
  });
  expect(designed.status).toBe(200);
  const previews = designed.body.previews as { generated_voice_id: string; duration_secs: number }[];
  const { generated_voice_id: id, duration_secs: seconds } = previews[1]!;

  expect(await play(id, await tokenFor('preview_stream'))).toBeCloseTo(seconds, 0);

  const token = await tokenFor('text_to_voice_create');
  const created = await post(`/v1/text-to-voice?single_use_token=${token}`, createBody(id));
  expect(created).toMatchObject({ status: 200, body: { labelling_status: 'in_review' } });
});

it('the page can read why a used token is refused, and cannot play with it', async () => {
  const token = await tokenFor('text_to_voice_design');
  const query = `/v1/text-to-voice/design?token=${token}`;
  const designed = await post(query, designBody());
  expect(designed.status).toBe(200);
  expect(await post(query, designBody())).toMatchObject({
    status: 401,
    body: { detail: { code: 'invalid_single_use_token' } },
  });
  const [preview] = designed.body.previews as { generated_voice_id: string }[];
  expect(await play(preview!.generated_voice_id, token)).toMatch(/^error|NotSupportedError/);
});

it('the page speaks with a voice over HTTP and over a socket, as docs/clients.md shows it', async () => {
  const { voiceId } = await makeVoice(stack, key.secret);
  const examples = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8').match(
    /(?<=```js\n)[^`]*(?:`[^`]+`[^`]*)*?(?=```)/g,
  )!;
  const spoken = examples.filter((example) => example.includes('text-to-speech'));
  expect(spoken).toHaveLength(2);
  for (const [index, type] of ['text_to_speech', 'tts_websocket'].entries()) {
    const values = Object.entries({ greenroom: stack.baseUrl, voiceId, token: await tokenFor(type) });
    const constants = values.map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`).join('\n');
    const seconds = await browser.page.evaluate<number>(`(async () => {
      const player = document.querySelector('audio');
      const loaded = new Promise((resolve) => {
        player.onloadedmetadata = () => resolve(player.duration);
      });
      await (async () => { ${constants} ${spoken[index]} })();
      return loaded;
    })()`);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(6);
  }
});

it('the page can read nothing of the administration', async () => {
  const outcome = await browser.page.evaluate(
    (url) => fetch(url).then(String, (error: Error) => error.name),
    `${stack.baseUrl}/admin/accounts`,
  );
  expect(outcome).toBe('TypeError');
});
