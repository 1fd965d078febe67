import { timeWords } from './upstream-alignment';

const alignmentOf = (text: string) => {
  const characters = [...text];
  return {
    characters,
    character_start_times_seconds: characters.map((_, index) => index),
    character_end_times_seconds: characters.map((_, index) => index + 1),
  };
};

it.each([
  [
    'Hi you.',
    [
      [0, 2],
      [3, 7],
    ],
  ],
  [
    'Hi <break time="1s"/> you',
    [
      [0, 2],
      [22, 25],
    ],
  ],
  ['𝄞 Hi', [[2, 4]]],
  [
    '7 Hi',
    [
      [0, 1],
      [2, 4],
    ],
  ],
  // prettier-ignore
  ['5% now', [[0, 1], [1, 2], [3, 6]]],
])('%s', (text, times) => {
  const words = timeWords(alignmentOf(text));
  expect(words?.map(({ startSecs, endSecs }) => [startSecs, endSecs])).toEqual(times);
});

it('is null for lists that do not belong together', () => {
  expect(timeWords({ ...alignmentOf('Hi'), character_end_times_seconds: [1] })).toBeNull();
});
