import { useSyncExternalStore } from 'react';

/** A value outside the components, and the hook of those that show it. */
export function createStore<T>(value: T) {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => value;
  const set = (next: T) => {
    if (value === next) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}
