import { ArrivingSentences } from '@app/voice-engine/arriving-sentences';
import { hasPieces } from '@app/voice-engine/speech-pieces';
import type { SpokenScripts } from '@app/voice-engine/speakable-text';
import type { SpeechMessage } from './speech-message';

/** How much text there must be when its client would like to have it spoken now. */
const TRIGGER_CHARACTERS = 50;
/** The mark at the end of a phrase stands in its last characters. */
const PHRASE_END = /[.!?…:;。！？][\p{Pe}\p{Pf}"']*\s*$/u;
const PHRASE_END_CHARACTERS = 100;

export interface ContextSettings extends Pick<SpeechMessage, 'settings' | 'schedule'> {
  /** Each message is a sentence or a phrase. */
  isAutomatic: boolean;
  /** What the engine reads. */
  scripts: SpokenScripts;
}

/** A text that one context has ready. */
export interface Utterance {
  context: SpeechContext;
  text: string;
}

/** Text that arrives bit by bit, and is spoken in its own order. */
export class SpeechContext {
  /** Whether all of its text is to be spoken although it is closed. */
  isFlushed = false;
  isClosed = false;
  /** What it has ready, and is not spoken yet. */
  readonly waiting = new Set<Utterance>();
  lastUsedMs = performance.now();
  private text = '';
  private readonly sentences: ArrivingSentences;
  /** Characters of its whole words, with the white space behind them. */
  private wholeWords = 0;
  private chunks = 0;

  constructor(
    readonly id: string,
    readonly chosen: ContextSettings,
  ) {
    this.sentences = new ArrivingSentences(chosen.scripts);
  }

  /** Characters that are not spoken yet. */
  get length(): number {
    return this.text.length;
  }

  /** White space before a text is not spoken, and is not charged. */
  add(text: string): void {
    const added = this.text === '' ? text.trimStart() : text;
    const words = lastWordEnd(added);
    if (words > 0) this.wholeWords = this.text.length + words;
    this.text += added;
    this.sentences.add(added);
    this.isFlushed = false;
  }

  /**
   * Takes what is to be spoken now; empty for nothing.
   *
   * @param how `ready`: what is complete; `trigger`: all whole words if there are enough; `all`
   */
  take(how: SpeechMessage['speak']): string {
    if (how === 'all') this.isFlushed = true;
    const length = this.lengthToSpeak(how);
    if (length === 0) return '';
    const taken = this.remove(length);
    // What cannot be spoken is left out.
    if (!hasPieces(taken, this.chosen.scripts)) return '';
    this.chunks += 1;
    return taken;
  }

  private remove(length: number): string {
    const taken = this.text.slice(0, length);
    this.text = this.text.slice(length);
    this.wholeWords = Math.max(0, this.wholeWords - length);
    if (length === this.sentences.length) this.sentences.take();
    else this.sentences.restart(this.text);
    return taken;
  }

  private lengthToSpeak(how: SpeechMessage['speak']): number {
    const { text, sentences, wholeWords } = this;
    const { schedule, isAutomatic } = this.chosen;
    if (how === 'all') return text.length;
    if (isAutomatic && PHRASE_END.test(text.slice(-PHRASE_END_CHARACTERS))) return text.length;
    if (how === 'trigger' && text.length >= TRIGGER_CHARACTERS) return wholeWords;
    if (!schedule || isAutomatic) return sentences.length;
    if (text.length < (schedule[this.chunks] ?? schedule.at(-1) ?? 0)) return 0;
    return sentences.length || wholeWords;
  }
}

function lastWordEnd(text: string): number {
  return /^.*\s/su.exec(text)?.[0].length ?? 0;
}
