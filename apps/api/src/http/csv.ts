import { normalized } from '@app/domain/common/canonical-text';

export type CsvValue = string | number | null;

/** Beginnings that a spreadsheet takes for a formula (OWASP ASVS 5.0, 1.2.10); some take their full-width forms for one too. */
const FORMULA = /^[\s\u200b\ufeff]*[=+\-@\t\r|%]/u;

/**
 * One line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front, which it
 * shows as text.
 */
export function toCsvLine(values: readonly CsvValue[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}

function toCell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(normalized(value, 'NFKC')) ? `'${value}` : value;
  return /[",\r\n;']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
