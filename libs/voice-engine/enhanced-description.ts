import { normalized } from '@app/domain/common/canonical-text';
import { understandDescription } from './voice-description';
import type { Attribute } from './voice-lexicon';

interface Role {
  /** Words in the description that name this kind of speaker. */
  cues: RegExp;
  /** What such a speaker usually sounds like, each about one attribute of the vocabulary. */
  usually: readonly string[];
}

const ROLES: readonly Role[] = [
  { cues: /narrat|documentar|audiobook|storytell/, usually: ['measured', 'warm'] },
  { cues: /news|anchor|announcer|broadcast|presenter/, usually: ['confident', 'articulate', 'steady pace'] },
  { cues: /villain|monster|demon|evil|dragon|orc/, usually: ['deep', 'gravelly', 'slow'] },
  { cues: /pirate|soldier|warrior|cowboy|sailor/, usually: ['low pitched', 'gruff', 'animated'] },
  { cues: /fairy|elf|pixie|princess|cartoon/, usually: ['high pitched', 'lively', 'bright'] },
  { cues: /teach|professor|tutor|lectur|instructor/, usually: ['conversational', 'friendly', 'clear'] },
  { cues: /medit|yoga|sleep|sooth|therap/, usually: ['calm', 'slow', 'soft'] },
  { cues: /sport|commercial|advert|promo|salesman|hype/, usually: ['energetic', 'fast', 'bright'] },
  { cues: /robot|android|assistant|machine|computer/, usually: ['steady pace', 'monotone', 'crisp'] },
  { cues: /grand|elderly|old |witch|wizard|monk/, usually: ['unhurried', 'warm', 'throaty'] },
];
const ANYBODY: readonly string[] = ['conversational', 'warm', 'lively'];

/** A description that says this much is not short any more. */
const ENOUGH_ATTRIBUTES = 4;
const MAX_CHARS = 1_000;

/** The words that were added to a description; null when it says enough already. */
export type Addition = string | null;

/**
 * What a short description leaves open, filled with what such a speaker usually sounds like: up to three words for the
 * kind of speaker it names first, or for any speaker. Only attributes about which the description says nothing (not even
 * "not deep") are added, so that nothing that was requested changes. By rule, not by a model.
 */
export function additionTo(description: string): Addition {
  const { matched, negated } = understandDescription(description);
  if (matched.length >= ENOUGH_ATTRIBUTES) return null;
  const said = new Set([...matched.map(({ attribute }) => attribute), ...negated.flatMap(attributesOf)]);
  const words: string[] = [];
  for (const word of usualWords(description)) {
    const attributes = attributesOf(word);
    if (attributes.some((attribute) => said.has(attribute))) continue;
    words.push(word);
    attributes.forEach((attribute) => said.add(attribute));
  }
  const addition = words.join(', ');
  return addition && [...withAddition(description, addition)].length <= MAX_CHARS ? addition : null;
}

/** The description that an engine receives. */
export function withAddition(description: string, addition: Addition): string {
  return addition ? `${description}. ${addition}` : description;
}

function usualWords(description: string): readonly string[] {
  const text = normalized(description, 'NFKC').toLowerCase();
  const found = ROLES.map(({ cues, usually }) => ({ at: text.search(cues), usually }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return found[0]?.usually ?? ANYBODY;
}

function attributesOf(word: string): Attribute[] {
  return understandDescription(word).matched.map(({ attribute }) => attribute);
}
