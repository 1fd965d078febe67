import { FairQueue, type Waiting } from './fair-queue';
import type { SpeechEstimate } from './speech-estimate';
import { VoiceEngineError } from './voice-engine.error';

export interface SpeechQueueOptions {
  /** Previews that are spoken at the same time. */
  slots: number;
  /** What one second of speech takes on an idle machine; more is learned from what previews take. */
  secsPerSpeechSec: number;
  /** A design that would wait longer for its turn is refused; half of it for an account that has others in the queue. */
  maxWaitSecs?: number;
  /** Audio of all designs that wait or are spoken. */
  maxBytes?: number;
  /** The longest that one design may take, waiting included. */
  timeoutMs?: number;
}

/** A design in the queue; its cost is in seconds of speech. */
interface Turn extends Waiting {
  /** Starts its previews, which wait in order. */
  readonly starts: (() => void)[];
  /** Of a first preview that the others wait for. */
  first: 'waiting' | 'speaking' | 'spoken';
  /** Seconds of speech that are not spoken yet. */
  left: number;
}

const DEFAULTS = { maxWaitSecs: 90, maxBytes: 400_000_000, timeoutMs: 180_000 };
/** How much slower than on an idle machine an estimate may assume that speech is. */
const SLOWEST = 4;
/** Weight of the last preview in what is learned. */
const LEARNING_RATE = 0.2;
const LONGEST_RETRY_SECS = 30;

/**
 * The queue in front of a voice engine. Accounts take turns, a turn is one design, and its previews start as slots come
 * free. A design is refused at once when its own wait would be too long: another account's queue counts for no more than
 * its share of the turns, so the account that requests most is refused first.
 */
export class SpeechQueue {
  private readonly options: Required<SpeechQueueOptions>;
  private readonly waiting = new FairQueue<Turn>();
  /** Estimated audio of each account's designs, from their place in the queue to their end. */
  private readonly bytes = new Map<string, number>();
  /** Designs whose turn it is, until they end; their previews that wait for a slot start before the next design. */
  private readonly started = new Set<Turn>();
  private busySlots = 0;
  private pace: number;

  constructor(options: SpeechQueueOptions) {
    this.options = { ...DEFAULTS, ...options };
    this.pace = this.options.secsPerSpeechSec;
  }

  /**
   * Refuses a design that would wait too long, or whose audio would need more memory than there is for it. An account may
   * take as much memory as it leaves free, so that there is always room for another one.
   *
   * @throws VoiceEngineError `queue_full`
   */
  requireRoom(accountId: string, { bytes }: SpeechEstimate): void {
    const waitSecs = this.waitSecsOf(accountId);
    const own = this.bytes.get(accountId) ?? 0;
    const maxWaitSecs = this.options.maxWaitSecs / (own > 0 ? 2 : 1);
    const free = this.options.maxBytes - [...this.bytes.values()].reduce((sum, taken) => sum + taken, 0);
    if (waitSecs <= maxWaitSecs && own + bytes <= free) return;
    const message =
      waitSecs > maxWaitSecs
        ? `the design would wait ${Math.ceil(waitSecs)} s for its turn, at most ${maxWaitSecs} s are accepted`
        : `the design takes ${bytes} bytes beside ${own} of its account, of which at most ${free} are accepted`;
    const retryAfterSecs = Math.min(LONGEST_RETRY_SECS, Math.max(1, Math.ceil(waitSecs / 2)));
    throw new VoiceEngineError('queue_full', message, { retryAfterSecs });
  }

  /** Seconds that one more design of this account would wait for its turn. */
  waitSecsOf(accountId: string): number {
    const started = [...this.started].reduce((sum, { left }) => sum + left, 0);
    return ((started + this.waiting.costBefore(accountId)) * this.pace) / this.options.slots;
  }

  /**
   * Runs the previews of a design when its account's turn comes. Has its place before it first waits.
   *
   * @param previews each gets a signal that aborts when the design does, or another preview of it has failed
   * @param firstByItself the others start when the first is spoken: that one is there sooner, and all three are later
   * @throws VoiceEngineError `queue_full`, `timeout`; what the first preview that fails throws; the signal's reason
   */
  async run<T>(
    accountId: string,
    estimate: SpeechEstimate,
    previews: ((signal: AbortSignal) => Promise<T>)[],
    signal?: AbortSignal,
    firstByItself = false,
  ): Promise<T[]> {
    signal?.throwIfAborted();
    this.requireRoom(accountId, estimate);
    const { speechSecs } = estimate;
    const first = firstByItself ? 'waiting' : 'spoken';
    const turn: Turn = { accountId, cost: speechSecs, left: speechSecs, starts: [], first };
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(tooLate()), this.options.timeoutMs);
    const either = AbortSignal.any([end.signal, ...(signal ? [signal] : [])]);
    this.reserve(accountId, estimate.bytes);
    const spoken = previews.map((preview) => this.speak(turn, turn.cost / previews.length, preview, either));
    this.waiting.push(turn);
    this.startNext();
    try {
      return await Promise.all(spoken);
    } catch (error) {
      end.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
      this.started.delete(turn);
      this.reserve(accountId, -estimate.bytes);
    }
  }

  private async speak<T>(
    turn: Turn,
    speechSecs: number,
    preview: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    await this.turnOf(turn, signal);
    const startedAtMs = performance.now();
    try {
      const spoken = await preview(signal);
      turn.first = 'spoken';
      this.learn((performance.now() - startedAtMs) / 1_000 / speechSecs);
      return spoken;
    } finally {
      turn.left -= speechSecs;
      this.busySlots -= 1;
      this.startNext();
    }
  }

  /** Waits until a slot is free for one preview of a turn. Stops waiting, and releases the place, when the signal aborts. */
  private async turnOf(turn: Turn, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        const place = turn.starts.indexOf(start);
        if (place >= 0) turn.starts.splice(place, 1);
        if (turn.starts.length === 0) this.waiting.remove(turn);
        reject(signal.reason as Error);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      turn.starts.push(start);
    });
  }

  private startNext(): void {
    while (this.busySlots < this.options.slots) {
      const turn = this.startedTurn() ?? this.takeTurn();
      const start = turn?.starts.shift();
      if (!turn || !start) return;
      if (turn.first === 'waiting') turn.first = 'speaking';
      this.busySlots += 1;
      start();
    }
  }

  private startedTurn(): Turn | undefined {
    return [...this.started].find(({ starts, first }) => starts.length > 0 && first !== 'speaking');
  }

  private takeTurn(): Turn | undefined {
    const turn = this.waiting.take();
    if (turn) this.started.add(turn);
    return turn;
  }

  private reserve(accountId: string, bytes: number): void {
    const taken = (this.bytes.get(accountId) ?? 0) + bytes;
    if (taken > 0) this.bytes.set(accountId, taken);
    else this.bytes.delete(accountId);
  }

  private learn(secsPerSpeechSec: number): void {
    const fastest = this.options.secsPerSpeechSec;
    const learned = this.pace + LEARNING_RATE * (secsPerSpeechSec - this.pace);
    this.pace = Math.min(SLOWEST * fastest, Math.max(fastest, learned));
  }
}

function tooLate(): VoiceEngineError {
  return new VoiceEngineError('timeout', 'the engine took too long');
}
