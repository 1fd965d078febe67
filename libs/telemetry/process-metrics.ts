import cluster, { type Worker } from 'node:cluster';
import type { Metrics } from './metrics';

const SCRAPE = 'greenroom:scrape';
/** A process that does not respond within this time is left out, as one that cannot be scraped would be. */
const RESPONSE_TIMEOUT_MS = 5_000;

interface ScrapeRequest {
  [SCRAPE]: number;
}

interface ScrapeResponse extends ScrapeRequest {
  text: string;
}

/** In a process of `runProcesses`: gives its metrics to the first process, which serves those of all. */
export function shareMetrics(metrics: Metrics): void {
  process.on('message', (message) => {
    if (!isScrape(message)) return;
    const request = message[SCRAPE];
    metrics.text().then(
      (text) => process.send?.({ [SCRAPE]: request, text } satisfies ScrapeResponse),
      () => undefined,
    );
  });
}

/** Collects the metrics of all processes; each gives every value a label `process`. */
export class ProcessMetrics implements Pick<Metrics, 'text' | 'contentType'> {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  /** Those that are up: one that is still starting would not respond. */
  private readonly workers = new Set<Worker>();
  private requests = 0;

  constructor() {
    cluster.on('listening', (worker) => this.workers.add(worker));
    cluster.on('exit', (worker) => this.workers.delete(worker));
  }

  async text(): Promise<string> {
    const texts = await Promise.all([...this.workers].map((worker) => this.scrape(worker, ++this.requests)));
    return mergeMetrics(texts);
  }

  /** An empty text when there is no response. */
  private scrape(worker: Worker, request: number): Promise<string> {
    return new Promise((resolve) => {
      const end = (text: string) => {
        clearTimeout(timer);
        worker.off('message', receive).off('exit', fail);
        resolve(text);
      };
      const fail = () => end('');
      const receive = (message: unknown) => {
        if (isScrape(message) && message[SCRAPE] === request) end((message as ScrapeResponse).text);
      };
      const timer = setTimeout(fail, RESPONSE_TIMEOUT_MS);
      worker.on('message', receive).on('exit', fail);
      worker.send({ [SCRAPE]: request } satisfies ScrapeRequest, (error) => error && fail());
    });
  }
}

function isScrape(message: unknown): message is ScrapeRequest {
  return typeof message === 'object' && message !== null && SCRAPE in message;
}

/** Puts texts in the format of Prometheus together: each metric is described once, before the values of all. */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { head: string[]; values: string[] }>();
  for (const text of texts) {
    let name = '';
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const described = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      name = described ?? name;
      const metric = metrics.get(name) ?? { head: [], values: [] };
      metrics.set(name, metric);
      if (described === undefined) metric.values.push(line);
      else if (!metric.head.includes(line)) metric.head.push(line);
    }
  }
  return [...metrics.values()].map(({ head, values }) => `${[...head, ...values].join('\n')}\n`).join('\n');
}
