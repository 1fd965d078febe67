import { budgetRetrySecs } from './budget';

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
