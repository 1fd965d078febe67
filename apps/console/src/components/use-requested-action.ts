import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Which dialog of a screen is open. A link opens one with `?do=NAME` in the address, or `?do=NAME.FIELD` to begin in a field.
 *
 * @param known where other parts of the screen open theirs in the same way
 * @returns the dialog, how to open another (null: none), and the field
 */
export function useRequestedAction<Action extends string>(known?: readonly Action[]) {
  const { do: requested, ...rest }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [[action, field], open] = useState<[Action | null, field?: string]>([null]);
  useEffect(() => {
    const [name, begin] = (requested?.split('.') ?? []) as [Action?, string?];
    if (name === undefined || known?.includes(name) === false) return;
    open([name, begin]);
    void navigate({ to: '.', search: rest as never, replace: true });
  }, [requested]);
  return [action, (next: Action | null) => open([next]), field] as const;
}
