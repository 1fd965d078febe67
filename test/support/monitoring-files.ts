import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface AlertRule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const read = (path: string) => readFileSync(join(__dirname, '../../deploy', path), 'utf8');

/** The rules that are shipped for Prometheus. */
export const alerts = (
  parse(read('prometheus/alerts.yml')) as { groups: { rules: AlertRule[] }[] }
).groups.flatMap(({ rules }) => rules);

/** Every query of the alerts and the dashboard, by where it stands. */
export const queries: [string, string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...(JSON.parse(read('grafana/greenroom.json')) as Dashboard).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  ),
];

/** The metrics of a query, each with the names of the labels it selects or groups by. */
export function metricsIn(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(/\b((?:greenroom|nodejs|process)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name, selectors = '']) => ({
      name: name!,
      labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map((match) => match[1]!),
    }),
  );
}
