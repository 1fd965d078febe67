import { attemptsOf, type RecordedTransition } from './review-attempts';
import { HANDED_BACK, type ReviewState } from './review-state';

const history = (...states: [ReviewState, string?, number?][]): RecordedTransition[] =>
  states.map(([toState, cause = toState, generation = 1], index) => ({
    generation,
    toState,
    cause,
    actor: 'worker one',
    at: new Date(index * 1_000),
  }));

describe('attemptsOf', () => {
  it('reads an attempt that failed and one that succeeded', () => {
    const found = attemptsOf(
      history(['queued'], ['running'], ['retry_wait', 'disk full'], ['running'], ['completed']),
    );
    expect(found).toMatchObject([
      { number: 1, outcome: 'failed', failure: 'disk full', endedAt: new Date(2_000) },
      { number: 2, outcome: 'succeeded', failure: null, endedAt: new Date(4_000) },
    ]);
  });

  it('takes an attempt that another one follows without an end for lost', () => {
    const found = attemptsOf(history(['queued'], ['running'], ['running']));
    expect(found.map(({ outcome }) => outcome)).toEqual(['lost', 'running']);
    expect(found[1]!.endedAt).toBeNull();
  });

  it('does not count one that was handed back', () => {
    const found = attemptsOf(history(['running'], ['retry_wait', HANDED_BACK], ['running'], ['completed']));
    expect(found.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'handed_back'],
      [1, 'succeeded'],
    ]);
  });

  it('counts from zero in every generation', () => {
    const found = attemptsOf(
      history(['running'], ['stalled', 'gone'], ['queued', 'again', 2], ['running', '', 2]),
    );
    expect(found.map(({ generation, number }) => [generation, number])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
