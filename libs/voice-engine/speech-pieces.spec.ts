import * as fc from 'fast-check';
import { speakableText, speechWeight, type SpokenScripts } from './speakable-text';
import { pieceByPiece } from './speech-pieces';

const splitIntoPieces = (text: string, scripts: SpokenScripts = 'latin') =>
  [...pieceByPiece(text, scripts)].filter((piece) => piece !== null);

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
    fc.property(text, (input) => {
      const pieces = splitIntoPieces(input);
      expect(charactersOf(input)).toBe(pieces.length > 0 ? [...input].length : 0);
      expect(pieces.map(({ written }) => written).join('')).toBe(pieces.length > 0 ? input : '');
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

it.each([
  'The prize of the whole institute was this year given by Dr. Smith. ',
  'Among the books that stood on the shelf was one by J. R. R. Tolkien. ',
  'The long train to the coast left at 5 p.m. Monday and was full. ',
  'They had sold more than 3.5 million tickets to the U.S. Army so far. ',
  'She had come with the ship of the Northern Trading Co. Ltd. of Leeds. ',
  'Der alte Herr wohnte seit vielen Jahren in der St. Anna Gasse am Hafen. ',
])('%j is one sentence', (sentence) => {
  expect(textsOf(`${sentence}${sentence}`)).toEqual([sentence, sentence]);
});

it('cuts a long sentence at commas, and never in markup', () => {
  const clause = 'and the boats that had come in from the sea in the early morning lay still, ';
  const pieces = textsOf(clause.repeat(30));
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) expect(piece.endsWith('still, ')).toBe(true);
  const words = `${'the harbour '.repeat(41)}<break time="1s" /> `.repeat(5);
  for (const piece of textsOf(words))
    expect(piece.match(/</g) ?? []).toHaveLength(piece.match(/>/g)?.length ?? 0);
});

it('speaks the silence at the end of a text', () => {
  expect(textsOf('Fog. <break time="2s"/>')).toEqual(['Fog. <break time="2s"/>']);
});

it('an engine that reads all scripts speaks texts without spaces sentence by sentence', () => {
  const sentence = '港口那天早上非常安静，船只静静地停在水面上，没有人说话。';
  expect(splitIntoPieces(sentence)).toEqual([]);
  expect(splitIntoPieces(sentence.repeat(3), 'all').map(({ text }) => text)).toEqual([
    sentence,
    sentence,
    sentence,
  ]);
  const endless = splitIntoPieces('港口那天早上非常安静'.repeat(100), 'all');
  expect(endless.every(({ text }) => speechWeight(text) <= 500)).toBe(true);
});
