import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Distribution } from './distribution';

type Labels = Record<string, string>;

/** One value of a metric, as it is read. */
export interface Sample {
  labels?: Labels;
  value: number;
}

/** One histogram among those of a metric. */
export interface DistributionSample {
  labels?: Labels;
  distribution: Distribution;
}

type Read<T> = () => T[] | Promise<T[]>;
type Type = 'counter' | 'gauge' | 'histogram';

interface Line extends Sample {
  suffix?: string;
}

interface Metric {
  name: string;
  type: Type;
  help: string;
  read: Read<Line>;
}

/**
 * What a process reports to Prometheus. Nothing is counted here: each part of the product counts for itself in plain numbers,
 * and they are read when Prometheus scrapes. The process itself (CPU, memory, garbage, delay of the event loop) is
 * described by prom-client.
 */
export class Metrics {
  readonly contentType: string;
  private readonly process = new Registry();
  private readonly metrics: Metric[] = [];
  private unreadable = 0;

  /** @param common labels of every value */
  constructor(private readonly common: Labels = {}) {
    this.contentType = this.process.contentType;
    this.process.setDefaultLabels(common);
    collectDefaultMetrics({ register: this.process });
  }

  /** A number that only grows while the process lives. */
  counter(name: string, help: string, read: Read<Sample>): void {
    this.metrics.push({ name, type: 'counter', help, read });
  }

  /** A number that rises and falls. */
  gauge(name: string, help: string, read: Read<Sample>): void {
    this.metrics.push({ name, type: 'gauge', help, read });
  }

  histogram(name: string, help: string, read: Read<DistributionSample>): void {
    const lines = async () => (await read()).flatMap(toLines);
    this.metrics.push({ name, type: 'histogram', help, read: lines });
  }

  /** Everything, in the text format of Prometheus. */
  async text(): Promise<string> {
    const texts = await Promise.all(this.metrics.map((metric) => this.write(metric)));
    const unreadable = toText(
      {
        name: 'greenroom_metrics_unreadable_total',
        type: 'counter',
        help: 'Metrics that could not be read for a scrape.',
      },
      [{ value: this.unreadable }],
      this.common,
    );
    return [...texts, unreadable, await this.process.metrics()].join('\n');
  }

  /** What cannot be read, because a part is down, is left out and counted: the rest is needed all the more. */
  private async write(metric: Metric): Promise<string> {
    try {
      return toText(metric, await metric.read(), this.common);
    } catch {
      this.unreadable += 1;
      return toText(metric, [], this.common);
    }
  }
}

function toLines({ labels = {}, distribution }: DistributionSample): Line[] {
  const { count, sum } = distribution;
  const bucket = (le: string, value: number) => ({ suffix: '_bucket', labels: { ...labels, le }, value });
  return [
    ...distribution.cumulative().map(({ bound, count }) => bucket(String(bound), count)),
    bucket('+Inf', count),
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}

function toText({ name, type, help }: Omit<Metric, 'read'>, lines: Line[], common: Labels): string {
  const values = lines.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${toLabels({ ...common, ...labels })} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${values.join('')}`;
}

function toLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
