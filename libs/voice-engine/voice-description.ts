import { normalized } from '@app/domain/common/canonical-text';
import {
  Attribute,
  ATTRIBUTES,
  DIRECTIONS,
  INTENSIFIERS,
  LEXICON,
  NEGATIONS,
  STOP_WORDS,
  UNAVAILABLE_ACCENTS,
  USES,
  VoiceTraits,
} from './voice-lexicon';

/** What was read out of a description, and what was not: stored with the preview, so that it can be explained. */
export interface UnderstoodDescription {
  traits: VoiceTraits;
  /** The words behind each trait. */
  matched: { attribute: Attribute; words: string; value: string | number }[];
  /** Traits that were named only to be excluded ("not deep"). */
  negated: string[];
  /** Content words that mean nothing to this engine, each once, in order. */
  unmatched: string[];
  /** An accent that was requested and is not available. */
  unavailableAccent: string | null;
}

interface Token {
  word: string;
  /** A comma, full stop or the like stands before this word. */
  startsClause: boolean;
}

interface Match {
  words: string;
  says: VoiceTraits;
  /** The number of words in it. */
  length: number;
  strength: number;
}

const PHRASES: ReadonlyMap<string, VoiceTraits> = new Map(
  LEXICON.flatMap(([phrases, says]) => phrases.split('|').map((phrase) => [phrase, says] as const)),
);
const LONGEST_PHRASE = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(' ').length));
/** How far before a trait its negation may stand: "not at all too deep". */
const NEGATION_REACH = 4;

/**
 * Reads a free-text voice description with a fixed English vocabulary.
 *
 * The longest phrase wins ("old radio" says nothing about age), a negated one is skipped ("not deep", "without any
 * breathiness"), and "very", "a bit", "more", "less" scale the trait that follows. Comparatives ("deeper", "older")
 * are steps like the others, so the same reading serves a new voice and a change to an existing one.
 */
export function understandDescription(description: string): UnderstoodDescription {
  const tokens = tokenize(description);
  const matches: Match[] = [];
  const rest: string[] = [];
  const negated: string[] = [];
  let lastNegatedEnd = -1;
  for (let at = 0; at < tokens.length;) {
    const match = ageAt(tokens, at) ?? phraseAt(tokens, at);
    const end = at + (match?.length ?? 1);
    if (!match) rest.push(tokens[at]!.word);
    else if (isNegated(tokens, at, lastNegatedEnd)) {
      negated.push(match.words);
      lastNegatedEnd = end;
    } else matches.push({ ...match, strength: strengthBefore(tokens, at) });
    at = end;
  }
  return { ...mergeMatches(matches), negated, ...sortRest(rest) };
}

function tokenize(description: string): Token[] {
  const text = normalized(description, 'NFKC').toLowerCase().replace(/['’]/g, '');
  const tokens: Token[] = [];
  let startsClause = true;
  for (const [piece] of text.matchAll(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\s-]/gu)) {
    if (/[\p{L}\p{N}]/u.test(piece)) tokens.push({ word: piece, startsClause });
    startsClause = /[,.;:!?()]/.test(piece);
  }
  return tokens;
}

/** The longest phrase of the vocabulary that begins here; a phrase does not run over a comma. */
function phraseAt(tokens: Token[], at: number): Match | null {
  for (let length = LONGEST_PHRASE; length > 0; length--) {
    const slice = tokens.slice(at, at + length);
    if (slice.length < length || slice.some((token, index) => index > 0 && token.startsClause)) continue;
    const words = slice.map((token) => token.word).join(' ');
    const says = PHRASES.get(words) ?? (length === 1 ? saysAdverb(words) : undefined);
    if (says) return { words, says, length, strength: 1 };
  }
  return null;
}

/** "quickly" says what "quick" does, and so do "gently" and "raspily". */
function saysAdverb(word: string): VoiceTraits | undefined {
  const stem = /^(.{3,})ly$/.exec(word)?.[1];
  if (stem === undefined) return undefined;
  const adjectives = [stem, `${stem}le`, stem.replace(/i$/, 'y'), stem.replace(/al$/, '')];
  return adjectives.map((adjective) => PHRASES.get(adjective)).find((says) => says !== undefined);
}

/** "50 years old", "35 year old", "aged 25", "in her 40s". */
function ageAt(tokens: Token[], at: number): Match | null {
  const slice = tokens.slice(at, at + 3).map((token) => token.word);
  const [first = '', second = '', third = ''] = slice;
  const decade = /^([1-9]0)s$/.exec(first);
  if (decade) return ageMatch(Number(decade[1]) + 5, first, 1);
  if (/^aged?$/.test(first) && /^\d{1,3}$/.test(second))
    return ageMatch(Number(second), `${first} ${second}`, 2);
  if (!/^\d{1,3}$/.test(first) || !/^(years?|yrs?|yo)$/.test(second)) return null;
  const length = third === 'old' ? 3 : 2;
  return ageMatch(Number(first), slice.slice(0, length).join(' '), length);
}

function ageMatch(years: number, words: string, length: number): Match {
  const bounds = [
    [13, 'child'],
    [20, 'teen'],
    [35, 'young'],
    [60, 'middle_aged'],
    [Infinity, 'old'],
  ] as const;
  const age = bounds.find(([below]) => years < below)?.[1];
  return { words, says: age ? { age } : {}, length, strength: 1 };
}

/**
 * Looks back over fillers ("any", "too", "a") for a negation in the same clause. A list stays negated:
 * "not deep or too raspy", "not deep and raspy"; but "no accent and a deep voice" is deep.
 */
function isNegated(tokens: Token[], at: number, lastNegatedEnd: number): boolean {
  for (let back = at - 1; back >= 0 && back >= at - NEGATION_REACH; back--) {
    const word = tokens[back]!.word;
    if (tokens[back + 1]!.startsClause) return false;
    if (NEGATIONS.has(word)) return true;
    if (word === 'or' || word === 'nor') return back === lastNegatedEnd;
    if (word === 'and') return back === lastNegatedEnd && back === at - 1;
    if (word === 'but' || !(STOP_WORDS.has(word) || INTENSIFIERS.has(word))) return false;
  }
  return false;
}

function strengthBefore(tokens: Token[], at: number): number {
  let strength = 1;
  for (let back = at; back > 0; back--) {
    const word = tokens[back - 1]?.word ?? '';
    const factor = INTENSIFIERS.get(word) ?? DIRECTIONS.get(word);
    if (tokens[back]?.startsClause || factor === undefined) break;
    strength *= factor;
  }
  return strength;
}

function mergeMatches(matches: Match[]): Pick<UnderstoodDescription, 'traits' | 'matched'> {
  const best = new Map<Attribute, Match>();
  for (const match of matches) {
    for (const attribute of ATTRIBUTES) {
      if (match.says[attribute] === undefined) continue;
      const rival = best.get(attribute);
      if (!rival || precedence(match) > precedence(rival)) best.set(attribute, match);
    }
  }
  const matched = [...best].map(([attribute, { words, says, strength }]) => {
    const value = says[attribute]!;
    return { attribute, words, value: typeof value === 'number' ? round(value * strength) : value };
  });
  const traits = Object.fromEntries(matched.map(({ attribute, value }) => [attribute, value])) as VoiceTraits;
  return { traits, matched };
}

function sortRest(rest: string[]): Pick<UnderstoodDescription, 'unmatched' | 'unavailableAccent'> {
  const unavailableAccent = rest.find((word) => UNAVAILABLE_ACCENTS.has(word)) ?? null;
  return { unmatched: [...new Set(rest)].filter((word) => !isFunctionWord(word)), unavailableAccent };
}

function isFunctionWord(word: string): boolean {
  return [STOP_WORDS, INTENSIFIERS, NEGATIONS, DIRECTIONS].some((list) => list.has(word));
}

/** Longer phrases first; among equals the one that says least else ("fast" over the pace of "calm"); uses last. */
function precedence({ words, length, says }: Match): number {
  return length * 10 - Object.keys(says).length - (USES.has(words) ? 100 : 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
