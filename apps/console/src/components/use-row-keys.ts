import { useEffect, type RefObject } from 'react';
import { isTyping, useShortcutSetting } from './keyboard';

/** `j` and `k` to the next and the previous row of a table, `x` selects it, Enter opens its first link. */
export function useRowKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  onSelect?: (id: string) => void,
): void {
  const [enabled] = useShortcutSetting();
  useEffect(() => {
    if (!enabled) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return;
      const rows = [...(body.current?.rows ?? [])];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      const row = rows[at];
      if (event.key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
      else if (event.key === 'k') rows[Math.max(at - 1, 0)]?.focus();
      else if (event.key === 'x' && row?.dataset.row !== undefined && onSelect) onSelect(row.dataset.row);
      else if (event.key === 'Enter' && row === document.activeElement) row?.querySelector('a')?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [body, enabled, onSelect]);
}
