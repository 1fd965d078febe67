import { loweredForms, plainText } from '../common/caseless';
import { Conditions } from '../common/conditions';
import { escapeLike } from '../common/like';
import type { VoiceCategory } from './voice.entity';

/** Filters of an account's voices. All must hold; of a list, one is enough. */
export interface VoiceFilter {
  accountId: string;
  ids?: string[];
  category?: VoiceCategory;
  /** Words of the name, the description, the category or the values of the labels; all of them. */
  words?: string[];
  gender?: string;
  age?: string;
  accent?: string;
  languages?: string[];
  useCases?: string[];
}

/** The orders of a list, by name, each in both directions. Each has an index with the account and the id. */
export const VOICE_ORDERS = {
  created_at_unix: { value: 'v.created_at', type: 'timestamptz' },
  name: { value: 'lower(v.name) COLLATE "C"', type: 'text' },
} as const;

export type VoiceOrder = keyof typeof VOICE_ORDERS;

export interface VoicePage {
  order: VoiceOrder;
  descending: boolean;
  /** Where the page starts: after the voice with this value and id. */
  after: { value: string; id: string } | null;
  limit: number;
}

const CATEGORIES: Record<VoiceCategory, string> = {
  generated: "v.engine <> 'recording'",
  cloned: "v.engine = 'recording'",
};

/** Letters of scripts without upper and lower case: one or two of them can be a whole word (漢字). */
const WHOLE_WORD_LETTER = /\p{Lo}/u;
/** Shorter texts have no trigrams. */
const SHORTEST_PART = 3;

/**
 * The conditions that a voice `v` matches a filter.
 *
 * @param helped with conditions that say nothing new, but that the search index can look up
 */
export function conditionsOf(filter: VoiceFilter, helped: boolean): Conditions {
  const where = new Conditions();
  where.add(`v.account_id = ${where.value(filter.accountId)}`);
  addNarrowing(filter, where);
  if (helped) addLabelValues(filter, where);
  return where;
}

/** The conditions of a filter without the account. */
export function addNarrowing(filter: Omit<VoiceFilter, 'accountId'>, where: Conditions): void {
  where.ifPresent(filter.ids, (value) => `v.id = ANY (${value})`);
  if (filter.category) where.add(CATEGORIES[filter.category]);
  for (const word of filter.words ?? []) where.add(says(word, where));
  for (const name of ['gender', 'age', 'accent'] as const) {
    if (filter[name] !== undefined) addLabel(name, [filter[name]], where);
  }
  if (filter.useCases) addLabel('use_case', filter.useCases, where);
  where.ifPresent(
    filter.languages?.flatMap(loweredForms),
    (value) => `(lower(v.labels->>'language') = ANY (${value}) OR lower(v.language) = ANY (${value})
      OR split_part(lower(v.language), '-', 1) = ANY (${value}))`,
  );
}

/** The condition that a voice has one of these values for a label. */
function addLabel(label: string, requested: string[], where: Conditions): void {
  const lowered = where.value(requested.flatMap(loweredForms));
  where.add(`lower(v.labels->>'${label}') = ANY (${lowered})`);
}

/** That the values of labels are in the searched text. */
function addLabelValues({ gender, age, accent, useCases = [] }: VoiceFilter, where: Conditions): void {
  const values = [gender, age, accent, useCases.length === 1 ? useCases[0] : undefined];
  for (const value of values) if (value && !/\s/.test(value)) where.add(contains(value, where));
}

/** That the text or the category of a voice has a word. */
function says(word: string, where: Conditions): string {
  const category = Object.hasOwn(CATEGORIES, word) ? CATEGORIES[word as VoiceCategory] : undefined;
  const contained = contains(word, where);
  return category === undefined ? contained : `(${category} OR ${contained})`;
}

/** Contained anywhere; a short word at the beginning of a word, which is what the trigram index can find. */
function contains(word: string, where: Conditions): string {
  const anywhere = [...word].length >= SHORTEST_PART || WHOLE_WORD_LETTER.test(word);
  const forms = loweredForms(plainText(word)).map((form) => `%${anywhere ? '' : ' '}${escapeLike(form)}%`);
  const found = forms.map((pattern) => `v.search_text LIKE ${where.value(pattern)}`);
  return found.length === 1 ? found[0]! : `(${found.join(' OR ')})`;
}
