import { speakableText } from './speakable-text';
import { blankMarkup } from './spoken-markup';
import type { WordTime } from './voice-engine';

/** When the upstream speaks each character of what it was sent. */
export interface UpstreamAlignment {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
}

/**
 * When each word of `speakableText` of the text is spoken. A written word that is several spoken ones shares its time among
 * them; null for anything but an alignment.
 */
export function timeWords(alignment: UpstreamAlignment): WordTime[] | null {
  const { characters, character_start_times_seconds: starts, character_end_times_seconds: ends } = alignment;
  const lists = [characters, starts, ends];
  if (!lists.every((list) => Array.isArray(list) && list.length === characters.length)) return null;
  // By place in the text: characters beyond the first plane take two.
  const of = characters.flatMap((character, index) => Array.from({ length: character.length }, () => index));
  return [...blankMarkup(characters.join('')).matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    const count = speakableText(word).split(' ').filter(Boolean).length;
    const startSecs = starts[of[index]!]!;
    const step = (ends[of[index + word.length - 1]!]! - startSecs) / count;
    return Array.from({ length: count }, (_, place) => ({
      startSecs: startSecs + step * place,
      endSecs: startSecs + step * (place + 1),
    }));
  });
}
