import type { Interruptible } from './interruptible';

/** A record of a CSV file, with the line that it begins in. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** The records of a file, and the line of the first that is broken, where reading ends; null when none is. */
export interface CsvFile {
  records: CsvRecord[];
  brokenLine: number | null;
}

const QUOTE = '"';
const PLAIN = /[^",\r\n]*/y;
const SEPARATOR = /,|\r\n|\n|\r|$/y;
const LINE_END = /\r\n|\n|\r/g;
/** After so many cells, quotes or lines, others may have their turn. */
const AT_ONCE = 200;

/** Reads CSV (RFC 4180), with any line ends, of a text that `readText` has read. Empty lines are left out. */
export function* readingCsv(text: string): Interruptible<CsvFile> {
  const records: CsvRecord[] = [];
  let record: CsvRecord = { line: 1, cells: [] };
  let line = 1;
  let count = 0;
  for (let at = 0; at < text.length;) {
    if (++count % AT_ONCE === 0) yield;
    const isQuoted = text[at] === QUOTE;
    const cell = isQuoted ? yield* readingQuoted(text, at) : readAt(PLAIN, text, at)!;
    const separator = cell && readAt(SEPARATOR, text, cell.end);
    if (!separator) return { records, brokenLine: line };
    record.cells.push(cell.value);
    if (isQuoted) line += yield* countingLines(cell.value);
    at = separator.end;
    if (separator.value === ',' && at < text.length) continue;
    if (separator.value === ',') record.cells.push('');
    else line += 1;
    if (record.cells.some((value) => value !== '')) records.push(record);
    record = { line, cells: [] };
  }
  return { records, brokenLine: null };
}

/** A part of a text, and where it ends. */
interface Part {
  value: string;
  end: number;
}

function readAt(pattern: RegExp, text: string, at: number): Part | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match && { value: match[0], end: at + match[0].length };
}

/** A cell in quotes, two of which stand for one in it; null when they are not closed. */
function* readingQuoted(text: string, at: number): Interruptible<Part | null> {
  const parts: string[] = [];
  for (let from = at + 1; ;) {
    const quote = text.indexOf(QUOTE, from);
    if (quote === -1) return null;
    if (text[quote + 1] !== QUOTE) {
      parts.push(text.slice(from, quote));
      return { value: parts.join(''), end: quote + 1 };
    }
    parts.push(text.slice(from, quote + 1));
    from = quote + 2;
    if (parts.length % AT_ONCE === 0) yield;
  }
}

/** How many lines end in a text. */
function* countingLines(text: string): Interruptible<number> {
  let count = 0;
  for (const _ of text.matchAll(LINE_END)) if (++count % AT_ONCE === 0) yield;
  return count;
}
