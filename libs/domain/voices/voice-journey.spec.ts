import { journeyOf, type JourneyMoment } from './voice-journey';

const at = (secs: number) => new Date(Date.UTC(2026, 0, 1) + secs * 1_000);
const moments = (...input: [JourneyMoment['state'], number][]): JourneyMoment[] =>
  input.map(([state, secs]) => ({ state, at: at(secs) }));

it('is one way through all states, each until the next one begins', () => {
  const review = moments(['queued', 60], ['running', 63], ['completed', 64], ['queued', 500]);
  const before = moments(['designed', 0], ['previewed', 4], ['created', 60], ['recording_stored', 60]);
  const journey = journeyOf([...before, ...review, ...moments(['held', 100], ['released', 400])]);
  expect(journey.map(({ state, endedAt, ...step }) => [state, secsBetween(step.at, endedAt)])).toEqual([
    ['designed', 4],
    ['previewed', 56],
    ['created', 0],
    ['recording_stored', 0],
    ['queued', 3],
    ['running', 1],
    ['completed', 36],
    ['held', 300],
    ['released', 100],
    ['queued', null],
  ]);
});

it('has a state that follows itself once', () => {
  expect(journeyOf(moments(['queued', 1], ['queued', 5], ['running', 9]))).toEqual([
    { state: 'queued', at: at(1), endedAt: at(9) },
    { state: 'running', at: at(9), endedAt: null },
  ]);
  expect(journeyOf([])).toEqual([]);
});

function secsBetween(from: Date, to: Date | null): number | null {
  return to && (to.getTime() - from.getTime()) / 1_000;
}
