import { journeyDiagram } from './journey';

const at = (secs: number) => new Date(Date.UTC(2026, 0, 1) + secs * 1_000).toISOString();
const steps = (...input: ['created' | 'queued' | 'completed' | 'held', number][]) =>
  input.map(([state, secs], place) => {
    const end = input[place + 1]?.[1];
    return { state, at: at(secs), ended_at: end === undefined ? null : at(end) };
  });

it('has every state once, with its visits and their time, and every way between two states once', () => {
  const { nodes, edges } = journeyDiagram(
    steps(['created', 0], ['queued', 1], ['completed', 4], ['queued', 60], ['completed', 65], ['held', 70]),
  );
  expect(nodes).toEqual([
    { state: 'created', visits: 1, secs: 1, since: null },
    { state: 'queued', visits: 2, secs: 8, since: null },
    { state: 'completed', visits: 2, secs: 61, since: null },
    { state: 'held', visits: 1, secs: 0, since: at(70) },
  ]);
  expect(edges).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 2 },
    { from: 2, to: 1 },
    { from: 2, to: 3 },
  ]);
});
