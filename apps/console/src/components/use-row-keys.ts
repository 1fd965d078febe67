import type { RefObject } from 'react';
import { useKeyPress } from './keyboard';

/** `j` and `k` to the next and the previous row of a table, `x` selects it, Enter opens its first link. */
export function useRowKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  onSelect?: (id: string) => void,
): void {
  useKeyPress((key) => {
    const rows = [...(body.current?.rows ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[at];
    if (key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
    else if (key === 'k') rows[Math.max(at - 1, 0)]?.focus();
    else if (key === 'x' && row?.dataset.row !== undefined && onSelect) onSelect(row.dataset.row);
    else if (key === 'Enter' && row === document.activeElement) row?.querySelector('a')?.click();
    else return false;
    return true;
  });
}
