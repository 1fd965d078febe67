/** More marks in a row than any language writes (UAX #15, section 13). */
const MANY_MARKS = /\p{M}{31}/u;

/**
 * A text in a normal form of Unicode, for texts of any origin: the time of sorting the marks behind a letter grows with the square
 * of their number, so a text with more than 30 in a row stays as it is.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' = 'NFC'): string {
  return MANY_MARKS.test(text) ? text : text.normalize(form);
}

/**
 * A text in Unicode's composed form (NFC), as names, external ids and search terms are stored and compared: an `é` typed on one
 * system is the `é` of another. The texts in a list or an object too; what is not a text stays as it is,
 * and so does a text with more than 30 marks in a row.
 */
export function canonicalText<T>(value: T): T {
  return canonical(value) as T;
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string') return normalized(value);
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  const composed = Object.create(prototype) as Record<string, unknown>;
  for (const [name, entry] of Object.entries(value))
    Object.defineProperty(composed, canonical(name) as string, {
      value: canonical(entry),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  return composed;
}
