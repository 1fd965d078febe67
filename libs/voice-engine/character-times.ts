import { speakableText } from './speakable-text';
import { blankMarkup } from './spoken-markup';
import type { WordTime } from './voice-engine';

/** When each character of a text is spoken, in seconds; the three lists are equally long. */
export interface CharacterTimes {
  characters: string[];
  startSecs: number[];
  endSecs: number[];
}

/** Characters that are spoken between two times; null for those between two words. */
interface Run {
  text: string;
  time: WordTime | null;
}

/**
 * When the characters of a text are spoken, from when its words are: those of a word share its time equally, and those between
 * two words share the pause between them. Times never run backwards.
 *
 * @param written the text of the request, or what the engine makes of it
 * @param wordTimes of each word of `speakableText(written)`
 * @param durationSecs of the audio: what stands behind the last word ends there
 */
export function timeCharacters(written: string, wordTimes: WordTime[], durationSecs: number): CharacterTimes {
  const times: CharacterTimes = { characters: [], startSecs: [], endSecs: [] };
  const runs = runsOf(written, wordTimes);
  let now = 0;
  runs.forEach(({ text, time }, place) => {
    // Between two words there is one run at most.
    const next = runs[place + 1]?.time?.startSecs ?? durationSecs;
    const start = Math.max(now, time?.startSecs ?? now);
    const end = Math.max(start, time?.endSecs ?? next);
    const characters = [...text];
    const step = (end - start) / characters.length;
    characters.forEach((character, index) => {
      times.characters.push(character);
      times.startSecs.push(start + step * index);
      times.endSecs.push(start + step * (index + 1));
    });
    now = end;
  });
  return times;
}

/** The words of a text and what stands between them. A written word may be several spoken ones, or none. */
function runsOf(written: string, wordTimes: WordTime[]): Run[] {
  const blanked = blankMarkup(written);
  const runs: Run[] = [];
  let spoken = 0;
  let end = 0;
  for (const { 0: word, index } of blanked.matchAll(/\S+/g)) {
    if (spoken === wordTimes.length) break;
    const count = speakableText(word).split(' ').filter(Boolean).length;
    const own = wordTimes.slice(spoken, spoken + count);
    if (own.length === 0) continue;
    spoken += own.length;
    if (index > end) runs.push({ text: written.slice(end, index), time: null });
    end = index + word.length;
    const time = { startSecs: own[0]!.startSecs, endSecs: own.at(-1)!.endSecs };
    runs.push({ text: written.slice(index, end), time });
  }
  if (end < written.length) runs.push({ text: written.slice(end), time: null });
  return runs;
}
