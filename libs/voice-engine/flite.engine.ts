import { availableParallelism } from 'node:os';
import { threadEntry } from '@app/audio/threads/thread-entry';
import { understandDescription } from './voice-description';
import { Piscina } from 'piscina';
import type { SpeakResult, SpeakTask } from './flite.thread';
import { speakableParts } from './speakable-text';
import { pauseMarkup, type PausedText } from './spoken-markup';
import { estimatePiece, estimateSpeech, type SpeechEstimate } from './speech-estimate';
import { SpeechQueue, type SpeechQueueOptions } from './speech-queue';
import { languageOf, missingAccent } from './voice-casting';
import {
  BaseVoice,
  DesignedPreview,
  DesignRequest,
  OnSpoken,
  PlannedPreview,
  SpeechRequest,
  SpokenPiece,
  VoiceEngine,
} from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';
import { atSpeed, PREVIEWS, scaleTraits, specsFor, VoiceSpec } from './voice-spec';

interface FliteEngineOptions extends Partial<Pick<SpeechQueueOptions, 'maxWaitSecs' | 'timeoutMs'>> {
  threads?: number;
}

const WARM_UP_FORMAT = 'mp3_44100_128';
/** On two cores with three threads: 1,000 digits are spoken three times in about six seconds (measured). */
const SECS_PER_SPEECH_SEC = 0.03;

/**
 * The embedded voice engine: Flite in worker threads, started with the first call (or `check`). The calling thread
 * only reads the description and passes messages.
 */
export class FliteEngine implements VoiceEngine {
  readonly name = 'flite';
  readonly speaks = 'flite';
  readonly scripts = 'latin';

  private pool: Piscina<SpeakTask, SpeakResult> | null = null;
  private readonly threads: number;
  private readonly queue: SpeechQueue;

  constructor({ threads = defaultThreads(), ...limits }: FliteEngineOptions = {}) {
    this.threads = threads;
    this.queue = new SpeechQueue({ slots: threads, secsPerSpeechSec: SECS_PER_SPEECH_SEC, ...limits });
  }

  async design(
    request: DesignRequest,
    signal?: AbortSignal,
    onSpoken?: OnSpoken,
  ): Promise<DesignedPreview[]> {
    signal?.throwIfAborted();
    const parts = speakablePartsOf(request.text);
    const previews = this.planVoices(request).map((plan, place) => async (either: AbortSignal) => {
      const preview = await this.preview(request, parts, plan, either);
      onSpoken?.(preview, place);
      return preview;
    });
    // The threads share what cores there are, so that of three that begin together, none is early.
    const firstByItself = onSpoken !== undefined;
    return this.queue.run(request.accountId, estimateOf(request), previews, signal, firstByItself);
  }

  get waitSecs(): number {
    return this.queue.waitSecsOf('');
  }

  plan(request: DesignRequest): (PlannedPreview & { spec: VoiceSpec })[] {
    this.queue.requireRoom(request.accountId, estimateOf(request));
    return this.planVoices(request);
  }

  private planVoices(request: DesignRequest): (PlannedPreview & { spec: VoiceSpec })[] {
    const understood = understandDescription(request.description);
    const base = request.base && ownSpec(request.base);
    const traits = base ? scaleTraits(understood.traits, request.changeStrength) : understood.traits;
    const specs = specsFor({ ...request, traits, base });
    return specs.map((spec) => ({
      spec,
      understood: { ...understood, unavailableAccent: missingAccent(understood, spec.voice) },
      language: languageOf(spec.voice),
    }));
  }

  requireRoom(request: SpeechRequest): void {
    this.queue.requireRoom(request.accountId, estimatePiece(request));
  }

  async speak(request: SpeechRequest, signal?: AbortSignal): Promise<SpokenPiece> {
    const parts = speakablePartsOf(request.text);
    const spec = atSpeed(request.spec as VoiceSpec, request.speed);
    const { outputFormat, timed = false } = request;
    const task: SpeakTask = { parts, spec, formats: [outputFormat], timed };
    const piece = async (either: AbortSignal) => this.render(task, either);
    const [spoken] = await this.queue.run(request.accountId, estimatePiece(request), [piece], signal);
    if (!spoken?.encoded[0]) throw new VoiceEngineError('failed', 'the engine returned no audio');
    return { ...spoken.encoded[0], wordTimes: spoken.wordTimes };
  }

  async check(): Promise<void> {
    const [spec] = specsFor({
      description: '',
      traits: {},
      seed: 0,
      loudness: 0,
      guidanceScale: 0,
      quality: null,
    });
    const task: SpeakTask = {
      parts: [{ text: 'Ready.', pauseSecs: 0 }],
      spec: spec!,
      formats: [WARM_UP_FORMAT],
    };
    const warmUps = Array.from({ length: this.threads }, () => async (either: AbortSignal) => {
      await this.render(task, either);
    });
    await this.queue.run('', { speechSecs: this.threads, bytes: 0 }, warmUps);
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
    this.pool = null;
  }

  private async preview(
    { outputFormat, storedFormat }: DesignRequest,
    parts: PausedText[],
    plan: PlannedPreview & { spec: VoiceSpec },
    limit: AbortSignal,
  ): Promise<DesignedPreview> {
    const formats = [...new Set([outputFormat, storedFormat])];
    const { encoded } = await this.render({ parts, spec: plan.spec, formats }, limit);
    const [response, stored = response] = encoded;
    if (!response || !stored) throw new VoiceEngineError('failed', 'the engine returned no audio');
    return { ...plan, response, stored };
  }

  private async render(task: SpeakTask, signal: AbortSignal): Promise<SpeakResult> {
    this.pool ??= this.startPool();
    try {
      return await this.pool.run(task, { signal });
    } catch (cause) {
      throw signal.aborted ? signal.reason : engineError(cause);
    }
  }

  private startPool(): Piscina<SpeakTask, SpeakResult> {
    const pool = new Piscina<SpeakTask, SpeakResult>({
      filename: threadEntry(__dirname, 'flite.thread'),
      minThreads: this.threads,
      maxThreads: this.threads,
      // The parent's flags (a debugger's, a test runner's) are not for the threads.
      execArgv: [],
    });
    // A thread that dies between two tasks is replaced; no task waits for it.
    return pool.on('error', () => undefined);
  }
}

/**
 * Three previews are three equal tasks: on two cores three threads finish them in the time of one and a half, two
 * threads only in the time of two. The scheduler still lets the caller's event loop in between (measured: p99 of its
 * delay below 10 ms on two busy cores).
 */
function defaultThreads(): number {
  return Math.min(4, Math.max(3, availableParallelism() - 1));
}

/** @throws RangeError when there is no word in it */
function speakablePartsOf(text: string): PausedText[] {
  const parts = speakableParts(text);
  if (parts.some((part) => part.text !== '')) return parts;
  throw new RangeError('the text has nothing in it that can be spoken');
}

/** Of what is spoken of the text. */
function estimateOf(request: DesignRequest): SpeechEstimate {
  const parts = speakableParts(request.text).map(({ text, pauseSecs }) => text + pauseMarkup(pauseSecs));
  return estimateSpeech(parts.join(' '), PREVIEWS.length, request);
}

/** The voice to start from in this engine's terms: what another engine designed is designed again from its description. */
function ownSpec({ spec, description }: BaseVoice): VoiceSpec {
  if ((spec as Partial<VoiceSpec>).engine === 'flite') return spec as VoiceSpec;
  const { traits } = understandDescription(description);
  const plain = { description, traits, seed: 0, loudness: 0.5, guidanceScale: 5, quality: null };
  return specsFor(plain)[0]!;
}

function engineError(cause: unknown): VoiceEngineError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new VoiceEngineError('failed', `speech synthesis failed: ${message}`, { cause });
}
