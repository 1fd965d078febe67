import { readFileSync } from 'node:fs';
import { alerts } from './support/monitoring-files';

const operations = readFileSync('docs/operations.md', 'utf8');
/** Text under each heading of the third level, by the anchor that a reader of the page is taken to. */
const paragraphs = new Map(
  operations
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading, ...text] = part.split('\n');
      return [heading!.toLowerCase().replaceAll(' ', '-'), text.join('\n').split(/^## /m)[0]!.trim()];
    }),
);

describe('the alerts', () => {
  it('are there', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.each(alerts)('$alert has a paragraph that begins with its summary and says what to do', (rule) => {
    const { summary, runbook } = rule.annotations;
    const anchor = runbook.split('docs/operations.md#')[1]!;
    expect(anchor).toBe(rule.alert.toLowerCase());
    const text = paragraphs.get(anchor)?.replaceAll('\n', ' ') ?? '';
    expect(text.startsWith(`${summary}. `)).toBe(true);
    expect(text.length).toBeGreaterThan(summary.length + 100);
  });

  it('and nothing else has a paragraph among theirs', () => {
    const known = alerts.map(({ alert }) => alert.toLowerCase());
    expect(
      [...paragraphs.keys()].filter((name) => name.startsWith('greenroom') && !known.includes(name)),
    ).toEqual([]);
  });
});
