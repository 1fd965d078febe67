// node scripts/console-speed.mjs [ROUNDS]: how fast the console feels on a machine with a CPU that is four times slower, over
// loopback, with the customers of the demo and 60 more keys. Medians of the rounds (5), in milliseconds:
//   first screens with nothing in the browser's cache: until there is a heading, until they have read what they show, and the
//   longest task until then
//   clicks: until a frame after the press is painted, in which a link or button looks pressed; from the release, until the first
//   change on the screen is painted, and until what it leads to has been read
// `cpu` is four times what the page's main thread uses without throttling: other work on the machine hardly changes that.
import { readFileSync } from 'node:fs';
import { readIds, withDemoConsole } from './demo-console.mjs';

const SLOWER = 4;
const KEYS = 60;
/** How long a press is held. */
const HELD_MS = 50;
/** What a press counts as whose frame comes sooner than the browser reports, which is 16. */
const AT_ONCE_MS = 8;
const rounds = Number(process.argv[2] ?? 5);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Notes tasks of more than 50 ms, and after each press, when the first change that follows it is painted. */
const WATCHING = `(() => {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'pointerdown') globalThis.pressed = duration;
  }).observe({ type: 'event', durationThreshold: 16 });
  let pressedAt = null;
  addEventListener('pointerdown', () => { globalThis.pressed = ${AT_ONCE_MS}; globalThis.effect = null; }, true);
  addEventListener('pointerup', ({ timeStamp }) => { pressedAt = timeStamp; }, true);
  new MutationObserver(() => {
    if (pressedAt === null) return;
    const at = pressedAt;
    pressedAt = null;
    requestAnimationFrame(() => setTimeout(() => { globalThis.effect = performance.now() - at; }));
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})()`;
const isSettled = `document.querySelector('h1') !== null && document.querySelector('[aria-label="Loading"], [aria-busy="true"]') === null`;

const firstScreens = ({ accountId, keyId }) => ({
  Home: '/',
  'API keys': '/api-keys',
  'an account': `/accounts/${accountId}`,
  'a key': `/api-keys/${keyId}`,
});

/** Each click from the screen that the one before has left. */
const CLICKS = {
  'menu: Accounts': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Accounts' }),
  'a row: an account': (page) => page.getByRole('link', { name: /Northwind/ }).first(),
  'a tab: Credits': (page) => page.getByRole('link', { name: 'Credits', exact: true }),
  'menu: API keys': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'API keys' }),
  'Next page': (page) => page.getByRole('button', { name: 'Next page' }),
  Back: (page) => page.getByRole('button', { name: 'Back', exact: true }),
  'sort by name': (page) => page.getByRole('button', { name: 'Key', exact: true }),
  'a preset': (page) => page.getByRole('button', { name: /Unused for 90 days/ }),
  'select a row': (page) => page.getByRole('checkbox', { name: /^Select/ }).nth(1),
  'Add filter': (page) => page.getByRole('button', { name: 'Add filter' }),
  'menu: API keys again': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'API keys' }),
  'a row: a key': (page) => page.getByRole('link', { name: /Branch office/ }).first(),
  Actions: (page) => page.getByRole('button', { name: 'Actions' }),
  'Disable…': (page) => page.getByRole('menuitem', { name: 'Disable…' }),
  Cancel: (page) => page.getByRole('button', { name: 'Cancel' }),
  'Explain a request': (page) => page.getByRole('link', { name: 'Explain a request' }),
  'menu: Voices': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Voices' }),
  'a row: a voice': (page) => page.getByRole('link', { name: /Harbour/ }).first(),
  'menu: Audit log': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Audit log' }),
  Details: (page) => page.getByRole('button', { name: 'Details' }).first(),
  'menu: Home': (page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Home' }),
  'Find anything': (page) => page.getByRole('button', { name: /Find anything/ }),
};

await withDemoConsole(async (browser, session) => {
  const ids = await prepare(browser, session);
  const rows = [];
  for (const [screen, path] of Object.entries(firstScreens(ids))) {
    const [slow, usual] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      slow.push(await openFirst(browser, session, path, SLOWER));
      usual.push(await openFirst(browser, session, path, 1));
    }
    const of = (found, what) => Math.round(median(found.map((one) => one[what])));
    rows.push({
      screen,
      heading: of(slow, 'heading'),
      read: of(slow, 'read'),
      'longest task': of(slow, 'longest'),
      'cpu to heading': SLOWER * of(usual, 'cpuToHeading'),
      'cpu to read': SLOWER * of(usual, 'cpu'),
      'cpu of longest': SLOWER * of(usual, 'longest'),
      requests: of(slow, 'requests'),
      kB: of(slow, 'kB'),
    });
  }
  console.table(rows);
  const clicks = [];
  for (let round = 0; round < rounds; round += 1) clicks.push(await clickThrough(browser, session));
  console.table(
    Object.keys(CLICKS).map((click, at) => ({
      click,
      pressed: Math.round(median(clicks.map((one) => one[at].pressed))),
      effect: Math.round(median(clicks.map((one) => one[at].effect))),
      settled: Math.round(median(clicks.map((one) => one[at].settled))),
    })),
  );
  console.log(`load ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
});

async function prepare(browser, session) {
  const context = await browser.newContext(session);
  const { request } = context;
  const ids = await readIds(request);
  const headers = { origin: session.baseURL };
  for (let at = 0; at < KEYS; at += 1) {
    const data = {
      name: `Branch office ${at}`,
      permissions: ['models_read'],
      reason: 'Speed',
    };
    const response = await request.post(`/admin/accounts/${ids.accountId}/api-keys`, { data, headers });
    if (!response.ok()) throw new Error(await response.text());
  }
  await context.close();
  return ids;
}

async function openPage(browser, session, slower) {
  const viewport = { width: 1440, height: 1000 };
  const context = await browser.newContext({ ...session, bypassCSP: true, viewport });
  await context.addInitScript(WATCHING);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpuMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration').value;
  };
  return { context, page, cpuMs };
}

async function openFirst(browser, session, path, slower) {
  const { context, page, cpuMs } = await openPage(browser, session, slower);
  await page.goto(`/console${path}`, { waitUntil: 'commit' });
  const heading = await now(page, `document.querySelector('h1') !== null`);
  const cpuToHeading = await cpuMs();
  const read = await now(page, isSettled);
  const cpu = await cpuMs();
  const [longest, requests, bytes] = await page.evaluate(
    `(() => { const all = performance.getEntriesByType('resource'); return [longest, all.length, all.reduce((sum, { transferSize }) => sum + transferSize, 0)]; })()`,
  );
  await context.close();
  return { heading, read, longest, cpuToHeading, cpu, requests, kB: bytes / 1_000 };
}

async function now(page, holds) {
  const handle = await page.waitForFunction(`(${holds}) && performance.now()`, undefined, { polling: 'raf' });
  return handle.jsonValue();
}

/** All clicks, after everything has been fetched. */
async function clickThrough(browser, session) {
  const { context, page } = await openPage(browser, session, SLOWER);
  await page.goto('/console/');
  await now(page, isSettled);
  await page.waitForTimeout(8_000);
  const found = [];
  for (const [name, locate] of Object.entries(CLICKS)) {
    const target = locate(page);
    await target.waitFor();
    await target.hover();
    await page.waitForTimeout(100);
    // As a hand presses. Without a look at what is hit, which would count.
    await target.click({ force: true, delay: HELD_MS });
    const began = Date.now();
    await page.waitForFunction('globalThis.effect !== null', undefined, { timeout: 10_000 }).catch(() => {
      throw new Error(`${name} had no effect.`);
    });
    const effect = await page.evaluate('globalThis.effect');
    await now(page, isSettled);
    found.push({ pressed: await page.evaluate('globalThis.pressed'), effect, settled: Date.now() - began });
    if (['Add filter'].includes(name)) await page.keyboard.press('Escape');
  }
  await context.close();
  return found;
}
