import { ConsoleBrowser } from '../support/console-page';
import { Stack, type IssuedKey } from '../support/stack';
import { speechFile, waitForReview } from '../support/stored-voices';

let stack: Stack;
let browser: ConsoleBrowser;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start();
  browser = await ConsoleBrowser.open(stack);
  key = await stack.issueKey();
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

async function addVoice(): Promise<{ status: number; voiceId: string }> {
  const body = new FormData();
  body.append('name', 'Two takes');
  body.append('files', new Blob([new Uint8Array(speechFile())]), 'quiet room.wav');
  body.append('files', new Blob([new Uint8Array(speechFile(20))]), 'too loud.wav');
  const headers = { 'xi-api-key': key.secret };
  const response = await fetch(`${stack.baseUrl}/v1/voices/add`, { method: 'POST', headers, body });
  const { voice_id: voiceId = '' } = (await response.json()) as { voice_id?: string };
  return { status: response.status, voiceId };
}

it('an account manager notes the consent, and support sees the grade of each recording and chooses which to play', async () => {
  expect((await addVoice()).status).toBe(403);
  const manager = await browser.signedIn('account_manager');
  await manager.open(`/accounts/${key.accountId}/settings`);
  await manager.button('Record the consent…').click();
  await manager.sees('You confirm that everyone who speaks in the recordings');
  await manager.confirm('Record the consent');
  await manager.sees('The consent has been recorded.');
  await manager.close();

  const { status, voiceId } = await addVoice();
  expect(status).toBe(200);
  await waitForReview(stack, voiceId, 'completed');
  const support = await browser.signedIn('support');
  await support.open(`/voices/${voiceId}`);
  await support.sees('2 recordings');
  const grades = support.page.getByRole('row').filter({ hasText: '.wav' });
  expect(await grades.allInnerTexts()).toEqual([
    expect.stringMatching(/quiet room\.wav\s+3\.0\s+\w+/),
    expect.stringMatching(/too loud\.wav\s+3\.0\s+bad/),
  ]);
  await support.page.getByLabel('Recording of this voice').selectOption('too loud.wav');
  await support.page.getByLabel('Why are you listening?').fill('A complaint');
  await support.button('Listen').click();
  await support.page.locator('audio').waitFor({ state: 'attached' });
  await support.close();
});
