import * as fc from 'fast-check';
import { speakableText, speechWeight } from './speakable-text';
import { splitIntoPieces } from './speech-pieces';

const textsOf = (text: string) => splitIntoPieces(text).map((piece) => piece.text);
const charactersOf = (text: string) =>
  splitIntoPieces(text).reduce((sum, { characters }) => sum + characters, 0);

it('speaks sentence by sentence, short ones together', () => {
  expect(
    textsOf(
      'The harbour was quiet that morning, and the boats lay still. Fog. It moved slowly over the sea, and went! And "came again tomorrow for all of us?" Yes',
    ),
  ).toEqual([
    'The harbour was quiet that morning, and the boats lay still. ',
    'Fog. It moved slowly over the sea, and went! ',
    'And "came again tomorrow for all of us?" ',
    'Yes',
  ]);
});

it.each(['', '  ', '🎈🎈', '<break time="1s" />', '... !!! ?'])('%j has nothing to speak', (text) => {
  expect(splitIntoPieces(text)).toEqual([]);
});

it('what cannot be spoken by itself counts for the piece before or behind it', () => {
  expect(splitIntoPieces('🎈 ... The harbour was quiet that morning, and the boats lay still. 🎈')).toEqual([
    {
      text: '🎈 ... The harbour was quiet that morning, and the boats lay still. ',
      written: '🎈 ... The harbour was quiet that morning, and the boats lay still. 🎈',
      characters: 68,
    },
  ]);
  expect(splitIntoPieces(`${'🎈'.repeat(1_000)} Fog. ${'🎈'.repeat(1_000)}`)).toEqual([
    {
      text: expect.stringContaining('Fog. ') as string,
      written: `${'🎈'.repeat(1_000)} Fog. ${'🎈'.repeat(1_000)}`,
      characters: 2_006,
    },
  ]);
});

it('every character belongs to one piece, each piece can be spoken, and nothing of it is cut off', () => {
  const words = fc.constantFrom(
    'sea',
    'Fog. ',
    '1234567890',
    '%&@',
    '日本。',
    '🎈',
    ' ',
    '\n',
    '“Why?” ',
    'ﷺ',
    'xkcd',
    '<b ',
    'c>',
  );
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(words, { maxLength: 800 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const pieces = splitIntoPieces(given);
      expect(charactersOf(given)).toBe(pieces.length > 0 ? [...given].length : 0);
      expect(pieces.map(({ written }) => written).join('')).toBe(pieces.length > 0 ? given : '');
      for (const piece of pieces) {
        expect(speakableText(piece.text)).not.toBe('');
        expect(speechWeight(piece.text)).toBeLessThan(2_000);
      }
    }),
  );
});

it.each(['7', '🎈', '<b c> ', 'Fog. ', 'a '])('the longest text of %j is split soon enough', (part) => {
  const text = part.repeat(40_000 / [...part].length);
  const startedAtMs = performance.now();
  const pieces = splitIntoPieces(text);
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  expect(charactersOf(text)).toBe(pieces.length > 0 ? [...text].length : 0);
});
