import type { Voice } from '@app/database/voices/voice.entity';
import { canonicalAliases } from '@app/domain/voices/voice-alias';
import { curationVersion } from '@app/domain/voices/voice-curation';
import { difference } from '../audit/locked-change';
import type { FileAccount } from './key-file';
import { quoted, type AccountState, type Outcome, type PlannedChange, type WithId } from './key-file-plan';

/**
 * The aliases of an account's voices, as a file has them; nothing where it leaves them alone. A voice that the file does not
 * list has none. Voices that only lose aliases come first: another may get them.
 */
export function planVoices(
  { voices: input }: FileAccount,
  { voices }: AccountState,
  at: (string | number)[],
): (Outcome & Partial<WithId>)[] {
  if (input === undefined) return [];
  const listed = new Set(input.map(({ id }) => id));
  const others = voices.filter(({ id }) => !listed.has(id)).map((voice) => planAliases(voice, [], null));
  const named = input.map(({ id, aliases }, index) => {
    const path = [...at, 'voices', index];
    const voice = voices.find((each) => each.id === id);
    if (voice) return planAliases(voice, aliases, path);
    return { problem: { path: [...path, 'id'], message: `The account has no voice ${quoted(id)}.` } };
  });
  return [...others, ...named].toSorted((one, other) => countNew(one) - countNew(other));
}

function planAliases(voice: Voice, aliases: string[], path: PlannedChange['path']): Outcome & WithId {
  const { id, name } = voice;
  const changed = difference({ aliases: voice.aliases }, { aliases: canonicalAliases(aliases) });
  if (changed.after.aliases === undefined) return { id, change: null };
  const version = curationVersion(voice);
  return { id, change: { kind: 'voice', action: 'update', id, name, version, ...changed, path } };
}

function countNew(outcome: Outcome): number {
  if ('problem' in outcome || !outcome.change) return 0;
  const { before, after } = outcome.change;
  return after.aliases!.filter((alias) => !before.aliases!.includes(alias)).length;
}
