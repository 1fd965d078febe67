import { appendFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { ConsolePage } from './console-page';

/** What a person has done with their hands. A text is one, however long it is: typed into one field in one go, or pasted. */
export interface Inputs {
  clicks: number;
  keys: number;
  texts: number;
}

type Kind = keyof Inputs;

/** A file that gets a line for each task: its name, what it took, and its seconds. `docs/console-tasks.md` has medians of three runs. */
const TIMES = process.env.GREENROOM_TASK_TIMES;

/**
 * Counts in the page what the browser has received, not what a test has called. Playwright sets a list without a mouse
 * (`selectOption`), where a person opens it and clicks on an entry: two clicks.
 */
const COUNTING = `(() => {
  let field = null;
  const count = (kind) => { field = null; globalThis.countInput(kind); };
  const takesText = (element) =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(element.type));
  // Not of the window: there Playwright stops a click whose target has moved away, and clicks again.
  document.addEventListener('pointerdown', (event) => event.isTrusted && count('clicks'), true);
  addEventListener('change', (event) => {
    if (event.target instanceof HTMLSelectElement && !event.isTrusted) { count('clicks'); count('clicks'); }
  }, true);
  addEventListener('keydown', (event) => {
    if (!event.isTrusted || event.repeat || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && takesText(event.target);
    if (!isText) count('keys');
  }, true);
  addEventListener('input', (event) => {
    if (!takesText(event.target) || event.target === field) return;
    count('texts');
    field = event.target;
  }, true);
})()`;

/** Counts the clicks, keys and typed texts of a window, from its next page on. */
export class InputCounter {
  private inputs: Inputs = { clicks: 0, keys: 0, texts: 0 };

  private constructor(readonly window: ConsolePage) {}

  static async of(window: ConsolePage): Promise<InputCounter> {
    const counter = new InputCounter(window);
    await window.context.exposeFunction('countInput', (kind: Kind) => {
      counter.inputs[kind] += 1;
    });
    await window.context.addInitScript(COUNTING);
    return counter;
  }

  /** Does a task that begins on a screen, and returns what it took. */
  async during(task: (window: ConsolePage) => Promise<void>, from = '/'): Promise<Inputs> {
    await this.window.open(from);
    this.inputs = { clicks: 0, keys: 0, texts: 0 };
    const began = performance.now();
    await task(this.window);
    if (TIMES) appendFileSync(TIMES, lineOf(this.inputs, performance.now() - began));
    return this.inputs;
  }
}

function lineOf({ clicks, keys, texts }: Inputs, tookMs: number): string {
  return `${[expect.getState().currentTestName, clicks, keys, texts, (tookMs / 1_000).toFixed(1)].join('\t')}\n`;
}

const MOST_TABS = 40;

/** Presses Tab until this has the focus, or with `Shift+Tab` goes back to it. */
export async function tabTo(
  { page }: ConsolePage,
  requested: Locator,
  tab: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  await requested.waitFor();
  for (let presses = 0; presses < MOST_TABS; presses++) {
    if (await requested.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(tab);
  }
  throw new Error(`${MOST_TABS} presses of ${tab} do not reach it.`);
}
