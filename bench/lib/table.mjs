/** Lines of a table; numbers are right-aligned. */
export function toTable(columns, rows) {
  const cells = [columns, ...rows.map((row) => columns.map((column) => format(row[column])))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i].length)));
  const isText = columns.map((column) => rows.some((row) => typeof row[column] === 'string'));
  return cells
    .map((line) =>
      line
        .map((cell, i) => (isText[i] ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function format(value) {
  if (value === undefined || value === null) return '–';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
