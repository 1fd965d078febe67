import { availableParallelism } from 'node:os';
import { EncodedAudio } from '@app/audio/encode-audio';
import { threadEntry } from '@app/audio/thread-entry';
import { understandDescription } from '@app/domain/voice-description';
import { Piscina } from 'piscina';
import type { SpeakTask } from './flite.thread';
import { speakableText } from './speakable-text';
import { languageOf, missingAccent } from './voice-casting';
import { BaseVoice, DesignedPreview, DesignRequest, PlannedPreview, VoiceEngine } from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';
import { scaleTraits, specsFor, VoiceSpec } from './voice-spec';

export interface FliteEngineOptions {
  threads?: number;
  /** Previews that may wait for a thread; a design that would exceed it is refused as busy. */
  maxWaiting?: number;
  /** The longest that one design may take, waiting included: more than a full queue of the longest texts needs. */
  timeoutMs?: number;
}

const WARM_UP_FORMAT = 'mp3_44100_128';

/**
 * The embedded voice engine: Flite in worker threads, started with the first call (or `check`). The calling thread
 * only reads the description and passes messages.
 */
export class FliteEngine implements VoiceEngine {
  readonly name = 'flite';

  private pool: Piscina<SpeakTask, EncodedAudio[]> | null = null;
  private readonly options: Required<FliteEngineOptions>;

  constructor(options: FliteEngineOptions = {}) {
    this.options = { threads: defaultThreads(), maxWaiting: 96, timeoutMs: 180_000, ...options };
  }

  async design(request: DesignRequest, signal?: AbortSignal): Promise<DesignedPreview[]> {
    signal?.throwIfAborted();
    const text = speakableText(request.text);
    if (!text) throw new RangeError('the text has nothing in it that can be spoken');
    const plans = this.plan(request);
    const limit = AbortSignal.any([AbortSignal.timeout(this.options.timeoutMs), ...(signal ? [signal] : [])]);
    return Promise.all(plans.map((plan) => this.preview(request, text, plan, limit)));
  }

  plan(request: DesignRequest): (PlannedPreview & { spec: VoiceSpec })[] {
    const understood = understandDescription(request.description);
    const base = request.base && ownSpec(request.base);
    const traits = base ? scaleTraits(understood.traits, request.changeStrength) : understood.traits;
    const specs = specsFor({ ...request, traits, base });
    this.refuseWhenBusy(specs.length);
    return specs.map((spec) => ({
      spec,
      understood: { ...understood, unavailableAccent: missingAccent(understood, spec.voice) },
      language: languageOf(spec.voice),
    }));
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
    const task: SpeakTask = { text: 'Ready.', spec: spec!, formats: [WARM_UP_FORMAT] };
    const limit = AbortSignal.timeout(this.options.timeoutMs);
    await Promise.all(Array.from({ length: this.options.threads }, () => this.speak(task, limit)));
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
    this.pool = null;
  }

  private async preview(
    { outputFormat, storedFormat }: DesignRequest,
    text: string,
    plan: PlannedPreview & { spec: VoiceSpec },
    limit: AbortSignal,
  ): Promise<DesignedPreview> {
    const formats = [...new Set([outputFormat, storedFormat])];
    const encoded = await this.speak({ text, spec: plan.spec, formats }, limit);
    const [response, stored = response] = encoded;
    if (!response || !stored) throw new VoiceEngineError('failed', 'the engine returned no audio');
    return { ...plan, response, stored };
  }

  private async speak(task: SpeakTask, signal: AbortSignal): Promise<EncodedAudio[]> {
    this.pool ??= this.startPool();
    try {
      return await this.pool.run(task, { signal });
    } catch (cause) {
      throw signal.aborted ? abortReason(signal) : engineError(cause);
    }
  }

  /** A design is refused whole, before any of its previews is spoken. */
  private refuseWhenBusy(tasks: number): void {
    const waiting = this.pool?.queueSize ?? 0;
    if (waiting + tasks <= this.options.maxWaiting) return;
    throw new VoiceEngineError('busy', `${waiting} previews are waiting to be spoken already`);
  }

  private startPool(): Piscina<SpeakTask, EncodedAudio[]> {
    const { threads, maxWaiting } = this.options;
    return new Piscina<SpeakTask, EncodedAudio[]>({
      filename: threadEntry(__dirname, 'flite.thread'),
      minThreads: threads,
      maxThreads: threads,
      maxQueue: maxWaiting,
      // The parent's flags (a debugger's, a test runner's) are not for the threads.
      execArgv: [],
    });
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

/** The voice to start from in this engine's terms: what another engine made is designed anew from its description. */
function ownSpec({ spec, description }: BaseVoice): VoiceSpec {
  if ((spec as Partial<VoiceSpec>).engine === 'flite') return spec as VoiceSpec;
  const { traits } = understandDescription(description);
  const plain = { description, traits, seed: 0, loudness: 0.5, guidanceScale: 5, quality: null };
  return specsFor(plain)[0]!;
}

function abortReason(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError';
  return timedOut ? new VoiceEngineError('timeout', 'the engine took too long', { cause: reason }) : reason;
}

function engineError(cause: unknown): VoiceEngineError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const busy = message.includes('queue is at limit');
  return new VoiceEngineError(busy ? 'busy' : 'failed', `speech synthesis failed: ${message}`, { cause });
}
