import { understandDescription } from './voice-description';
import type { VoiceTraits } from './voice-lexicon';
import { seededRandom } from './seeded-random';
import { estimatePiece, estimateSpeech, type SpeechEstimate } from './speech-estimate';
import { SpeechConverter } from './speech-converter';
import { SpeechQueue } from './speech-queue';
import { SharedAttempts, SpeechServerClient, type SpeechServerOptions } from './speech-server.client';
import { DIALECTS, speechRequest, type SpeechDialect, type SpeechServerSpec } from './speech-server.dialects';
import {
  engineOf,
  type DesignedPreview,
  type DesignRequest,
  type OnSpoken,
  type PlannedPreview,
  type SpeechRequest,
  type SpokenPiece,
  type VoiceEngine,
} from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';

export interface SpeechServerEngineOptions extends Omit<SpeechServerOptions, 'headers' | 'mayHaveCharged'> {
  apiKey?: string | undefined;
  dialect: SpeechDialect;
  /** The model to request; the dialect's own when left out. */
  model?: string | undefined;
  /** Previews that are requested at the same time. */
  maxRequests?: number;
}

const PREVIEWS = [0, 1, 2] as const;
/** What sets the three previews apart where a server receives the voice only in words. */
const SHADES = ['', 'Slightly brighter and livelier.', 'Slightly darker and calmer.'] as const;
const MAX_INSTRUCTIONS = 4_096;
/** A server on one graphics card; a slower one is learned. */
const SECS_PER_SPEECH_SEC = 0.1;

/**
 * Any server that speaks `POST /v1/audio/speech`: OpenAI, vLLM-Omni with voice design, Kokoro-FastAPI, LocalAI. Such
 * servers know no seed: the same request gives the same voices, but not the same audio, so previews are stored, never
 * spoken again.
 */
export class SpeechServerEngine implements VoiceEngine {
  readonly name = 'openai';
  readonly speaks: string;
  readonly scripts = 'all';

  private readonly client: SpeechServerClient;
  private readonly queue: SpeechQueue;
  private readonly converter = new SpeechConverter();

  constructor(private readonly options: SpeechServerEngineOptions) {
    this.speaks = engineOf({ engine: this.name, dialect: options.dialect });
    const { apiKey, maxRequests: slots = 48, dialect: _, model: __, ...server } = options;
    const headers = apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } };
    this.client = new SpeechServerClient({ ...server, ...headers });
    this.queue = new SpeechQueue({ slots, secsPerSpeechSec: SECS_PER_SPEECH_SEC });
  }

  get waitSecs(): number {
    return this.queue.waitSecsOf('');
  }

  plan(request: DesignRequest): (PlannedPreview & { spec: SpeechServerSpec })[] {
    this.queue.requireRoom(request.accountId, estimateOf(request));
    return this.planVoices(request);
  }

  async design(
    request: DesignRequest,
    signal?: AbortSignal,
    onSpoken?: OnSpoken,
  ): Promise<DesignedPreview[]> {
    const attempts = new SharedAttempts();
    const previews = this.planVoices(request).map((plan, place) => async (either: AbortSignal) => {
      const preview = await this.preview(request, plan, either, attempts);
      onSpoken?.(preview, place);
      return preview;
    });
    return this.queue.run(request.accountId, estimateOf(request), previews, signal);
  }

  requireRoom(request: SpeechRequest): void {
    this.queue.requireRoom(request.accountId, estimatePiece(request));
  }

  async speak(request: SpeechRequest, signal?: AbortSignal): Promise<SpokenPiece> {
    const { accountId, text, speed, outputFormat } = request;
    const own = request.spec as SpeechServerSpec;
    const spec = { ...own, speed: clampSpeed(own.speed * speed) };
    const piece = async (either: AbortSignal) => {
      const bytes = await this.request(spec, text, either);
      return this.converter.convert({ bytes, lufs: spec.lufs, formats: [outputFormat] }, either);
    };
    const [encoded] = await this.queue.run(accountId, estimatePiece(request), [piece], signal);
    if (!encoded?.[0]) throw new VoiceEngineError('failed', 'nothing was encoded');
    // Such servers do not say when they speak which word.
    return { ...encoded[0], wordTimes: null };
  }

  async check(): Promise<void> {
    const plain = { description: 'A clear voice', text: 'Ready.', loudness: 0, seed: 0 };
    const request = { ...plain, accountId: '', guidanceScale: 5, quality: null };
    const [plan] = this.planVoices({ ...request, outputFormat: 'pcm_8000', storedFormat: 'pcm_8000' });
    await this.request(plan!.spec, plain.text, new AbortController().signal);
  }

  async close(): Promise<void> {
    await this.converter.close();
  }

  private planVoices(request: DesignRequest): (PlannedPreview & { spec: SpeechServerSpec })[] {
    const read = understandDescription(request.description);
    // Kokoro has voices to choose from; the others read every word themselves.
    const understood = this.options.dialect === 'kokoro' ? read : { ...read, unmatched: [] };
    return PREVIEWS.map((index) => {
      const spec = this.specFor(request, understood.traits, index);
      return { spec, understood, language: languageOf(spec) };
    });
  }

  private async preview(
    { text, outputFormat, storedFormat }: DesignRequest,
    plan: PlannedPreview & { spec: SpeechServerSpec },
    signal: AbortSignal,
    attempts: SharedAttempts,
  ): Promise<DesignedPreview> {
    const bytes = await this.request(plan.spec, text, signal, attempts);
    const formats = [...new Set([outputFormat, storedFormat])];
    const [response, stored = response] = await this.converter.convert(
      { bytes, lufs: plan.spec.lufs, formats },
      signal,
    );
    if (!response || !stored) throw new VoiceEngineError('failed', 'nothing was encoded');
    return { ...plan, response, stored };
  }

  private async request(
    spec: SpeechServerSpec,
    text: string,
    signal: AbortSignal,
    shared?: SharedAttempts,
  ): Promise<Buffer> {
    const request = { path: '/v1/audio/speech', body: speechRequest(spec, text) };
    return (await this.client.send(request, signal, shared && { shared })).body;
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
      speed: clampSpeed((base?.speed ?? 1) * pace),
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

/** What the API accepts. */
function clampSpeed(speed: number): number {
  return Number(Math.min(4, Math.max(0.25, speed)).toFixed(3));
}

function estimateOf(request: DesignRequest): SpeechEstimate {
  return estimateSpeech(request.text, PREVIEWS.length, request);
}

function ownSpec(spec: object, dialect: SpeechDialect): SpeechServerSpec | undefined {
  const { engine, dialect: spoken } = spec as Partial<SpeechServerSpec>;
  return engine === 'openai' && spoken === dialect ? (spec as SpeechServerSpec) : undefined;
}

/** The whole change is sent, and of what came before as much as has room. */
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
