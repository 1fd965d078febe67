import { durationText } from '@app/domain/common/duration-text';
import type { TopFigures } from './top-figures';

/** The rest stands in the console. */
const MOST_VERDICTS = 3;

/** Anything that moves the cursor or writes in colour. */
const CONTROL = /\p{Cc}/gu;

/**
 * The figures as lines, none longer than `columns` and no more than `rows`: what does not fit is counted.
 *
 * @param problem why the figures are not of now
 */
export function drawTop(
  figures: TopFigures,
  { columns, rows }: { columns: number; rows: number },
  problem: string | null = null,
): string[] {
  const { verdicts, queues, workers, reviews, outbox, api } = figures;
  const head = [
    ...cut(verdicts, MOST_VERDICTS),
    `greenroom top  ${figures.at.slice(11, 19)} UTC   q quits`,
    problem === null
      ? `Reviews ${reviews.per_minute}/min, failed ${reviews.failed_per_minute}/min (5 min)   Dead letters ${reviews.dead_letters}`
      : `NOT UP TO DATE: ${problem}`,
    `Outbox ${outbox.messages}, oldest ${durationText(outbox.oldest_secs)}; in turn ${outbox.waiting_turn}; scheduled ${outbox.scheduled}; failing ${outbox.failing}`,
    '',
    ...table(
      ['QUEUE', 'STATE', 'WAITING', 'RUNNING', 'SCHEDULED', 'FAILED', 'OLDEST'],
      queues.map((queue) => [
        queue.name,
        queue.error ?? (queue.paused ? 'paused' : 'running'),
        ...[queue.waiting, queue.running, queue.scheduled, queue.failed].map((count) => String(count ?? '-')),
        queue.oldest_waiting_secs === null ? '-' : durationText(queue.oldest_waiting_secs),
      ]),
    ),
    '',
  ];
  const apis = table(
    ['API PROCESS', 'REQUESTS/S', 'REFUSED/S', 'SERVED'],
    api.map((each) => [
      each.name,
      each.requests_per_sec.toFixed(1),
      each.refusals_per_sec.toFixed(1),
      String(each.requests),
    ]),
  );
  const working = table(
    ['WORKER', 'STATE', 'RUNNING', 'UP'],
    workers.map((worker) => [
      worker.name,
      worker.state,
      `${worker.running}/${worker.slots}`,
      durationText(worker.started_secs_ago),
    ]),
  );
  // Half of what is left for each, and what the workers do not need for the processes of the api.
  const left = Math.max(4, rows - head.length - 1);
  const forWorkers = Math.min(working.length, Math.max(Math.floor(left / 2), left - apis.length));
  const lines = [...head, ...cut(working, forWorkers), '', ...cut(apis, left - forWorkers)];
  return lines.slice(0, rows).map((line) => line.replace(CONTROL, '?').slice(0, columns));
}

/** Text first, then numbers to the right. */
function table(titles: string[], rows: string[][]): string[] {
  const all = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        column < 2 && Number.isNaN(Number(row[column]))
          ? cell.padEnd(widths[column]!)
          : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return rows.length === 0 ? [titles[0]!, 'none'] : lines;
}

function cut(lines: string[], most: number): string[] {
  if (lines.length <= most) return lines;
  const shown = lines.slice(0, Math.max(1, most - 1));
  return [...shown, `and ${lines.length - shown.length} more`];
}
