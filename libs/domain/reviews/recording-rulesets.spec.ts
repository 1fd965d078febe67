import { createHash } from 'node:crypto';
import { ALL_RULESETS, CURRENT_RULESET, type Ruleset } from './recording-rulesets';

function digestOf({ title: _, summary: __, ...rules }: Ruleset): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 12);
}

it('another number is another ruleset: the rules of an id stay as they are', () => {
  expect(Object.fromEntries(ALL_RULESETS.map((rules) => [rules.id, digestOf(rules)]))).toEqual({
    'greenroom-2026-11-4': '574049d09c82',
    'greenroom-2026-11-4-p808': '2f2689d5334b',
    'greenroom-2026-11-strict-4': 'd86819662eae',
    'greenroom-2026-11-telephone-4': '01e1bcab6944',
    'greenroom-2026-11-3': '8346586a90ca',
    'greenroom-2026-11-2': '03b6b4d982e5',
    'greenroom-2026-11-1': '60bb51a5b72f',
  });
});

it('the standard rules come first', () => {
  expect(ALL_RULESETS[0]!.id).toBe(CURRENT_RULESET);
});
