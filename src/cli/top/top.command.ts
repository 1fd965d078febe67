import { QueueModule } from '@app/queue/queue.module';
import type { AppConfig } from '@app/config/app-config';
import type { INestApplicationContext } from '@nestjs/common';
import { emitKeypressEvents } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { withServices } from '../cli.module';
import { withDatabase } from '../with-database';
import { readFigures, type TopFigures } from './top-figures';
import { drawTop } from './top-screen';

interface TopOptions {
  once?: boolean;
  json?: boolean;
}

const EVERY_MS = 1_000;
/** The other screen of the terminal, without a cursor; and back. */
const OPEN = '\u001B[?1049h\u001B[?25l';
const CLOSE = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';
/** Of output that goes to a file. */
const UNKNOWN_SIZE = { columns: 120, rows: 1_000 };

/** `greenroom top`: what waits, who works on it and what the api serves, each second until `q` or Ctrl-C. */
export async function top(config: AppConfig, { once = false, json = false }: TopOptions): Promise<void> {
  const isScreen = !once && !json && process.stdout.isTTY;
  await withDatabase(config, (ready) =>
    withServices(
      ready,
      async (services) => {
        if (isScreen) return follow(services);
        // A reader such as `head` that has enough.
        process.stdout.once('error', () => process.exit(0));
        for (;;) {
          const figures = await readFigures(services);
          const text = json ? JSON.stringify(figures) : drawTop(figures, UNKNOWN_SIZE).join('\n');
          process.stdout.write(`${text}\n`);
          if (once) return;
          await sleep(EVERY_MS);
        }
      },
      [QueueModule.connect(), QueueModule],
    ),
  );
}

async function follow(services: INestApplicationContext): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  const { stdin, stdout } = process;
  let last: TopFigures | null = null;
  const draw = (problem: string | null) => {
    if (!last) return;
    const lines = drawTop(last, { columns: stdout.columns, rows: stdout.rows }, problem);
    stdout.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n')}${REST_OF_SCREEN}`);
  };
  const onKey = (_text: string, key: { name?: string; ctrl?: boolean }) => {
    if (key.name === 'q' || (key.ctrl && key.name === 'c')) end();
  };
  const redraw = () => draw(null);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  emitKeypressEvents(stdin);
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.on('keypress', onKey).resume();
  stdout.on('resize', redraw);
  stdout.write(OPEN);
  try {
    while (!stop.signal.aborted) {
      const problem = await readFigures(services).then(
        (figures) => void (last = figures),
        (error: Error) => error.message.split('\n')[0]!,
      );
      if (last === null && problem !== undefined) throw new Error(problem);
      draw(problem ?? null);
      await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  } finally {
    stdout.write(CLOSE);
    stdout.off('resize', redraw);
    stdin.off('keypress', onKey).pause();
    if (stdin.isTTY) stdin.setRawMode(false);
    for (const signal of signals) process.off(signal, end);
  }
}
