import { canonicalText } from './canonical-text';

/** A text file that is not accepted, with the line that is wrong. */
export class TextFileError extends Error {
  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`Line ${line}: ${problem}`);
    this.name = 'TextFileError';
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LINE_FEED = 10;
/** Spreadsheets write them when they do not write UTF-8. */
const UTF16_MARKS = ['fffe', 'feff'];
/**
 * What cannot be seen and changes what a reader compares or copies: controls but tabs and line ends, formats but the joiners that
 * letters and emoji need, separators of lines that editors do not show, and what a program wrote for a letter it could not read.
 */
const UNSEEN = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u;

/**
 * The text of a file in UTF-8, as `readText` returns it.
 *
 * @throws TextFileError for any other encoding, naming the first line that is not UTF-8
 */
export function readTextFile(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  if (UTF16_MARKS.includes(mark)) throw new TextFileError(1, 'The file is in UTF-16; save it in UTF-8.');
  try {
    return readText(UTF8.decode(bytes));
  } catch (error) {
    if (error instanceof TextFileError) throw error;
    throw notUtf8(bytes);
  }
}

/**
 * A text as it is stored and compared: composed (NFC), without the mark of its encoding.
 *
 * @throws TextFileError naming the first line with a character that cannot be seen
 */
export function readText(text: string): string {
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
  const found = UNSEEN.exec(whole);
  if (!found) return canonicalText(whole);
  const line = whole.slice(0, found.index + 1).split('\n').length;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  throw new TextFileError(
    line,
    code === 'FFFD'
      ? 'A character was lost when the text was read (U+FFFD); save the file in UTF-8.'
      : `A character that cannot be seen, U+${code}, is not accepted.`,
  );
}

/** The first line of which UTF-8 cannot be read: lines are valid one by one, as no part of a character is a line feed. */
function notUtf8(bytes: Uint8Array): TextFileError {
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, from);
    const to = end < 0 ? bytes.length : end + 1;
    try {
      UTF8.decode(bytes.subarray(from, to));
    } catch {
      break;
    }
    from = to;
  }
  return new TextFileError(line, 'It is not UTF-8 (perhaps Windows-1252); save the file in UTF-8.');
}
