import { ACCOUNT_EDIT, ENTITLEMENT } from '../accounts/account-changes.service';
import { CREDITS } from '../accounts/credit-adjustments.service';
import { LIST_REMOVAL } from '../allow-lists/allow-lists.service';
import { BULK_CHANGE } from '../keys/bulk-changes.service';
import { POLICY } from '../keys/key-policies.service';
import { SHORTENING } from '../keys/key-shortening.service';
import type { Check } from './json-shape';

const OF_TIER = { tier: 'pro', accountId: null };
const KEYS = [{ id: 'a', version: 1 }];
const RULES = { maxLifetimeDays: 90, rotationAgeDays: null, idleWarnDays: null, idleDisableDays: null };

/** As they wait in databases, in every form that was ever stored. */
const STORED: [Check, object][] = [
  [ACCOUNT_EDIT, { tier: 'pro', overrides: { credits: null, voiceSlots: 3 } }],
  [ENTITLEMENT, { enabled: true }],
  [CREDITS, { kind: 'grant', amount: 5, keyId: null, requestId: 'r' }],
  [LIST_REMOVAL, { list: { entries: null }, undoAfterMinutes: null }],
  [LIST_REMOVAL, { list: { entries: [{ address: '1.0.0.0/8', endsAt: '2030-01-01T00:00:00.000Z' }] } }],
  [LIST_REMOVAL, { list: { text: '0.0.0.0/0' }, undoAfterMinutes: 60 }],
  [LIST_REMOVAL, { byUndo: true }],
  [LIST_REMOVAL, { byKeeping: true }],
  [
    BULK_CHANGE,
    {
      filter: {},
      edit: { action: 'enable', value: null },
      reason: 'x',
      keys: KEYS,
      leftAlone: 0,
      undoAfterMs: null,
    },
  ],
  [SHORTENING, { scope: OF_TIER, maxLifetimeDays: 90, graceDays: 7, undoAfterMs: null, keys: KEYS }],
  [POLICY, { scope: OF_TIER, rules: RULES, before: null }],
  [POLICY, { scope: { tier: null, accountId: 'a' }, rules: null, before: RULES }],
];

it.each(STORED)('%#: %j is read', (check, stored) => {
  expect(check(JSON.parse(JSON.stringify(stored)))).toBe(true);
});

it.each<[Check, unknown]>([
  [CREDITS, { kind: 'grant', amount: '5', keyId: null, requestId: 'r' }],
  [CREDITS, null],
  [ENTITLEMENT, {}],
  [LIST_REMOVAL, { list: { entries: [{ address: 1 }] } }],
  [LIST_REMOVAL, { list: { entries: [{ address: '1.0.0.0/8', endsAt: 'soon' }] } }],
  [BULK_CHANGE, { filter: {}, edit: {}, reason: 'x', keys: KEYS, leftAlone: 0, undoAfterMs: null }],
  [SHORTENING, { scope: {}, maxLifetimeDays: 90, graceDays: 7, undoAfterMs: null, keys: KEYS }],
  [POLICY, { scope: OF_TIER, rules: {}, before: null }],
])('%#: %j is refused', (check, stored) => {
  expect(check(stored)).toBe(false);
});
