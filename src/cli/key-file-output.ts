import {
  quoted,
  type AccountPlan,
  type PlannedAction,
  type PlannedChange,
  type PlannedEntry,
} from '../../libs/administration/key-files/key-file-plan';
import type { KeyFilePlan } from '../../libs/administration/key-files/key-files.service';

const SIGNS: Record<PlannedAction, string> = { create: '+', adopt: '>', update: '~', delete: '-' };
const VERBS: Record<PlannedAction, string> = {
  create: 'to create',
  adopt: 'to put under this file',
  update: 'to change',
  delete: 'to delete',
};

export function countChanges({ accounts }: KeyFilePlan): number {
  return accounts.reduce((sum, { changes }) => sum + changes.length, 0);
}

/** A plan for people: what is created (+), adopted (>), changed (~) and deleted (-), and what has to be confirmed (!). */
export function describePlan(plan: KeyFilePlan): string {
  const notified = plan.accounts.filter(({ changes, notes }) => changes.length > 0 || notes.length > 0);
  return `${notified.map(describeAccount).join('')}${summary(plan)}\n`;
}

function describeAccount({ account, accountId, changes, notes }: AccountPlan): string {
  const lines = [...changes.flatMap(describeChange), ...notes.map((note) => `  # ${note}`)];
  return `${quoted(account)} (${accountId})\n${lines.join('\n')}\n\n`;
}

function describeChange({ action, kind, id, name, before, after, drift, warnings }: PlannedChange): string[] {
  const title = `  ${SIGNS[action]} ${kind} ${quoted(name)}${id === null ? '' : ` (${id})`}`;
  const fields = Object.entries(after).map(([field, value]) => {
    const earlier = (before as Record<string, unknown>)[field];
    const changed = drift.find((each) => each.field === field);
    const by =
      changed &&
      `  # changed by ${quoted(changed.by)} at ${changed.at}${changed.reason ? `: ${quoted(changed.reason)}` : ''}`;
    return `      ${field}: ${describeField(field, action, earlier, value)}${by ?? ''}`;
  });
  return [title, ...fields, ...warnings.map((warning) => `    ! ${warning}`)];
}

function describeField(field: string, action: PlannedAction, before: unknown, after: unknown): string {
  if (action === 'create') return show(after);
  if (field === 'allowed_ips' && before !== null && after !== null) {
    const texts = (entries: unknown) => (entries as PlannedEntry[]).map(show);
    return describeLists(texts(before), texts(after));
  }
  if (Array.isArray(before) && Array.isArray(after)) return describeLists(before.map(show), after.map(show));
  return `${show(before)} -> ${show(after)}`;
}

function describeLists(before: string[], after: string[]): string {
  const gone = before.filter((each) => !after.includes(each)).map((each) => `-${each}`);
  const added = after.filter((each) => !before.includes(each)).map((each) => `+${each}`);
  return [...gone, ...added].join(' ');
}

function show(value: unknown): string {
  return typeof value === 'string'
    ? quoted(value)
    : JSON.stringify(value).replace(/[\u007f-\u009f]/g, '\ufffd');
}

function summary({ accounts }: KeyFilePlan): string {
  const changes = accounts.flatMap((account) => account.changes);
  const unchanged = accounts.reduce((sum, account) => sum + account.unchanged, 0);
  if (changes.length === 0) return `No changes: everything is as the file says (${unchanged}).`;
  const counts = (Object.keys(SIGNS) as PlannedAction[])
    .map((action) => [changes.filter((change) => change.action === action).length, VERBS[action]] as const)
    .filter(([count]) => count > 0)
    .map(([count, verb]) => `${count} ${verb}`);
  return `Plan: ${counts.join(', ')}; ${unchanged} unchanged.`;
}
