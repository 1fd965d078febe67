import { budgetDryRunSentence, budgetRetrySecs } from './budget';

const now = new Date('2026-05-01T12:00:00Z');
const at = (text: string, cost = 5) => budgetRetrySecs({ amount: 10, cost, renewsAt: new Date(text) }, now);

it('a charge that a budget has refused is worth another attempt when the budget has renewed, if that is within a day', () => {
  expect(at('2026-05-01T12:00:30.500Z')).toBe(31);
  expect(at('2026-05-02T12:00:00Z')).toBe(86_400);
  expect(at('2026-05-02T12:00:01Z')).toBeNull();
  expect(at('2026-05-01T11:59:00Z')).toBe(1);
});

it('no attempt is worth it when the cost is more than the whole budget', () => {
  expect(at('2026-05-01T12:00:30Z', 11)).toBeNull();
});

it.each([
  [{ charges: 41_200, refused: 312 }, 'It would have refused 312 of 41,200 requests in 30 days.'],
  [{ charges: 1, refused: 0 }, 'It would have refused 0 of 1 request in 30 days.'],
  [
    { charges: 2, refused: 1, isPartlyArchived: true },
    'It would have refused 1 of 2 requests in 30 days. Some charges of that time are archived and not counted.',
  ],
  [
    { charges: null, refused: null },
    'There are too many charges in 30 days to see what it would have refused.',
  ],
])('a dry run of %j in a sentence', (dryRun, expected) => {
  expect(budgetDryRunSentence({ days: 30, isPartlyArchived: false, ...dryRun })).toBe(expected);
});
