import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { eventually } from './eventually';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const ONLY_COLOURS = { runOnly: ['color-contrast'] };
/** Colours are the same in every width, and take axe longer than all else together. */
export const ALL_BUT_COLOURS = { rules: { 'color-contrast': { enabled: false } } };

/** Whether the animations of the page are over; a spinner's never is. */
const HAVE_ENDED = `document.getAnimations().every(({ playState, effect }) =>
  playState !== 'running' || effect.getComputedTiming().endTime === Infinity)`;

/**
 * What axe finds, one line each; undecided is found, too, but for the contrast of texts in a drawing, which it cannot tell: they
 * have the colour of other dimmed texts, or are white on a dark ground of their own. In an open dialog or menu, the page behind
 * it cannot be reached.
 */
export async function findings(page: Page, rules: object = {}): Promise<string[]> {
  const options = { resultTypes: ['violations', 'incomplete'], ...rules };
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  // A button that was loading is covered until its overlay has faded.
  await eventually(async () => expect(await page.evaluate(HAVE_ENDED)).toBe(true));
  // What stays in view while the rest is scrolled covers what axe then cannot tell.
  await page.evaluate(`
    for (const part of document.querySelectorAll('.gr-bar, .gr-keybar, .mantine-Modal-header, .gr-dialog-buttons'))
      part.style.position = 'static'`);
  return page.evaluate<string[]>(`axe
    .run(document.querySelector('[role=dialog]') ?? document.querySelector('[role=menu]') ?? document, ${JSON.stringify(options)})
    .then(({ violations, incomplete }) =>
      [...violations, ...incomplete].flatMap(({ id, nodes }) =>
        nodes.filter(({ html }) => id !== 'color-contrast' || !/^<tspan|data-axis/.test(html)).map(({ html, any }) => id + ': ' + html.slice(0, 200) + ' ' + (any[0]?.message ?? ''))))`);
}

/** Widths in which the page stays wider than its window: charts follow a change of it a moment later. */
export async function tooWide(page: Page, widths: readonly number[]): Promise<number[]> {
  const usual = page.viewportSize()!;
  const found: number[] = [];
  for (const width of widths) {
    await page.setViewportSize({ ...usual, width });
    const excess = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    await eventually(async () => expect(await excess()).toBeLessThanOrEqual(0), {
      withinMs: 3_000,
    }).catch(() => found.push(width));
  }
  await page.setViewportSize(usual);
  return found;
}
