/** A field that an event changed; null where it did not exist. */
interface FieldDifference {
  field: string;
  was: string | null;
  is: string | null;
}

/** The fields of two records that differ, in words. What is not a record is one field. */
export function fieldDifferences(before: unknown, after: unknown): FieldDifference[] {
  const [was, is] = [toFields(before), toFields(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((field) => {
    const difference = { field, was: toWords(was[field]), is: toWords(is[field]) };
    return difference.was === difference.is ? [] : [difference];
  });
}

function toFields(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

function toWords(value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null) return 'none';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => toWords(item)).join(', ');
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return parts.map(([name, part]) => `${name} ${toWords(part)}`).join(' · ');
}
