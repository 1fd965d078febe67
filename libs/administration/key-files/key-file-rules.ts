import { sentence } from '@app/domain/common/sentences';
import type { AlertRule } from '@app/database/alerts/alert-rule.entity';
import { ruleProblems } from '../alerts/rule-problems';
import { difference } from '../audit/locked-change';
import type { FileAccount, FileAlertRule, FileKey } from './key-file';
import {
  keyOf,
  unknownKey,
  type AccountState,
  type Outcome,
  type Planned,
  type PlannedSettings,
  type WithId,
} from './key-file-plan';

/** The rules of an account, as a file has them; undefined where it leaves them alone. */
export function planRules(
  { alert_rules: input, keys = [] }: FileAccount,
  state: AccountState,
  at: (string | number)[],
): (Outcome & Partial<WithId>)[] {
  return (input ?? []).map((rule, index) => planRule(rule, keys, state, [...at, 'alert_rules', index]));
}

/** Rules that a file which lists rules does not list. */
export function ruleRemovals(
  input: FileAccount | null,
  { rules }: AccountState,
  requested: ReadonlySet<string | null | undefined>,
): Planned[] {
  if (input?.alert_rules === undefined) return [];
  return rules
    .filter(({ id }) => !requested.has(id))
    .map(({ id, version, kind, threshold, keyName }) => ({
      kind: 'rule',
      action: 'delete',
      id,
      name: ruleName(kind, threshold, keyName),
      version,
      before: {},
      after: {},
      path: null,
    }));
}

function planRule(
  input: FileAlertRule,
  keys: readonly FileKey[],
  state: AccountState,
  path: (string | number)[],
): Outcome & Partial<WithId> {
  const key = keyOf(input.key ?? null, keys, state);
  if (key === undefined) return { problem: unknownKey(input.key!, keys, path) };
  const { kind, threshold = null, channels, enabled } = input;
  const scope = key === null ? 'account' : 'key';
  const [problem] = ruleProblems({ kind, scope, threshold, channels });
  if (problem) return { problem: { path: [...path, ...problem.path], message: sentence(problem.msg) } };
  const requested = { channels: [...new Set(channels)].sort(), ...(enabled !== undefined && { enabled }) };
  const keyId = key && 'id' in key ? key.id : null;
  const present =
    key && 'name' in key
      ? undefined
      : state.rules.find(
          (rule) => rule.kind === kind && rule.threshold === threshold && rule.keyId === keyId,
        );
  const name = ruleName(kind, threshold, input.key ?? null);
  if (!present) {
    const after = { kind, threshold, key: input.key ?? null, ...requested };
    const change = { kind: 'rule', action: 'create', id: null, name, version: null, before: {} } as const;
    return { id: null, change: { ...change, ofKey: key, after, path } };
  }
  const { id, version } = present;
  const changed = difference(storedRule(present), requested as PlannedSettings);
  if (Object.keys(changed.after).length === 0) return { id, change: null };
  return { id, change: { kind: 'rule', action: 'update', id, name, version, ...changed, path } };
}

/** A stored rule as a file has it. */
function storedRule({ channels, enabled }: Pick<AlertRule, 'channels' | 'enabled'>): PlannedSettings {
  return { channels: [...channels].sort(), enabled };
}

function ruleName(kind: string, threshold: number | null, key: string | null): string {
  return `${kind}${threshold === null ? '' : ` at ${threshold}`}${key === null ? '' : ` for ${key}`}`;
}
