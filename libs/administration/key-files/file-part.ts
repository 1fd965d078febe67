import { difference } from '../audit/locked-change';

/** The way to a field of a file. */
export type FieldPath = (string | number)[];

/** What keeps an entry of a file from being applied: the field, and why. */
export class FieldProblem extends Error {
  constructor(
    readonly path: FieldPath,
    message: string,
  ) {
    super(message);
  }
}

export type EntryAction = 'create' | 'adopt' | 'update' | 'delete';

/** What is known of something stored. */
export interface StoredEntry {
  id: string;
  name: string;
  version: number | null;
}

/** How what is stored differs from what a file says of it. */
export interface EntryChange<K extends string = string> {
  kind: K;
  action: EntryAction;
  /** Null for what is created. */
  id: string | null;
  name: string;
  /** What the change is based on; null for what is created or has no versions. */
  version: number | null;
  /** Only the settings that differ, with the names of the file. */
  before: object;
  after: object;
  /** Where it stands in the file; null for what is no longer there. */
  path: FieldPath | null;
}

/** A change, with what makes it and what has to be confirmed about it. */
export type PlannedEntry<K extends string, M> = EntryChange<K> & {
  make: M;
  warn: () => Promise<string[]>;
};

/** What an entry of a file says, beside what is stored. */
export interface ReadEntry<S, T, M> {
  /** Null for what is to be created. */
  present: S | null;
  /** Of what is to be created. */
  name: string;
  settings: Partial<T>;
  /** What stays as it is although the file says otherwise, and why. */
  notes?: string[];
  /** What a plan says beside the settings of what is to be created. */
  extra?: object;
  /** @throws FieldProblem for settings that differ and cannot be made so */
  check?: (after: Partial<T>) => void | Promise<void>;
  make: (after: Partial<T>, action: EntryAction) => M;
  warn?: (after: Partial<T>) => Promise<string[]>;
}

/** A part of a file: what it lists, what is stored, and how one becomes the other. */
export interface FilePart<K extends string, I, S, T extends object, M> {
  kind: K;
  entries: readonly { input: I; path: FieldPath | null }[];
  stored: readonly S[];
  /** @throws FieldProblem for an entry that cannot be applied */
  read: (input: I, path: FieldPath) => ReadEntry<S, T, M>;
  about: (stored: S) => StoredEntry;
  /** What is stored as the file would say it, in one comparable form. */
  settingsOf: (stored: S) => T;
  /** Whether the file does not manage what it names yet. */
  isAdopted?: (stored: S) => boolean;
  /** Whether what the file does not name is deleted. */
  isRemoved: (stored: S) => boolean;
  remove: (stored: S) => M;
}

export interface PartPlan<K extends string, M> {
  /** In their order. */
  changes: PlannedEntry<K, M>[];
  unchanged: number;
  notes: string[];
  problems: FieldProblem[];
}

/** The entries of a list with their places; none for a list that is left out. */
export function entriesAt<I>(list: readonly I[] = [], at: FieldPath) {
  return list.map((input, index) => ({ input, path: [...at, index] }));
}

/** Compares a part of a file with what is stored. */
export async function planPart<K extends string, I, S, T extends object, M>(
  part: FilePart<K, I, S, T, M>,
): Promise<PartPlan<K, M>> {
  const plan: PartPlan<K, M> = { changes: [], unchanged: 0, notes: [], problems: [] };
  const { kind, about } = part;
  const named = new Set<S>();
  for (const { input, path } of part.entries) {
    try {
      const { present, name, settings, notes = [], extra, ...entry } = part.read(input, path ?? []);
      if (present) named.add(present);
      plan.notes.push(...notes);
      const { before, after } = present
        ? difference(part.settingsOf(present), settings)
        : { before: {}, after: settings };
      const isAdopted = present !== null && (part.isAdopted?.(present) ?? false);
      if (present && !isAdopted && Object.keys(after).length === 0) {
        plan.unchanged += 1;
        continue;
      }
      await entry.check?.(after);
      const action = present === null ? 'create' : isAdopted ? 'adopt' : 'update';
      const stored = present ? pickStored(about(present)) : { id: null, name, version: null, ...extra };
      const change = { kind, action, ...stored, before, after, path } as const;
      const warn = async () => entry.warn?.(after) ?? [];
      plan.changes.push({ ...change, make: entry.make(after, action), warn });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      plan.problems.push(error);
    }
  }
  for (const stored of part.stored) {
    if (named.has(stored) || !part.isRemoved(stored)) continue;
    const change = { kind, action: 'delete', ...pickStored(about(stored)) } as const;
    const warn = async () => [`The ${kind} is no longer in the file, and is deleted.`];
    plan.changes.push({ ...change, before: {}, after: {}, path: null, make: part.remove(stored), warn });
  }
  return plan;
}

/** Changes in the order in which they are made: what is removed makes room for what is added. */
export function inOrder<C extends { action: EntryAction }>(changes: readonly C[]): C[] {
  const rank = ({ action }: C) => (action === 'create' ? 2 : action === 'delete' ? 1 : 0);
  return changes.toSorted((one, other) => rank(one) - rank(other));
}

/** Several plans as one. */
export function joinPlans<K extends string, M>(plans: readonly PartPlan<K, M>[]): PartPlan<K, M> {
  return {
    changes: inOrder(plans.flatMap(({ changes }) => changes)),
    unchanged: plans.reduce((sum, { unchanged }) => sum + unchanged, 0),
    notes: plans.flatMap(({ notes }) => notes),
    problems: plans.flatMap(({ problems }) => problems),
  };
}

function pickStored({ id, name, version }: StoredEntry): StoredEntry {
  return { id, name, version };
}

/** A name for a terminal: quoted, and without characters that would control it. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
