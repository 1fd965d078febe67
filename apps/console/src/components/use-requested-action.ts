import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Which dialog of a screen is open; the palette opens one with `?do=` in the address. `known`: where others ask for theirs. */
export function useRequestedAction<Action extends string>(known?: readonly Action[]) {
  const { do: requested, ...rest }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useState<Action | null>(null);
  const [, setAction] = state;
  useEffect(() => {
    if (requested === undefined || known?.includes(requested as Action) === false) return;
    setAction(requested as Action);
    void navigate({ to: '.', search: rest as never, replace: true });
  }, [requested]);
  return state;
}
