import * as fc from 'fast-check';
import { timeCharacters } from './character-times';
import { synthesizeWithFlite } from './flite-synthesizer';
import { speakableText } from './speakable-text';
import type { WordTime } from './voice-engine';

const SETTINGS = { voice: 'slt', f0: 180, f0sd: 20, stretch: 1 } as const;

function speak(text: string) {
  const { samples, sampleRate, timeWords } = synthesizeWithFlite(speakableText(text), SETTINGS);
  const durationSecs = samples.length / sampleRate;
  const rms = (start: number, end: number) => {
    const part = samples.subarray(Math.round(start * sampleRate), Math.round(end * sampleRate));
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
  };
  return { durationSecs, rms, wordTimes: timeWords() };
}

describe('words', () => {
  it('every word has its time, one after the other, and the sound is there', () => {
    const text = 'Doctor Smith paid $25 at 10:30. Nobody minded; the boats lay still!';
    const { wordTimes, durationSecs, rms } = speak(text);
    expect(wordTimes).toHaveLength(speakableText(text).split(' ').length);
    let before = 0;
    for (const { startSecs, endSecs } of wordTimes) {
      expect(startSecs).toBeGreaterThanOrEqual(before);
      expect(endSecs).toBeGreaterThan(startSecs);
      expect(rms(startSecs, endSecs)).toBeGreaterThan(0.02);
      before = endSecs;
    }
    expect(before).toBeLessThan(durationSecs);
  });

  it('between two sentences nothing sounds', () => {
    const { wordTimes, rms } = speak('The harbour was quiet that morning. Fog moved slowly over the sea.');
    const [last, first] = [wordTimes[5]!, wordTimes[6]!];
    expect(first.startSecs - last.endSecs).toBeGreaterThan(0.15);
    expect(rms(last.endSecs + 0.03, first.startSecs - 0.03)).toBeLessThan(0.005);
    expect(rms(first.startSecs, first.endSecs)).toBeGreaterThan(0.03);
  });

  it('a word with many sounds takes longer than one with few', () => {
    const { wordTimes } = speak('He bought 7,777,777 apples.');
    const [he, , number, apples] = wordTimes.map(({ startSecs, endSecs }) => endSecs - startSecs);
    expect(number! / he!).toBeGreaterThan(8);
    expect(number! / apples!).toBeGreaterThan(4);
  });
});

describe('characters', () => {
  const WORDS: WordTime[] = [
    { startSecs: 0.2, endSecs: 0.6 },
    { startSecs: 1, endSecs: 1.4 },
  ];

  it('share the time of their word, and pauses lie between words', () => {
    const { characters, startSecs, endSecs } = timeCharacters('ab, cd', WORDS, 2);
    expect(characters.join('')).toBe('ab, cd');
    expect(startSecs[0]).toBeCloseTo(0.2);
    expect(endSecs[2]).toBeCloseTo(0.6);
    expect([startSecs[3], endSecs[3]]).toEqual([expect.closeTo(0.6), expect.closeTo(1)]);
    expect(endSecs[5]).toBeCloseTo(1.4);
  });

  it('what cannot be spoken stands in the pause', () => {
    const { characters, startSecs, endSecs } = timeCharacters('ab <break time="1s"/> 🎈 cd 🎈', WORDS, 2);
    const balloon = characters.indexOf('🎈');
    expect(startSecs[balloon]).toBeGreaterThan(0.6);
    expect(endSecs[balloon]).toBeLessThan(1);
    expect(startSecs[characters.indexOf('c')]).toBeCloseTo(1);
    expect(endSecs.at(-1)).toBeCloseTo(2);
  });

  it('a word that is spoken as several has the time of all of them', () => {
    const { startSecs, endSecs } = timeCharacters('a%', WORDS, 2);
    expect([startSecs[0], endSecs[1]]).toEqual([expect.closeTo(0.2), expect.closeTo(1.4)]);
  });

  it('of any text are all there, and their times never run backwards', () => {
    const someText = fc.string({ unit: 'binary', maxLength: 80 });
    const someTimes = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 24 });
    fc.assert(
      fc.property(someText, someTimes, (text, marks) => {
        const sorted = marks.toSorted((a, b) => a - b);
        const words = sorted.flatMap((startSecs, at) =>
          at % 2 === 0 ? [{ startSecs, endSecs: sorted[at + 1] ?? 5 }] : [],
        );
        const { characters, startSecs, endSecs } = timeCharacters(text, words, 5);
        expect(characters.join('')).toBe(text);
        const line = startSecs.flatMap((start, at) => [start, endSecs[at]!]);
        expect(line.every((time, at) => time >= (line[at - 1] ?? 0) - 1e-9 && time <= 5 + 1e-9)).toBe(true);
      }),
    );
  });
});
