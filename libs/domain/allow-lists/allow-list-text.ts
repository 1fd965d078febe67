import { parseAllowListEntry } from '../addresses/address-entry';
import { parseIpAddress } from '../addresses/ip-address';
import { atOnce, type Interruptible } from '../common/interruptible';

/** An entry of an allow-list in a text that people have written, with what they have noted beside it. */
export interface WrittenEntry {
  /** As it is written; it may have a mistake. */
  address: string;
  note: string | null;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

export interface AllowListText {
  entries: WrittenEntry[];
  /** The words that are neither an address nor part of a note, as they are written. */
  ignored: string[];
}

interface Word {
  text: string;
  start: number;
  end: number;
}

/** A line, the words in it, and a `#` as a word. Quotes and brackets that stand around words separate them. */
const LINE = /[^\n\r]+/g;
const WORD = /#|[^\s,;|#"'`<>(){}=«»“”„‘’\u200B]+/g;

/** The most words that one entry has: `10.0.0.0 subnet mask 255.255.255.0`. */
const MOST_WORDS = 4;
/** Between two such numbers of them, others may have their turn. */
const WORDS_AT_ONCE = 100;
const LONGEST_NOTE = 60;
/** A row with more, or more around a note than this, has none. */
const LONGEST_ROW = 200;

/**
 * Finds the entries of an allow-list in any text: a list, an e-mail, a table. Words that are meant as an address or a
 * network are entries, whatever is around them, and also those with a mistake (192.0.2.300); so are several words that
 * name addresses together (`10.0.0.1 - 10.0.0.9`). `#` begins a note at the start of a line or after an entry; it goes to the end of the line and
 * belongs to every entry of the line. Without a `#`, the note of an entry is what stands beside it on its line:
 * - the brackets right behind it: `203.0.113.7 (office)`;
 * - the rest of a line that begins with it, behind a dash or two spaces: `203.0.113.7 - office`;
 * - the other cells of a row of a table, if it is the only entry and a whole cell: tabs and `|` separate cells.
 *
 * Such a note has a letter, at most 60 characters and no entry, and does not end as a sentence or a salutation does (`.,:!?…`).
 * All other words are ignored, and named.
 */
export function readAllowListText(text: string): AllowListText {
  return atOnce(readingAllowListText(text));
}

/** The same, of a text that may be long. */
export function* readingAllowListText(text: string): Interruptible<AllowListText> {
  const read: AllowListText = { entries: [], ignored: [] };
  let words = 0;
  for (const line of text.matchAll(LINE))
    for (const count of readLine(line[0], line.index, text, read)) {
      words += count;
      if (words < WORDS_AT_ONCE) continue;
      words = 0;
      yield;
    }
  return read;
}

/** The blocks that an entry in another notation means; every other entry as it is written. */
export function meantBlocks({ address }: Pick<WrittenEntry, 'address'>): string[] {
  const parsed = parseAllowListEntry(address, 0);
  const isOther = !parsed.ok && parsed.problem.code === 'other_notation';
  return isOther ? (parsed.problem.suggestion ?? address).split(', ') : [address];
}

/** Yields how many words were read. */
function* readLine(
  line: string,
  lineStart: number,
  text: string,
  { entries, ignored }: AllowListText,
): Generator<number, void> {
  const found = line.matchAll(WORD);
  /** As many as one entry may have: a line may be as long as the text. */
  let words: Word[] = [];
  /** Where the last note ends: its words are skipped. */
  let noteEnd = 0;
  const [firstOfLine, firstIgnored] = [entries.length, ignored.length];
  for (let isFirst = true; ; isFirst = false) {
    while (words.length < MOST_WORDS) {
      const { value: match, done } = found.next();
      if (done) break;
      const start = lineStart + match.index;
      if (start >= noteEnd) words.push(trimmed(match[0], start));
    }
    const [word] = words;
    if (!word) break;
    if (word.text === '#' && (isFirst || entries.length > firstOfLine)) {
      const note = text.slice(word.end, lineStart + line.length).trim();
      for (const entry of entries.slice(firstOfLine))
        entry.note = [entry.note, note].filter(Boolean).join(', ') || null;
      return;
    }
    const entry = entryAt(words, text);
    words.splice(0, entry?.words ?? 1);
    if (entry) {
      const { start } = word;
      const isBeginning = entries.length === firstOfLine && !/\p{L}/u.test(text.slice(lineStart, start));
      const beside = noteBehind(line.slice(entry.end - lineStart), isBeginning);
      entries.push({
        address: text.slice(start, entry.end),
        note: beside?.note ?? null,
        start,
        end: entry.end,
      });
      noteEnd = entry.end + (beside?.length ?? 0);
      words = words.filter((other) => other.start >= noteEnd);
    } else if (/[\p{L}\p{N}]/u.test(word.text)) ignored.push(word.text);
    yield entry?.words ?? 1;
  }
  const [only, ...others] = entries.slice(firstOfLine);
  if (!only || only.note !== null || others.length > 0) return;
  only.note = noteOfRow(line, only.start - lineStart, only.end - lineStart);
  if (only.note !== null) ignored.length = firstIgnored;
}

const BRACKETS = /^["'`>“”»’]*\s*(?:\(([^()]*)\)|(?<=\s)\[([^[\]]*)\])/;
const REST_OF_LINE = /^["'`>)“”»’]*(?:\s+(?:-{1,3}|[–—])\s| {2})(.*)$/;

/** The note right behind an entry, and how much of the line it takes. */
function noteBehind(rest: string, isBeginning: boolean): { note: string; length: number } | null {
  const isShort = isBeginning && rest.length <= LONGEST_ROW && !/#(?!\d)/.test(rest);
  const found = BRACKETS.exec(rest.slice(0, LONGEST_ROW)) ?? (isShort ? REST_OF_LINE.exec(rest) : null);
  const note = asNote([found?.[1] ?? found?.[2] ?? '']);
  return found && note !== null ? { note, length: found[0].length } : null;
}

/** The note of the only entry of a line that is a row of a table: what its other cells say. */
function noteOfRow(line: string, start: number, end: number): string | null {
  if (line.length > LONGEST_ROW) return null;
  const before = line.slice(0, start).split(/[\t|]/);
  const behind = line.slice(end).split(/[\t|]/);
  if (/[^\s"'`>*•“”-]/.test(`${before.pop()}${behind.shift()}`)) return null;
  return asNote([...before, ...behind]);
}

/** Parts of a line as one note, or null for what is none. */
function asNote(parts: readonly string[]): string | null {
  const texts = parts
    .map((part) =>
      part
        .replaceAll(/["`“”„]/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);
  const note = texts.join(', ');
  const isNone =
    note.length > LONGEST_NOTE || !/\p{L}/u.test(note) || texts.some((text) => /[.,:!?…]$/.test(text));
  return isNone || hasEntry(note) ? null : note;
}

function hasEntry(text: string): boolean {
  const words = Array.from(text.matchAll(WORD), (match) => trimmed(match[0], match.index));
  return words.some((_, at) => entryAt(words.slice(at, at + MOST_WORDS), text) !== null);
}

/** The longest entry that begins with the first of some words. */
function entryAt(words: readonly Word[], text: string): { words: number; end: number } | null {
  const { text: word, start, end: wordEnd } = words[0]!;
  if (!/\d/.test(word) && !word.includes('::')) return null;
  if (!/[.:/]/.test(word)) return null;
  const most = /[.:]/.test(word) ? words.length : 1;
  for (let count = most; count > 1; count--) {
    const { end } = words[count - 1]!;
    const parsed = parseAllowListEntry(text.slice(start, end), 0);
    if (parsed.ok || parsed.problem.code === 'other_notation') return { words: count, end };
  }
  return isMeantAsAddress(word) ? { words: 1, end: wordEnd } : null;
}

/** Whether a word is an address, or one with a mistake, and not a date, a time, a version or a number. */
function isMeantAsAddress(word: string): boolean {
  const parsed = parseAllowListEntry(word, 0);
  const isNone =
    !parsed.ok && (parsed.problem.code === 'not_an_address' || parsed.problem.code === 'ambiguous_ipv4');
  if (!isNone) return true;
  const parts = word.split('.', 5);
  const numbers = parts.filter((part) => /^\d+$/.test(part)).length;
  const hexGroups = /^[\da-f:]+(?:\/\d+)?$/i.test(word) ? word.split(':', 9) : [];
  // Times and hardware addresses have groups of two digits.
  const isLikeIpv6 = hexGroups.length > 3 && hexGroups.some(({ length }) => length > 2);
  return (
    (parts.length === 4 && numbers >= 3) ||
    parseIpAddress(word.split(/[^\d.]/, 1)[0] ?? '') !== null ||
    /^0x[\da-f]+\.|^\d+(?:\.\d+){0,2}\/\d+$/i.test(word) ||
    isLikeIpv6
  );
}

const BEFORE_WORD = new Set('-–—•·*+~');
const AFTER_WORD = new Set('.:!?…');

/** A word without the bullet before it and the punctuation after it. */
function trimmed(word: string, wordStart: number): Word {
  let start = 0;
  let end = word.length;
  while (start < end - 1 && BEFORE_WORD.has(word[start]!)) start++;
  while (end > start + 1 && AFTER_WORD.has(word[end - 1]!) && !word.endsWith('::', end)) end--;
  return { text: word.slice(start, end), start: wordStart + start, end: wordStart + end };
}
