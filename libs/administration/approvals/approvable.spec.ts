import type { ApprovalKind } from '@app/domain/approvals/approvals';
import { ACCOUNT_EDIT, ENTITLEMENT } from '../accounts/account-changes.service';
import { CREDITS } from '../accounts/credit-adjustments.service';
import { LIST_REMOVAL } from '../allow-lists/allow-lists.service';
import { BULK_CHANGE } from '../keys/bulk-changes.service';
import { POLICY } from '../keys/key-policies.service';
import { SHORTENING } from '../keys/key-shortening.service';
import { approvable, NO_ARGS, readArgs } from './approvable';
import type { Check } from './json-shape';

const CHECKS: Record<ApprovalKind, Check> = {
  account_settings: ACCOUNT_EDIT,
  allow_list_entitlement: ENTITLEMENT,
  credits: CREDITS,
  credit_request: CREDITS,
  list_removal: LIST_REMOVAL,
  bulk_change: BULK_CHANGE,
  bulk_undo: NO_ARGS,
  bulk_keep: NO_ARGS,
  key_restore: NO_ARGS,
  key_policy: SHORTENING,
  tier_key_policy: SHORTENING,
  idle_policy: POLICY,
  tier_idle_policy: POLICY,
};
const read = (kind: ApprovalKind, stored: unknown) =>
  readArgs(
    approvable(kind, CHECKS[kind], () => ({ work: async () => ({ result: null, events: [] }) })),
    stored,
  );

const OF_TIER = { tier: 'pro', accountId: null };
const KEYS = [{ id: 'a', version: 1 }];
const RULES = { maxLifetimeDays: 90, rotationAgeDays: null, idleWarnDays: null, idleDisableDays: null };

/** As they wait in databases, in every form that was ever stored. */
const STORED: [ApprovalKind, object][] = [
  ['account_settings', { tier: 'pro', overrides: { credits: null, voiceSlots: 3 } }],
  ['allow_list_entitlement', { enabled: true }],
  ['credits', { kind: 'grant', amount: 5, keyId: null, requestId: 'r' }],
  ['list_removal', { list: { entries: null }, undoAfterMinutes: null }],
  ['list_removal', { list: { entries: [{ address: '1.0.0.0/8', endsAt: '2030-01-01T00:00:00.000Z' }] } }],
  ['list_removal', { list: { text: '0.0.0.0/0' }, undoAfterMinutes: 60 }],
  ['list_removal', { byUndo: true }],
  ['list_removal', { byKeeping: true }],
  [
    'bulk_change',
    {
      filter: {},
      edit: { action: 'enable', value: null },
      reason: 'x',
      keys: KEYS,
      leftAlone: 0,
      undoAfterMs: null,
    },
  ],
  ['bulk_undo', {}],
  ['bulk_keep', {}],
  ['key_policy', { scope: OF_TIER, maxLifetimeDays: 90, graceDays: 7, undoAfterMs: null, keys: KEYS }],
  ['tier_idle_policy', { scope: OF_TIER, rules: RULES, before: null }],
  ['idle_policy', { scope: { tier: null, accountId: 'a' }, rules: null, before: RULES }],
];

it.each(STORED)('%s %j is read', (kind, args) => {
  expect(read(kind, JSON.parse(JSON.stringify(args)))).toEqual(args);
});

it.each<[ApprovalKind, unknown]>([
  ['credits', { kind: 'grant', amount: '5', keyId: null, requestId: 'r' }],
  ['credits', null],
  ['allow_list_entitlement', {}],
  ['list_removal', { list: { entries: [{ address: 1 }] } }],
  ['list_removal', { list: { entries: [{ address: '1.0.0.0/8', endsAt: 'soon' }] } }],
  ['bulk_change', { filter: {}, edit: {}, reason: 'x', keys: KEYS, leftAlone: 0, undoAfterMs: null }],
  ['key_policy', { scope: {}, maxLifetimeDays: 90, graceDays: 7, undoAfterMs: null, keys: KEYS }],
  ['idle_policy', { scope: OF_TIER, rules: {}, before: null }],
])('%s %j is refused', (kind, args) => {
  expect(() => read(kind, args)).toThrow(`The arguments of a waiting change are not those of a ${kind}.`);
});
