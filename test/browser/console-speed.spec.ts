import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { eventually } from '../support/eventually';

/** What is felt: nothing waits for the server that the console knows already, or can know before it is asked. */

const { stack, browser } = ConsoleBrowser.ofFile({ worker: false });
let window: ConsolePage;
let accountId: string;
let keyId: string;

beforeAll(async () => {
  window = await browser.signedIn('account_manager');
  accountId = await stack.openAccount('pro');
  for (let at = 0; at < 25; at += 1) await stack.issueKey({ accountId, name: `Branch office ${at}` });
  keyId = (await stack.issueKey({ accountId, name: 'Production' })).keyId;
});

afterEach(() => window.page.unrouteAll());

const rowLink = (name: string) => window.page.getByRole('link', { name, exact: true });
const menuLink = (name: string) =>
  window.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name });

it('a list that was opened before is drawn from memory, and corrected', async () => {
  await window.open('/api-keys');
  await rowLink('Production').waitFor();
  await menuLink('Accounts').click();
  await window.page.getByRole('heading', { name: 'Accounts' }).waitFor();
  await stack.dataSource.query(`UPDATE api_key SET name = 'Renamed' WHERE id = $1`, [keyId]);
  let letRead = (): void => undefined;
  const isLetRead = new Promise<void>((resolve) => (letRead = resolve));
  await window.page.route('**/admin/api-keys?*', async (route) => {
    await isLetRead;
    await route.continue();
  });
  // It is old by the time it is opened again.
  await window.page.clock.install();
  await window.page.clock.fastForward(10_000);
  await menuLink('API keys').click();
  await rowLink('Production').waitFor();
  letRead();
  await rowLink('Renamed').waitFor();
  await stack.dataSource.query(`UPDATE api_key SET name = 'Production' WHERE id = $1`, [keyId]);
});

it('what a link leads to, and the next page, are read while the reader points at them', async () => {
  await window.open('/api-keys?limit=20');
  const ofKey = window.page.waitForResponse((response) =>
    response.url().endsWith(`/admin/api-keys/${keyId}`),
  );
  await rowLink('Production').hover();
  expect((await ofKey).status()).toBe(200);
  const nextPage = window.page.waitForResponse((response) => /api-keys\?.*cursor=/.test(response.url()));
  await window.button('Next page').focus();
  expect((await nextPage).status()).toBe(200);
  // Nothing is requested again, and nothing is waited for.
  await window.page.route('**/admin/api-keys?*cursor=*', () => undefined);
  await window.button('Next page').click();
  await window.sees('26 in all, continued');
});

it('a change shows before the server has it; refused, it is reverted with words, and nothing typed is lost', async () => {
  await window.open(`/api-keys/${keyId}`);
  let refuse = (): void => undefined;
  const isRefused = new Promise<void>((resolve) => (refuse = resolve));
  await window.page.route('**/disable', async (route) => {
    await isRefused;
    const body = { status: 409, code: 'conflict', title: 'Conflict', detail: 'The account is being moved.' };
    await route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(body) });
  });
  await window.choose('Actions', 'Disable…');
  await window.confirm('Disable');
  await window.page.getByRole('dialog').waitFor({ state: 'detached' });
  await window.page.locator('main .gr-status').getByText('disabled').first().waitFor();
  refuse();
  const dialog = window.page.getByRole('dialog', { name: /^Disable the key/ });
  await dialog.getByText('The account is being moved.').waitFor();
  expect(await dialog.getByLabel(/^Reason/).inputValue()).toBe('Ticket 4711');
  expect(await window.page.locator('main .gr-status').getByText('disabled').count()).toBe(0);
  await window.page.unrouteAll();
  await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
  await window.sees('The key is disabled.');
  await eventually(async () => {
    const [key] = await stack.dataSource.query(
      'SELECT disabled_at IS NOT NULL AS is_disabled FROM api_key WHERE id = $1',
      [keyId],
    );
    expect(key).toEqual({ is_disabled: true });
  });
});

it('20 rows of keys are seen without scrolling at 1440 × 1000', async () => {
  await window.page.setViewportSize({ width: 1440, height: 1000 });
  await window.open('/api-keys?limit=25');
  const rows = window.page.getByRole('table', { name: 'API keys' }).locator('tr[data-row]');
  await rows.nth(24).waitFor();
  const bottoms = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().bottom));
  expect(bottoms.filter((bottom) => bottom <= 1_000).length).toBeGreaterThanOrEqual(20);
});
