import type { InputProblem } from '@app/domain/common/invalid-input';

const MAX_PROBLEMS = 10;

/**
 * Texts, keys included, that PostgreSQL cannot store: with U+0000 or with half of a surrogate pair.
 *
 * @param value parsed JSON of bounded depth
 */
export function findUnstorableText(value: unknown): InputProblem[] {
  const problems: InputProblem[] = [];
  if (!isStorable(value)) visit(value, [], problems);
  return problems;
}

/** Without remembering where: nearly every value is. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return describe(value) === null;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([key, entry]) => describe(key) === null && isStorable(entry));
}

function visit(value: unknown, path: (string | number)[], problems: InputProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (typeof value === 'string') {
    const problem = describe(value);
    // The text itself cannot be sent back: it is the part that is not valid Unicode.
    if (problem) problems.push({ type: 'string_unicode', path, msg: problem, input: null });
  } else if (Array.isArray(value)) {
    value.forEach((entry, index) => visit(entry, [...path, index], problems));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      visit(key, [...path, '[key]'], problems);
      visit(entry, [...path, key.toWellFormed().replaceAll('\0', '')], problems);
    }
  }
}

function describe(text: string): string | null {
  if (text.includes('\0')) return 'Input should be a valid string: the character U+0000 is not accepted';
  if (!text.isWellFormed())
    return 'Input should be a valid string: a lone surrogate (U+D800 to U+DFFF) is not accepted';
  return null;
}
