import type { InputList } from '@app/domain/allow-lists/input-list';
import { parseAllowList, type InputEntry, type ParsedAllowList } from '@app/domain/allow-lists/allow-list';
import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { formatCidr, type Cidr } from '@app/domain/addresses/cidr';
import { InvalidInput, type InputProblem } from '@app/domain/common/invalid-input';

/** An entry that would be on the list. */
export interface DraftEntry {
  cidr: string;
  note: string | null;
  endsAt: Date | null;
  /** Which of the entries it is. */
  index: number;
}

/** A list as it was typed, read by the rules. */
export interface Draft {
  parsed: ParsedAllowList;
  /** Empty as soon as there is a problem. */
  entries: DraftEntry[];
  /** What the list would be without the entries that have a problem. */
  accepted: DraftEntry[];
  /** Whether it was sent as text. */
  asText: boolean;
}

type Input = InputEntry & { note: string | null };

/**
 * Reads a list in either form; null for no list at all.
 *
 * @throws InvalidInput for both forms, or none. Problems of the entries are part of the draft.
 */
export function readDraft({ text, entries }: InputList, ownProxies: readonly Cidr[]): Draft | null {
  if ((text === undefined) === (entries === undefined)) {
    const accepted = 'either text or entries, not both';
    const msg = `Input should be ${accepted}`;
    throw new InvalidInput([{ type: 'value_error', path: [], msg, input: null, ctx: { accepted } }]);
  }
  if (entries === null) return null;
  const read = text === undefined ? null : readAllowListText(text);
  const input = (read?.entries ?? entries ?? []).map(toInput);
  const parsed = parseAllowList(input, ownProxies, read?.ignored);
  const toEntry = ({ cidr, index, endsAtMs }: ParsedAllowList['entries'][number]): DraftEntry => ({
    cidr: formatCidr(cidr),
    note: input[index]?.note ?? null,
    endsAt: endsAtMs === null ? null : new Date(endsAtMs),
    index,
  });
  return {
    parsed,
    asText: text !== undefined,
    entries: parsed.entries.map(toEntry),
    accepted: parsed.accepted.map(toEntry),
  };
}

/**
 * @param field where a list stands that is one field of the request, a text or addresses; undefined for a request that is the list
 * @throws InvalidInput naming every entry that is not accepted
 */
export function requireAccepted({ parsed, asText }: Draft, field?: string): void {
  if (parsed.problems.length === 0) return;
  throw new InvalidInput(
    parsed.problems.map(({ index, code, given, suggestion, message }): InputProblem => ({
      type: code,
      path: asText ? [field ?? 'text'] : pathOfEntry(index, field),
      msg: message,
      input: given,
      ...(suggestion !== undefined && { ctx: { accepted: suggestion } }),
    })),
  );
}

function pathOfEntry(index: number | null, field?: string): (string | number)[] {
  if (index === null) return [field ?? 'entries'];
  return field === undefined ? ['entries', index, 'address'] : [field, index];
}

function toInput({ address, note, endsAt }: NonNullable<InputList['entries']>[number]): Input {
  return {
    text: address,
    note: note?.trim() || null,
    endsAtMs: endsAt?.getTime() ?? null,
  };
}
