import { openedLately, rememberOpened } from './opened';

function storage() {
  const texts = new Map<string, string>();
  return {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  };
}

const key = (number: number) => ({ kind: 'API key', name: `Key ${number}`, to: `/api-keys/${number}` });

it('what was opened last is first, once, and the last eight are kept for each person', () => {
  const store = storage();
  for (const number of [1, 2, 3, 1]) rememberOpened(store, 'ana', key(number));
  expect(openedLately(store, 'ana').map(({ name }) => name)).toEqual(['Key 1', 'Key 3', 'Key 2']);
  for (let number = 10; number < 20; number++) rememberOpened(store, 'ana', key(number));
  expect(openedLately(store, 'ana').map(({ name }) => name)).toEqual(
    [19, 18, 17, 16, 15, 14, 13, 12].map((number) => `Key ${number}`),
  );
  expect(openedLately(store, 'ben')).toEqual([]);
});

it.each(['', 'null', '{', '{"a":1}'])('%j in the store is nothing', (text) => {
  const store = storage();
  store.setItem('greenroom.opened.ana', text);
  expect(openedLately(store, 'ana')).toEqual([]);
});
