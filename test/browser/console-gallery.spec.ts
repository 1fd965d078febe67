import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium';
import { eventually } from '../support/eventually';
import { ALL_BUT_COLOURS, findings, tooWide } from '../support/page-findings';

const ROOT = join(__dirname, '../..');
const ORIGIN = 'http://gallery.test';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const WIDTHS = [320, 360, 390, 820, 1280, 1440];
const USUAL = { width: 1440, height: 1000 };

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'greenroom-gallery-'));
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = [
    'build',
    join(__dirname, 'gallery'),
    '--outDir',
    folder,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ];
  await promisify(execFile)(process.execPath, [vite, ...args]);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** The gallery as it is built, in a window of its own. */
async function withGallery(dark: boolean, look: (page: Page) => Promise<void>): Promise<void> {
  const colorScheme = dark ? 'dark' : 'light';
  const context = await browser.newContext({
    viewport: USUAL,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const body = await readFile(join(folder, pathname)).catch(() => null);
    await (body
      ? route.fulfill({ body, contentType: TYPES[extname(pathname)] ?? 'application/octet-stream' })
      : route.fulfill({ status: 404 }));
  });
  await page.goto(`${ORIGIN}/index.html`);
  await page.getByRole('heading', { name: 'Parts', level: 1 }).waitFor();
  await page.getByRole('figure', { name: 'Requests by day' }).locator('svg').first().waitFor();
  await look(page);
  expect(errors).toEqual([]);
  await context.close();
}

describe.each([
  ['light', false],
  ['dark', true],
] as const)('each shared part, %s', (_, dark) => {
  it('has nothing that axe finds at 1440, 820 and 360 px, and nothing wider than the window from 320 px on', async () => {
    await withGallery(dark, async (page) => {
      expect(await findings(page)).toEqual([]);
      for (const width of [820, 360]) {
        await page.setViewportSize({ ...USUAL, width });
        expect(await findings(page, ALL_BUT_COLOURS)).toEqual([]);
      }
      await page.setViewportSize(USUAL);
      expect(await tooWide(page, WIDTHS)).toEqual([]);
    });
  });

  it('keeps its marks where colours are forced, moves nothing where motion is reduced, and zooms to 200 %', async () => {
    await withGallery(dark, async (page) => {
      const moving = () =>
        page.evaluate<number>(
          'document.getAnimations().filter(({ playState }) => playState === "running").length',
        );
      await eventually(async () => expect(await moving()).toBe(0));
      await page.emulateMedia({ forcedColors: 'active' });
      const shapes = await page.evaluate<{ isDrawn: boolean; shape: string }[]>(`
        [...document.querySelectorAll('.gr-status')].map((mark) => {
          const { backgroundColor, boxShadow, clipPath, transform } = getComputedStyle(mark, '::before');
          const isDrawn = backgroundColor !== 'rgba(0, 0, 0, 0)' || boxShadow !== 'none';
          return { isDrawn, shape: clipPath + transform };
        })`);
      expect(shapes.every(({ isDrawn }) => isDrawn)).toBe(true);
      expect(new Set(shapes.map(({ shape }) => shape)).size).toBeGreaterThanOrEqual(3);
      await page.emulateMedia({ forcedColors: 'none' });
      // A page that is zoomed to 200 % has half the pixels of its window.
      expect(await tooWide(page, [USUAL.width / 2])).toEqual([]);
    });
  });

  it('moves through a list by keyboard, selects in it, and shows each row in full beside it', async () => {
    await withGallery(dark, async (page) => {
      const rows = page.locator('table[aria-label="20 keys"] tr[data-row]');
      await rows.first().waitFor();
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      // What is selected changes no row: nothing jumps.
      for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
      await page.getByText('2 selected').waitFor();
      expect(await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))).toEqual(
        heights,
      );
      await page.keyboard.press('Space');
      const peek = page.getByRole('complementary', { name: '20 keys: details' });
      await peek.getByRole('heading', { name: /^x+…$/ }).waitFor();
      await page.keyboard.press('k');
      await peek.getByRole('heading', { name: /^Orchard/ }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await peek.waitFor({ state: 'detached' });
    });
  });

  it('asks in a dialog that is named, holds the focus and gives it back', async () => {
    await withGallery(dark, async (page) => {
      const opener = page.getByRole('button', { name: 'Disable…' });
      await opener.click();
      await page.getByRole('dialog', { name: /^Disable 3 keys/ }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const focused = () => page.evaluate<string>('document.activeElement.textContent');
      await eventually(async () => expect(await focused()).toBe(await opener.textContent()));
    });
  });
});

it('no user loads the gallery', async () => {
  const manifest = await readFile(join(ROOT, 'dist/console/.manifest.json'), 'utf8');
  expect(manifest).not.toContain('gallery');
});
