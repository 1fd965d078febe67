import { splitIntoPieces } from '@app/voice-engine/speech-pieces';
import type { SpokenScripts } from '@app/voice-engine/speakable-text';
import type { SpeechMessage } from './speech-message';

/** Begins a sentence. Where the piece before it ends, a sentence is complete. */
const NEXT_SENTENCE = 'Next';
/** How much text there must be when its client would like to have it spoken now. */
const TRIGGER_CHARACTERS = 50;
const PHRASE_END = /[.!?…:;。！？][\p{Pe}\p{Pf}"']*\s*$/u;

export interface ContextSettings extends Pick<SpeechMessage, 'settings' | 'schedule'> {
  /** Each message is a sentence or a phrase. */
  isAutomatic: boolean;
  /** What the engine reads. */
  scripts: SpokenScripts;
}

/** Text that arrives bit by bit, and is spoken in its own order. */
export class SpeechContext {
  /** Whether all of its text is to be spoken although it is closed. */
  isFlushed = false;
  isClosed = false;
  lastUsedMs = performance.now();
  private text = '';
  private chunks = 0;

  constructor(
    readonly id: string,
    readonly chosen: ContextSettings,
  ) {}

  /** Characters that are not spoken yet. */
  get length(): number {
    return this.text.length;
  }

  /** White space before a text is not spoken, and is not charged. */
  add(text: string): void {
    this.text += this.text === '' ? text.trimStart() : text;
    this.isFlushed = false;
  }

  /**
   * Takes what is to be spoken now; empty for nothing.
   *
   * @param how `ready`: what is complete; `trigger`: all whole words if there are enough; `all`
   */
  take(how: SpeechMessage['speak']): string {
    if (how === 'all') this.isFlushed = true;
    const taken = this.text.slice(0, this.lengthToSpeak(how));
    this.text = this.text.slice(taken.length);
    if (taken !== '') this.chunks += 1;
    return splitIntoPieces(taken, this.chosen.scripts).length === 0 ? '' : taken;
  }

  private lengthToSpeak(how: SpeechMessage['speak']): number {
    const { text } = this;
    const { schedule, isAutomatic, scripts } = this.chosen;
    if (how === 'all') return text.length;
    if (isAutomatic && PHRASE_END.test(text)) return text.length;
    if (how === 'trigger' && text.length >= TRIGGER_CHARACTERS) return wholeWords(text);
    if (!schedule || isAutomatic) return wholeSentences(text, scripts);
    if (text.length < (schedule[this.chunks] ?? schedule.at(-1) ?? 0)) return 0;
    return wholeSentences(text, scripts) || wholeWords(text);
  }
}

function wholeSentences(text: string, scripts: SpokenScripts): number {
  const complete = splitIntoPieces(text + NEXT_SENTENCE, scripts).slice(0, -1);
  return complete.reduce((length, { written }) => length + written.length, 0);
}

function wholeWords(text: string): number {
  return /^.*\s/su.exec(text)?.[0].length ?? 0;
}
