import { DomainError } from '@app/domain/errors';
import type { SpokenScripts } from '@app/voice-engine/speakable-text';
import type { WebSocket } from 'ws';
import { SpeechContext, type Utterance } from './speech-context';
import type { SocketCredential, SpeechMessage, SpeechSocketOptions } from './speech-message';
import { CLOSED, toSocketError } from './speech-socket-error';

const DEFAULT_CONTEXT = 'default';
const MAX_CONTEXTS = 10;
/** How long a client has to say who it is, and to read a message. */
const ADMISSION_MS = 5_000;
const READ_MS = 10_000;
/** How long one that is refused has to read why. */
const REFUSED_MS = 900;
/** Of a character that waits to be spoken. */
const CHARACTER_BYTES = 2;
/** Bytes that the reason of a close frame may have (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

/** Its client's share of what all sockets use: see `SocketBudget`. */
export interface SocketShare {
  admit(): void;
  hold(bytes: number): void;
  time(work: () => void): void;
  check(nowMs: number): void;
}

/** What a socket works with: the request that opened it, as the service sees it. */
export interface SocketSession {
  readonly requestId: string;
  /** Whether its client is known. */
  readonly isAdmitted: boolean;
  /** Admits the client by what its first message names. @throws DomainError when it is refused */
  admit(credential: SocketCredential | null): Promise<void>;
  /** Speaks a text, and charges what was sent of it. Resolves when it is charged. */
  speak(utterance: Utterance, signal: AbortSignal, send: (line: string) => Promise<void>): Promise<void>;
}

export interface SocketOptions extends SpeechSocketOptions {
  /** That wait to be spoken. */
  maxCharacters: number;
  /** What the engine reads. */
  scripts: SpokenScripts;
  /** Receives the errors that end it. */
  onFailure: (refusal: DomainError) => void;
}

/** A client that sends text bit by bit and receives it spoken: the contract's messages. One text is spoken after the other. */
export class SpeechSocket {
  private readonly contexts = new Map<string, SpeechContext>();
  /** In their order. */
  private readonly waiting = new Set<Utterance>();
  /** Of those. */
  private waitingCharacters = 0;
  private current: { utterance: Utterance; stop: AbortController } | null = null;
  /** While its client is being admitted. */
  private admission: Promise<void> | null = null;
  private readonly openedAtMs = performance.now();
  private lastUsedMs = performance.now();
  private sendingSinceMs: number | null = null;
  /** The code with which it is closed once all is spoken; null while it accepts messages. */
  private endsWith: number | null = null;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly session: SocketSession,
    private readonly share: SocketShare,
    private readonly options: SocketOptions,
  ) {
    webSocket.on('message', (data: Buffer, isBinary) => this.receive(data, isBinary));
    // A frame that is not one: `ws` closes with the code for it.
    webSocket.on('error', () => this.endSoon());
    webSocket.once('close', () => this.stop());
  }

  /** Ends it for a reason of ours. */
  fail(error: unknown): void {
    if (!this.isOpen) return;
    const { refusal, message, closeCode } = toSocketError(error, this.session.requestId);
    this.options.onFailure(refusal);
    this.webSocket.send(JSON.stringify(message));
    this.close(closeCode, `${refusal.code}: ${refusal.message}`);
    this.endSoon();
  }

  /** Speaks what is ready, then closes. */
  endForRestart(): void {
    this.endsWith = CLOSED.forRestart;
    this.speakNext();
  }

  /** Ends what takes too long. To be called now and then. */
  check(nowMs: number): void {
    const { timeoutMs, isMulti } = this.options;
    this.share.check(nowMs);
    if (!this.session.isAdmitted && !this.admission && nowMs - this.openedAtMs > ADMISSION_MS)
      return this.fail(new DomainError('missing_api_key'));
    if (this.sendingSinceMs !== null && nowMs - this.sendingSinceMs > READ_MS)
      return this.fail(new DomainError('audio_not_read', { secs: READ_MS / 1_000 }));
    if (this.current) return;
    if (nowMs - this.lastUsedMs > timeoutMs)
      return this.fail(new DomainError('input_timeout_exceeded', { secs: (timeoutMs / 1_000).toFixed(1) }));
    if (!isMulti) return;
    for (const context of this.contexts.values())
      if (nowMs - context.lastUsedMs > timeoutMs) this.closeContext(context);
  }

  private get isOpen(): boolean {
    return this.webSocket.readyState === this.webSocket.OPEN;
  }

  /** Those that arrive while the client is being admitted are handled after that, in their order. */
  private receive(data: Buffer, isBinary: boolean): void {
    if (this.admission) void this.admission.then(() => this.receive(data, isBinary));
    else this.attempt(() => this.share.time(() => this.handle(this.options.readMessage(data, isBinary))));
  }

  private handle(message: SpeechMessage): void {
    this.lastUsedMs = performance.now();
    if (this.session.isAdmitted) this.apply(message);
    else this.admission = this.admit(message);
  }

  /** Meanwhile, nothing more is read of it. */
  private async admit(message: SpeechMessage): Promise<void> {
    this.webSocket.pause();
    try {
      await this.session.admit(message.credential);
      this.share.admit();
    } catch (error) {
      this.fail(error);
    }
    this.admission = null;
    this.attempt(() => this.apply(message));
    this.webSocket.resume();
  }

  private apply(message: SpeechMessage): void {
    if (message.closesSocket) this.end();
    else if (this.options.isMulti) this.handleInContext(message, message.contextId ?? DEFAULT_CONTEXT);
    else this.handleAlone(message);
    this.speakNext();
    this.share.hold(this.unspokenCharacters * CHARACTER_BYTES);
  }

  private attempt(work: () => void): void {
    if (!this.isOpen || this.endsWith !== null) return;
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  /** On a socket with one context, an empty text is its end. */
  private handleAlone(message: SpeechMessage): void {
    this.add(this.openContext(DEFAULT_CONTEXT, message), message);
    if (message.text === '') this.end();
  }

  private handleInContext(message: SpeechMessage, id: string): void {
    const known = this.contexts.get(id);
    if (message.closesContext) {
      if (known) this.closeContext(known);
    } else if (known ?? message.text) {
      this.add(this.openContext(id, message), message);
    }
  }

  /** The context with this id. One that is open keeps the settings of its first message. */
  private openContext(id: string, message: SpeechMessage): SpeechContext {
    const { settings, schedule } = message;
    const known = this.contexts.get(id);
    if (known) {
      requireSame(known, 'voice_settings', known.chosen.settings, settings);
      requireSame(known, 'chunk_length_schedule', known.chosen.schedule, schedule);
      return known;
    }
    if (this.contexts.size === MAX_CONTEXTS)
      throw new DomainError('too_many_contexts', { limit: MAX_CONTEXTS });
    const { isAutomatic, scripts } = this.options;
    const context = new SpeechContext(id, { settings, schedule, isAutomatic, scripts });
    this.contexts.set(id, context);
    return context;
  }

  private add(context: SpeechContext, { text, speak }: SpeechMessage): void {
    context.lastUsedMs = performance.now();
    if (text) {
      this.requireBounded(text.length);
      context.add(text);
    }
    this.take(context, speak);
  }

  private take(context: SpeechContext, how: SpeechMessage['speak']): void {
    const text = context.take(how);
    if (text === '') return;
    const utterance = { context, text };
    this.waiting.add(utterance);
    context.waiting.add(utterance);
    this.waitingCharacters += text.length;
  }

  /** It is spoken now, or not at all. */
  private remove(utterance: Utterance): void {
    this.waiting.delete(utterance);
    utterance.context.waiting.delete(utterance);
    this.waitingCharacters -= utterance.text.length;
  }

  /** Before a text is split. */
  private requireBounded(more: number): void {
    const limit = this.options.maxCharacters;
    const characters = this.unspokenCharacters + more;
    if (characters > limit) throw new DomainError('too_much_text', { characters, limit });
  }

  private get unspokenCharacters(): number {
    let characters = this.waitingCharacters;
    for (const { length } of this.contexts.values()) characters += length;
    return characters;
  }

  /** What was flushed is still spoken, and nothing else. */
  private closeContext(context: SpeechContext): void {
    this.contexts.delete(context.id);
    context.isClosed = true;
    if (!context.isFlushed) {
      for (const utterance of context.waiting) this.remove(utterance);
      if (this.current?.utterance.context === context)
        this.current.stop.abort(new DomainError('client_gone'));
    }
    this.finishContext(context);
  }

  private finishContext(context: SpeechContext): void {
    if (!context.isClosed || this.current?.utterance.context === context) return;
    if (context.waiting.size === 0) this.sendFinal(context);
  }

  private sendFinal({ id }: SpeechContext): void {
    const final = { audio: null, isFinal: true, alignment: null, normalizedAlignment: null };
    if (this.isOpen)
      this.webSocket.send(JSON.stringify({ ...final, ...(this.options.isMulti && { contextId: id }) }));
  }

  /** Speaks all that was sent, then closes. */
  private end(): void {
    for (const context of this.contexts.values()) this.take(context, 'all');
    this.endsWith = CLOSED.normally;
    for (const context of this.contexts.values()) this.closeContext(context);
  }

  private speakNext(): void {
    if (this.current || !this.isOpen) return;
    const [utterance] = this.waiting;
    if (utterance) void this.speak(utterance);
    else if (this.endsWith === CLOSED.forRestart) this.close(CLOSED.forRestart, 'This process is restarted');
    else if (this.endsWith !== null) this.close(this.endsWith, '');
  }

  private async speak(utterance: Utterance): Promise<void> {
    const stop = new AbortController();
    this.current = { utterance, stop };
    this.remove(utterance);
    try {
      await this.session.speak(utterance, stop.signal, (line) => this.send(line));
    } catch (error) {
      if (!stop.signal.aborted) this.fail(error);
    }
    this.current = null;
    this.lastUsedMs = performance.now();
    utterance.context.lastUsedMs = this.lastUsedMs;
    this.finishContext(utterance.context);
    this.speakNext();
  }

  /** Resolves when the client's connection has taken it. */
  private async send(line: string): Promise<void> {
    this.sendingSinceMs = performance.now();
    try {
      await new Promise<void>((resolve, reject) => {
        this.webSocket.send(line, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      this.sendingSinceMs = null;
    }
  }

  private close(code: number, reason: string): void {
    const bytes = Buffer.from(reason);
    const end = bytes.length <= MAX_REASON_BYTES ? bytes.length : bytes.lastIndexOf(' ', MAX_REASON_BYTES);
    this.webSocket.close(code, bytes.subarray(0, end));
    this.stop();
  }

  private endSoon(): void {
    setTimeout(() => this.webSocket.terminate(), REFUSED_MS).unref();
  }

  private stop(): void {
    for (const utterance of this.waiting) this.remove(utterance);
    this.current?.stop.abort(new DomainError('client_gone'));
  }
}

/** The contract's clients leave settings out, or repeat them. */
function requireSame(
  { id: contextId }: SpeechContext,
  setting: string,
  known: unknown,
  input: unknown,
): void {
  if (input === null || JSON.stringify(input) === JSON.stringify(known)) return;
  throw new DomainError('context_settings_fixed', { contextId, setting });
}
