import type { Interruptible } from '@app/domain/common/interruptible';
import { appearancesOf, skeletonOf } from '@app/domain/voices/screening';
import { englishDataset, englishRecommendedTransformers, RegExpMatcher } from 'obscenity';

const DATASET = englishDataset.build();

/** Parts of first and family names, and of words in them, that the built-in list would take for something else. */
const NAMES = [
  'arsène',
  'arsen',
  'assmus',
  'assmann',
  'assompt',
  'assunt',
  'concepción',
  'cumm',
  'dicken',
  'dicki',
  'dickmann',
  'dickson',
  'liebich',
  'bichler',
  'negrón',
  'cockburn',
  'hancock',
  'hitchcock',
  'peacock',
  'babcock',
  'shittu',
];

/**
 * Profane English words, of the package `obscenity`, without those that are ordinary names. It looks at the letters that a text
 * reads as, not at those it is written in.
 */
const MATCHER = new RegExpMatcher({
  ...DATASET,
  ...englishRecommendedTransformers,
  whitelistedTerms: [...(DATASET.whitelistedTerms ?? []), ...NAMES, ...NAMES.map(skeletonOf)],
});

/** Whether a text has a profane English word. */
export function* findingProfanity(text: string): Interruptible<boolean> {
  for (const appearance of appearancesOf(text))
    for (const reading of new Set([appearance, skeletonOf(appearance)])) {
      yield;
      if (MATCHER.hasMatch(reading)) return true;
    }
  return false;
}
