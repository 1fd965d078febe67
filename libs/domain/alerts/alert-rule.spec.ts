import { ALERT_KIND_NAMES, alertKind, thresholdProblem } from './alert-kinds';
import { ALERT_RULE_CHECKS } from './alert-rule';

it('describes the thresholds that some kind accepts, and accepts each of them', () => {
  const thresholds = ALERT_KIND_NAMES.flatMap((kind) => alertKind(kind).threshold ?? []);
  expect(ALERT_RULE_CHECKS.threshold.schema).toEqual({
    type: ['number', 'null'],
    minimum: Math.min(...thresholds.map(({ min }) => min)),
    maximum: Math.max(...thresholds.map(({ max }) => max)),
  });
  for (const { min, max } of thresholds) {
    expect([min, max].flatMap((bound) => ALERT_RULE_CHECKS.threshold(bound))).toEqual([]);
  }
});

it('leaves the refusal of another number to the kind, which names its bounds', () => {
  expect(ALERT_RULE_CHECKS.threshold(0)).toEqual([]);
  expect(thresholdProblem('credits_used', 0)).toBe('Input should be a number of percent from 1 to 100');
  expect(ALERT_RULE_CHECKS.threshold('many')).toEqual([
    { type: 'float_type', msg: 'Input should be a valid number' },
  ]);
});
