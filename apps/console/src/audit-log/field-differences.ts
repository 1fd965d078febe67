import { timeText } from '@app/domain/common/date-text';
import { formatNumber, humanize } from '../components/number';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** What the screens do not call by its name. */
const FIELDS: Record<string, string> = {
  hint: 'ends in',
  allowed_ips: 'allow-list',
  old_retires_at: 'old secret works until',
  cidr: 'addresses',
  line: 'for this line of the ledger',
};

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
    const difference = { field: fieldWords(field), was: toWords(was[field]), is: toWords(is[field]) };
    const isEmpty = [difference.was, difference.is].every(
      (text) => text === null || text === 'none' || text === '',
    );
    return difference.was === difference.is || isEmpty ? [] : [difference];
  });
}

function toFields(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}

function toWords(value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'string') return INSTANT.test(value) ? timeText(value) : value;
  if (Array.isArray(value)) return value.map((item) => toWords(item)).join(', ');
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const text = part === null ? null : toWords(part);
    return text === null || text === '' ? [] : [`${fieldWords(name)} ${text}`];
  });
  return parts.join(' · ');
}

const fieldWords = (name: string): string => FIELDS[name] ?? humanize(name);
