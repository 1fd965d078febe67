/**
 * A text in Unicode's composed form (NFC), as names, external ids and search terms are stored and compared: an `é` typed on one
 * system is the `é` of another. The texts in a list or an object too; what is not a text stays as it is.
 */
export function canonicalText<T>(value: T): T {
  return canonical(value) as T;
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC');
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
