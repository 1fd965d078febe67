import { heldReason, recentReasons, rememberReason } from './reasons';

const MINUTE = 60_000;

function newStore() {
  const stored = new Map<string, string>();
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
  };
}

describe('the reasons that a person gave', () => {
  it('are the last five, newest first, each once, and another person has their own', () => {
    const store = newStore();
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'c']) rememberReason(store, 'ana', text, false);
    expect(recentReasons(store, 'ana')).toEqual(['c', 'f', 'e', 'd', 'b']);
    expect(recentReasons(store, 'ben')).toEqual([]);
  });

  it('are filled in only while they are held', () => {
    const store = newStore();
    rememberReason(store, 'ana', 'Ticket 1', true, 0);
    expect(heldReason(store, 'ana', 29 * MINUTE)).toBe('Ticket 1');
    expect(heldReason(store, 'ana', 30 * MINUTE)).toBeNull();
    rememberReason(store, 'ana', 'Ticket 2', false, 0);
    expect(heldReason(store, 'ana', 1)).toBeNull();
  });

  it('survive a text in their place that is not theirs', () => {
    const store = newStore();
    for (const text of ['', 'null', '{"recent":1}', '[']) {
      store.setItem('greenroom.reasons.ana', text);
      expect([recentReasons(store, 'ana'), heldReason(store, 'ana')]).toEqual([[], null]);
    }
  });
});
