// Times how long a person waits for the first list of keys, in Chromium, from the click on "Sign in" and from opening the
// screen with a session, nothing in the browser's cache either time:
//
//     npm run build && node bench/seed-keys/measure-console.mjs postgres://…/greenroom_bench [rounds]
//
// Needs a database filled by seed-keys.mjs, and chromium on the PATH. Adds a member of staff to it.
import { execFileSync } from 'node:child_process';
import { argv } from 'node:process';
import { chromium } from 'playwright-core';
import { startApi } from '../lib/greenroom.mjs';
import { addAdmin } from '../lib/staff.mjs';

const [databaseUrl, rounds = '20'] = argv.slice(2);
if (!databaseUrl) throw new Error('Give the URL of a database that seed-keys.mjs has filled.');

const executablePath = execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
const admin = await addAdmin(databaseUrl);
const api = await startApi(databaseUrl, {}, { alone: false });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const screen = `${api.baseUrl}/console/api-keys`;

const signingIn = [];
const opening = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const context = await browser.newContext();
  signingIn.push(await timeSignIn(await context.newPage()));
  const again = await browser.newContext({ storageState: await context.storageState() });
  opening.push(await timeOpening(await again.newPage()));
  await context.close();
  await again.close();
}
await browser.close();
await api.stop();

console.log(`${'ms to the first row'.padEnd(28)}     p50     p95     max`);
report('from the click on "Sign in"', signingIn);
report('from opening the screen', opening);

async function timeSignIn(page) {
  await page.goto(screen);
  await page.getByLabel('E-mail address').fill(admin.email);
  await page.getByLabel(/^Password/).fill(admin.password);
  const startedAt = performance.now();
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await firstRow(page);
  return performance.now() - startedAt;
}

async function timeOpening(page) {
  const startedAt = performance.now();
  await page.goto(screen, { waitUntil: 'commit' });
  await firstRow(page);
  return performance.now() - startedAt;
}

async function firstRow(page) {
  await page.locator('table[aria-label="API keys"] tbody tr a').first().waitFor();
}

function report(name, times) {
  times.sort((a, b) => a - b);
  const at = (share) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0).padStart(8);
  console.log(`${name.padEnd(28)}${at(0.5)}${at(0.95)}${at(1)}`);
}
