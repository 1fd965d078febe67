import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Which dialog of a screen is open; a link opens one with `?do=` in the address, after a dot with its field to begin in. `known`: where others ask for theirs. */
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
