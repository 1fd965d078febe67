import * as fc from 'fast-check';
import { ArrivingSentences } from './arriving-sentences';
import { pieceByPiece } from './speech-pieces';

const splitIntoPieces = (text: string) => [...pieceByPiece(text, 'latin')].filter((piece) => piece !== null);

const arriving = (parts: readonly string[]) => {
  const sentences = new ArrivingSentences('latin');
  for (const part of parts) sentences.add(part);
  return sentences;
};

/** How much is complete of a text of which all is there. */
const completeOf = (text: string) =>
  splitIntoPieces(`${text}Next`)
    .slice(0, -1)
    .reduce((sum, { written }) => sum + written.length, 0);

const words = fc.constantFrom(
  'the sea ',
  'Fog. ',
  ' of the U.S. Army',
  'z. B. ',
  '3.5 million',
  '“Why?” ',
  '<break time="1.5s" />',
  '[laughs] ',
  'a < b. ',
  '\n',
  'went:',
  ' and came, ',
);

it('finds what is complete of a text, in one part or many', () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (all, size) => {
        const text = all.join('').trimStart();
        const parts = text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
        expect(arriving([text]).length).toBe(completeOf(text));
        const found = arriving(parts).length;
        expect(found).toBeLessThanOrEqual(text.length);
        expect(found).toBeGreaterThanOrEqual(completeOf(text) - 60);
      },
    ),
  );
});

it.each([
  [
    'The harbour was quiet before the first boat came home. ',
    ['The harbour was quiet before the first boat', ' came home', '.', ' '],
  ],
  [
    'The prize of the whole institute was given by Dr. Smith at noon. ',
    ['The prize of the whole institute was given by Dr', '.', ' ', 'Smith', ' at noon. '],
  ],
  [
    'The boats of the harbour lay still <break time="1.5s" /> and waited. ',
    ['The boats of the harbour lay still <bre', 'ak time="1', '.', '5s" /', '> and waited. '],
  ],
])('%j is one sentence, however it arrives', (sentence, parts) => {
  expect(parts.join('')).toBe(sentence);
  expect(arriving(parts.slice(0, -1)).length).toBe(0);
  expect(arriving(parts).length).toBe(sentence.length);
});

it('what cannot be spoken is complete once there is too much of it', () => {
  for (const character of ['‹', '"', '🎈', '" ', '.\n', '[', '<', '<a ', '“ ']) {
    const sentences = arriving(Array<string>(300).fill(character.repeat(100)));
    const left = character.length * 30_000 - sentences.length;
    expect({ character, isLeft: left > 26_000 }).toEqual({ character, isLeft: false });
  }
});

/** How many characters are segmented while a text arrives in parts of a size. */
function stepsOf(text: string, size: number): number {
  const spy = jest.spyOn(Intl.Segmenter.prototype, 'segment');
  arriving(text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []);
  const steps = spy.mock.calls.reduce((sum, [input]) => sum + input.length, 0);
  spy.mockRestore();
  return steps;
}

it.each(['a ', 'word', '. ', 'Fog. ', '"', '‹', '7', '\n', '<b ', '[a ', 'and so on, ', '日本。', 'é'])(
  'the work of a message does not grow with what has arrived: %j',
  (unit) => {
    for (const size of [1, 7, 500]) {
      const [some, twice] = [2_000, 4_000].map((length) => stepsOf(unit.repeat(length / unit.length), size));
      expect(twice! / Math.max(some!, 1)).toBeLessThan(2.5);
      expect(twice! / 4_000).toBeLessThan(400);
    }
  },
);
