/** A record of a CSV file, with the line that it begins in. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** A cell with its separator: quoted, with doubled quotes, or plain. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/**
 * Reads CSV (RFC 4180), with any line ends, of a text that `readText` has read. Empty lines are left out.
 *
 * @returns the records, and the line of the first that is broken, where reading ends; null when none is
 */
export function readCsv(text: string): { records: CsvRecord[]; brokenLine: number | null } {
  const records: CsvRecord[] = [];
  let record: CsvRecord = { line: 1, cells: [] };
  let line = 1;
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const match = CELL.exec(text);
    if (!match) return { records, brokenLine: line };
    const [whole, quoted, plain = '', end = ''] = match;
    record.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split(/\r\n|\n|\r/).length - 1;
    if (end === ',' && CELL.lastIndex < text.length) continue;
    if (end === ',') record.cells.push('');
    if (record.cells.some((cell) => cell !== '')) records.push(record);
    record = { line, cells: [] };
  }
  return { records, brokenLine: null };
}
