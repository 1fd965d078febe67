import type { EncodedAudio } from '@app/audio/encode-audio';
import { threadEntry } from '@app/audio/thread-entry';
import { understandDescription } from '@app/domain/voice-description';
import type { VoiceTraits } from '@app/domain/voice-lexicon';
import { Piscina } from 'piscina';
import { seededRandom } from './seeded-random';
import { SpeechServerClient, type SpeechServerOptions } from './speech-server.client';
import { DIALECTS, speechRequest, type SpeechDialect, type SpeechServerSpec } from './speech-server.dialects';
import type { ConvertTask } from './speech-server.thread';
import type { DesignedPreview, DesignRequest, PlannedPreview, VoiceEngine } from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';

export interface SpeechServerEngineOptions extends SpeechServerOptions {
  dialect: SpeechDialect;
  /** The model to ask for; the dialect's own when left out. */
  model?: string | undefined;
  /** Designs that may run at the same time; one more is refused as busy. */
  maxDesigns?: number;
}

const PREVIEWS = [0, 1, 2] as const;
/** What sets the three previews apart where a server is told about the voice only in words. */
const SHADES = ['', 'Slightly brighter and livelier.', 'Slightly darker and calmer.'] as const;
const MAX_INSTRUCTIONS = 4_096;

/**
 * Any server that speaks `POST /v1/audio/speech`: OpenAI, vLLM-Omni with voice design, Kokoro-FastAPI, LocalAI. Such
 * servers know no seed: the same request gives the same voices, but not the same audio, so previews are kept, never
 * spoken again.
 */
export class SpeechServerEngine implements VoiceEngine {
  readonly name = 'openai';

  private readonly client: SpeechServerClient;
  private readonly maxDesigns: number;
  private readonly pool = new Piscina<ConvertTask, EncodedAudio[]>({
    filename: threadEntry(__dirname, 'speech-server.thread'),
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 60_000,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 192 },
  });
  private running = 0;

  constructor(private readonly options: SpeechServerEngineOptions) {
    this.client = new SpeechServerClient(options);
    this.maxDesigns = options.maxDesigns ?? 16;
    // A thread that dies between two tasks is replaced; nobody waits for it.
    this.pool.on('error', () => undefined);
  }

  plan(request: DesignRequest): (PlannedPreview & { spec: SpeechServerSpec })[] {
    if (this.running >= this.maxDesigns)
      throw new VoiceEngineError('busy', `${this.running} designs are being spoken already`);
    const understood = understandDescription(request.description);
    return PREVIEWS.map((index) => {
      const spec = this.specFor(request, understood.traits, index);
      return { spec, understood, language: languageOf(spec) };
    });
  }

  async design(request: DesignRequest, signal?: AbortSignal): Promise<DesignedPreview[]> {
    signal?.throwIfAborted();
    const plans = this.plan(request);
    // When one preview fails, the others are not worth waiting for.
    const others = new AbortController();
    const either = AbortSignal.any([others.signal, ...(signal ? [signal] : [])]);
    this.running += 1;
    try {
      return await Promise.all(plans.map((plan) => this.preview(request, plan, either)));
    } catch (error) {
      others.abort(error);
      throw error;
    } finally {
      this.running -= 1;
    }
  }

  async check(): Promise<void> {
    const plain = { description: 'A clear voice', text: 'Ready.', loudness: 0, seed: 0 };
    const request = { ...plain, guidanceScale: 5, quality: null };
    const [plan] = this.plan({ ...request, outputFormat: 'pcm_8000', storedFormat: 'pcm_8000' });
    await this.client.speak(speechRequest(plan!.spec, plain.text), new AbortController().signal);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async preview(
    { text, outputFormat, storedFormat }: DesignRequest,
    plan: PlannedPreview & { spec: SpeechServerSpec },
    signal: AbortSignal,
  ): Promise<DesignedPreview> {
    const bytes = await this.client.speak(speechRequest(plan.spec, text), signal);
    const formats = [...new Set([outputFormat, storedFormat])];
    const [response, stored = response] = await this.convert(
      { bytes, lufs: plan.spec.lufs, formats },
      signal,
    );
    if (!response || !stored) throw new VoiceEngineError('failed', 'nothing was encoded');
    return { ...plan, response, stored };
  }

  private async convert(task: ConvertTask, signal: AbortSignal): Promise<EncodedAudio[]> {
    try {
      return await this.pool.run(task, { signal });
    } catch (cause) {
      signal.throwIfAborted();
      const told = cause instanceof Error ? cause.message : String(cause);
      throw new VoiceEngineError('failed', `the speech server sent no usable audio: ${told}`, { cause });
    }
  }

  private specFor(request: DesignRequest, traits: VoiceTraits, index: 0 | 1 | 2): SpeechServerSpec {
    const { dialect, model } = this.options;
    const base = request.base && ownSpec(request.base.spec, dialect);
    const pace = 1.15 ** ((traits.pace ?? 0) * 2 * (request.changeStrength ?? 0.5));
    return {
      engine: 'openai',
      dialect,
      model: model ?? DIALECTS[dialect].defaultModel,
      voice: base?.voice && !traits.gender ? base.voice : this.voiceFor(request, traits, index),
      instructions: instructionsFor(request, base, index),
      speed: Number(Math.min(4, Math.max(0.25, (base?.speed ?? 1) * pace)).toFixed(3)),
      lufs: -24 + 8 * request.loudness,
    };
  }

  /** Three different voices for three previews, beginning where the seed says. */
  private voiceFor(
    { description, seed, base }: DesignRequest,
    traits: VoiceTraits,
    index: number,
  ): string | null {
    const { voices } = DIALECTS[this.options.dialect];
    const before = base && understandDescription(base.description).traits.gender;
    const choices = voices?.[traits.gender ?? before ?? 'neutral'];
    if (!choices) return null;
    const turn = Math.floor(seededRandom('openai', description, seed)() * choices.length);
    return choices[(turn + index) % choices.length]!;
  }
}

function ownSpec(spec: object, dialect: SpeechDialect): SpeechServerSpec | undefined {
  const { engine, dialect: spoken } = spec as Partial<SpeechServerSpec>;
  return engine === 'openai' && spoken === dialect ? (spec as SpeechServerSpec) : undefined;
}

/** The whole change is told, and of what came before as much as has room. */
function instructionsFor(
  { description, base }: DesignRequest,
  own: SpeechServerSpec | undefined,
  index: 0 | 1 | 2,
): string {
  const change = base ? `Change: ${description}` : description;
  const end = [change, SHADES[index]].filter(Boolean).join(' ');
  const before = own?.instructions ?? base?.description ?? '';
  const room = MAX_INSTRUCTIONS - end.length - 1;
  return `${before.slice(0, room)} ${end}`.trim();
}

/** Kokoro says in the first letter of a voice whose English it speaks. */
function languageOf({ dialect, voice }: SpeechServerSpec): string {
  if (dialect !== 'kokoro' || !voice) return 'en';
  return voice.startsWith('b') ? 'en-GB' : 'en-US';
}
