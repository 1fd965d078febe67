import { useEffect } from 'react';
import { browserStore } from './browser-store';
import { useMe } from '../api/client';
import { rememberOpened } from './opened';

export function useOpened(kind: string, name: string, to: string): void {
  const { id } = useMe();
  useEffect(() => {
    rememberOpened(browserStore, id, { kind, name, to });
  }, [id, kind, name, to]);
}
