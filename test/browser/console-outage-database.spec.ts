import { migrateDatabase } from '../../libs/database/migrate';
import { ConsoleBrowser, type ConsolePage } from '../support/console-page';
import { OwnPostgres } from '../support/own-postgres';
import { Stack } from '../support/stack';

/** How long it is away after a crash: longer than a request that began before it waits, also on a busy machine. */
const RESTART_MS = 15_000;
/** A query waits a few seconds and is sent twice more before the database counts as down. */
const OUTAGE_MS = 60_000;

let postgres: OwnPostgres;
let stack: Stack;
let browser: ConsoleBrowser;

beforeAll(async () => {
  postgres = await OwnPostgres.start(() => undefined, { restartMs: RESTART_MS });
  await migrateDatabase(postgres.ownerUrl, postgres.url);
  const database = { url: postgres.url, ownerUrl: postgres.ownerUrl, drop: () => postgres.stop() };
  stack = await Stack.start({ worker: false, database });
  browser = await ConsoleBrowser.open(stack);
});

afterAll(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
  await stack.stop();
});

/** The notice at the top, which names what is away. */
const away = ({ page }: ConsolePage) =>
  page.getByText(/not available right now: PostgreSQL does not respond/);

async function windowWithDraft(): Promise<ConsolePage> {
  const window = await browser.signedIn('account_manager');
  window.context.setDefaultTimeout(OUTAGE_MS);
  await window.open(`/accounts/${await stack.openAccount('pro')}/new-key`);
  await window.field('Name').fill('Typed before the outage');
  await window.field('Everything, including permissions').check();
  await window.field('Reason').fill('Ticket 4711');
  return window;
}

/** The draft is as it was left, and can be sent once the notice has gone by itself. */
async function finishDraft(window: ConsolePage): Promise<void> {
  expect(await window.field('Name').inputValue()).toBe('Typed before the outage');
  expect(await window.field('Reason').inputValue()).toBe('Ticket 4711');
  await away(window).waitFor({ state: 'detached' });
  await window.button('Create the key').click();
  await window.sees('Copy the secret now.');
  await window.close();
}

const keysCreated = async () => {
  const rows = await stack.dataSource.query<object[]>(
    `SELECT FROM api_key WHERE name = 'Typed before the outage'`,
  );
  return rows.length;
};

it('PostgreSQL crashes: every screen says so, none is white, drafts stay, and all of them recover untouched', async () => {
  const window = await windowWithDraft();
  const home = await browser.signedIn('account_manager');
  const reader = await browser.signedIn('account_manager');
  for (const each of [home, reader]) each.context.setDefaultTimeout(OUTAGE_MS);
  await reader.open('/accounts');
  postgres.crash();
  await window.button('Create the key').click();
  await away(window).waitFor();
  await home.page.goto('/console/');
  await home.sees('This screen cannot be shown');
  await reader.page.getByRole('link', { name: 'API keys' }).click();
  await away(reader).waitFor();
  expect(await reader.page.getByRole('heading', { name: 'API keys', level: 1 }).count()).toBe(1);

  await home.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await reader.sees('No key matches these filters.');
  await away(reader).waitFor({ state: 'detached' });
  expect(await reader.button('Try again').count()).toBe(0);
  await finishDraft(window);
  expect(await keysCreated()).toBe(1);
  await Promise.all([home.close(), reader.close()]);
});

it('PostgreSQL stands still: nothing waits for it for ever, what was typed stays, and nothing was done twice', async () => {
  const before = await keysCreated();
  const window = await windowWithDraft();
  postgres.freeze();
  try {
    await window.button('Create the key').click();
    await away(window).waitFor();
    expect(await window.field('Name').inputValue()).toBe('Typed before the outage');
  } finally {
    postgres.thaw();
  }
  await finishDraft(window);
  expect(await keysCreated()).toBe(before + 1);
});
