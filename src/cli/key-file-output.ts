import { quoted, type EntryAction, type EntryChange } from '../../libs/administration/key-files/file-part';
import type {
  AccountPlan,
  KeyFilePlan,
  PlannedChange,
} from '../../libs/administration/key-files/key-file-plan';

export const SIGNS: Record<EntryAction, string> = { create: '+', adopt: '>', update: '~', delete: '-' };
const VERBS: Record<EntryAction, string> = {
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

function describeChange(change: PlannedChange): string[] {
  const { action, kind, id, name, drift, warnings } = change;
  const title = `  ${SIGNS[action]} ${kind} ${quoted(name)}${id === null ? '' : ` (${id})`}`;
  const fields = describeFields(change).map(([field, line]) => {
    const changed = drift.find((each) => each.field === field);
    const by =
      changed &&
      `  # changed by ${quoted(changed.by)} at ${changed.at}${changed.reason ? `: ${quoted(changed.reason)}` : ''}`;
    return `      ${line}${by ?? ''}`;
  });
  return [title, ...fields, ...warnings.map((warning) => `    ! ${warning}`)];
}

/** Each field that a change of an entry is about, with its line. */
export function describeFields({ action, before, after }: EntryChange): [field: string, line: string][] {
  const earlier = before as Record<string, unknown>;
  return Object.entries(after).map(([field, value]) => [
    field,
    `${field}: ${describeValue(action, earlier[field], value)}`,
  ]);
}

function describeValue(action: EntryAction, before: unknown, after: unknown): string {
  if (action === 'create') return show(after);
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
  const counts = (Object.keys(SIGNS) as EntryAction[])
    .map((action) => [changes.filter((change) => change.action === action).length, VERBS[action]] as const)
    .filter(([count]) => count > 0)
    .map(([count, verb]) => `${count} ${verb}`);
  return `Plan: ${counts.join(', ')}; ${unchanged} unchanged.`;
}
