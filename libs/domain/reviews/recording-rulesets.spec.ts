import { createHash } from 'node:crypto';
import { ALL_RULESETS, CURRENT_RULESET, type Ruleset } from './recording-rulesets';

function digestOf({ title: _, summary: __, ...rules }: Ruleset): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 12);
}

it('another number is another ruleset: the rules of an id stay as they are', () => {
  expect(Object.fromEntries(ALL_RULESETS.map((rules) => [rules.id, digestOf(rules)]))).toEqual({
    'greenroom-2026-11-4': '7f6549bb0ee6',
    'greenroom-2026-11-4-p808': 'cfc658a78045',
    'greenroom-2026-11-strict-4': '58afbfafc9af',
    'greenroom-2026-11-telephone-4': '302f4d404a67',
    'greenroom-2026-11-3': '8346586a90ca',
    'greenroom-2026-11-2': '03b6b4d982e5',
    'greenroom-2026-11-1': '60bb51a5b72f',
  });
});

it('the standard rules come first', () => {
  expect(ALL_RULESETS[0]!.id).toBe(CURRENT_RULESET);
});
