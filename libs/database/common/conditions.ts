import { escapeLike } from './like';
import { asciiPart, caselessPattern, loweredForms } from './caseless';

/** The conditions of a query and their values, gathered one by one. */
export class Conditions {
  private readonly parts: string[] = [];

  /** @param values where the values go, after those that are there */
  constructor(readonly values: unknown[] = []) {}

  /** Everything that was added, joined by AND. */
  get sql(): string {
    return this.parts.length === 0 ? 'true' : this.parts.join(' AND ');
  }

  /** Adds a value; returns its placeholder. */
  value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  add(condition: string): void {
    this.parts.push(condition);
  }

  /** Adds a condition on a value, unless the value is undefined. */
  ifPresent(value: unknown, condition: (placeholder: string) => string): void {
    if (value !== undefined) this.add(condition(this.value(value)));
  }
}

/** Shorter texts have no trigrams: for them only the beginning of a name is searched. */
const SHORTEST_PART = 3;

/** Whether only the beginning of a name is searched for this. */
export function isBeginning(part: string): boolean {
  return [...part].length < SHORTEST_PART;
}

/** The condition that a name contains a text, regardless of its case and accents; that it begins with it, when the text is very short. */
export function namePart(column: string, part: string, where: Conditions): string {
  if (!isBeginning(part)) {
    const contains = `plain_text(${column}) ~ ${where.value(caselessPattern(part))}`;
    const ascii = asciiPart(part);
    if (ascii === null) return contains;
    // The planner looks at what is cheaper first: most names are of ASCII letters, and need no more.
    const like = `lower(${column} COLLATE "C") LIKE ${where.value(`%${escapeLike(ascii)}%`)}`;
    return `(${contains} AND (${like} OR octet_length(${column}) <> char_length(${column})))`;
  }
  const begins = loweredForms(part).map(
    (form) => `lower(${column}) COLLATE "C" LIKE ${where.value(`${escapeLike(form)}%`)}`,
  );
  return begins.length === 1 ? begins[0]! : `(${begins.join(' OR ')})`;
}
