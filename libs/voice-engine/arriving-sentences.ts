import type { SpokenScripts } from './speakable-text';
import { PieceBuilder, wordsOf, type Word } from './speech-pieces';

/** Begins a sentence. Where the word before it ends, it is complete. */
const NEXT_SENTENCE = 'Next';
/** What a word may end with. */
const WORD_END = /[\s>\]、，；：。！？]/u;
/** A longer word is read in parts. */
const MAX_WORD_CHARACTERS = 50;
/** Words before the next one that decide whether it ends a sentence: of an abbreviation. */
const CONTEXT_WORDS = 2;
const MAX_CONTEXT_CHARACTERS = 60;
/** Markup that may still become complete, of a usual length. */
const UNFINISHED_MARKUP =
  /(?:<(?:[!?][^<>]{0,200}|\/?(?:[A-Za-z](?:[\s\w:/-]|=\s{0,3}(?:"[^"<>]{0,100}(?:"|$)|'[^'<>]{0,100}(?:'|$))?){0,150})?)?|\[[\p{L}\s',-]{0,80})$/u;
const MAX_MARKUP_CHARACTERS = 300;

/** Finds the complete sentences of a text that arrives bit by bit. Each of its words is read once. */
export class ArrivingSentences {
  private builder: PieceBuilder;
  /** The last words that were read. */
  private context: string[] = [];
  /** What is not read yet: the beginning of a word. */
  private rest = '';

  constructor(private readonly scripts: SpokenScripts) {
    this.builder = new PieceBuilder(scripts);
  }

  /** Characters of the text that are complete sentences, or too much that cannot be spoken. */
  get length(): number {
    return this.builder.length;
  }

  add(text: string): void {
    this.rest += text;
    if (!WORD_END.test(text) && this.rest.length <= MAX_WORD_CHARACTERS) return;
    let read = 0;
    for (const word of this.readyWords()) {
      this.builder.add(word);
      this.context = [...this.context, word.text].slice(-CONTEXT_WORDS);
      read += word.text.length;
    }
    this.rest = this.rest.slice(read);
  }

  /** The complete sentences are taken from its beginning. */
  take(): void {
    this.builder.clear();
  }

  /** Begins again, with another text. */
  restart(text: string): void {
    this.builder = new PieceBuilder(this.scripts);
    this.context = [];
    this.rest = '';
    this.add(text);
  }

  /** The words that nothing is added to any more. */
  private readyWords(): Word[] {
    const end = this.rest.slice(-MAX_MARKUP_CHARACTERS);
    const markup = UNFINISHED_MARKUP.exec(end)?.[0].length ?? 0;
    const text = this.rest.slice(0, this.rest.length - markup);
    if (text === '') return [];
    const context = this.context.join('');
    const isNear = context.length <= MAX_CONTEXT_CHARACTERS && WORD_END.test(context.slice(-1));
    const before = isNear ? context : '';
    return (
      this.wordsBetween(`${before}${text}${NEXT_SENTENCE}`, before.length, before.length + text.length) ??
      this.wordsBetween(`${text}${NEXT_SENTENCE}`, 0, text.length) ??
      []
    );
  }

  /** The words of a text within two places; null when none begins at the first. */
  private wordsBetween(text: string, from: number, to: number): Word[] | null {
    let at = 0;
    let begins = from === 0;
    const words = [...wordsOf(text, this.scripts)].filter(({ text: { length } }) => {
      const isWithin = at >= from && at + length <= to;
      at += length;
      begins ||= at === from;
      return isWithin;
    });
    return begins ? words : null;
  }
}
