import { useRouter } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useKeyPress } from './keyboard';

/**
 * `j` and `k` to the next and the previous row of a table, `x` selects it, Space shows it in full and the rows that follow too
 * until Escape, Enter opens its first link.
 */
export function useRowKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  onSelect?: (id: string) => void,
  peek?: { peeked: string | null; show: (id: string | null) => void },
): void {
  const router = useRouter();
  useKeyPress((key) => {
    const rows = [...(body.current?.rows ?? [])].filter((row) => row.dataset.row !== undefined);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[at];
    const go = (to: number) => {
      const next = rows[Math.min(Math.max(to, 0), rows.length - 1)];
      next?.focus();
      const link = next?.querySelector('a');
      if (link) void router.preloadRoute({ to: link.pathname.slice(router.basepath.length) });
      if (peek && peek.peeked !== null) peek.show(next?.dataset.row ?? null);
    };
    if (key === 'j') go(at + 1);
    else if (key === 'k') go(at - 1);
    else if (key === 'x' && row?.dataset.row !== undefined && onSelect) onSelect(row.dataset.row);
    else if (key === ' ' && peek && row !== undefined && row === document.activeElement)
      peek.show(peek.peeked === row.dataset.row ? null : row.dataset.row!);
    else if (key === 'Escape' && peek && peek.peeked !== null) peek.show(null);
    else if (key === 'Enter' && row === document.activeElement) row?.querySelector('a')?.click();
    else return false;
    return true;
  });
}
