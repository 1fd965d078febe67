import type { HttpOutcome } from '@app/connections/http-exchange';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { estimatePiece, estimateSpeech, type SpeechEstimate } from './speech-estimate';
import { SpeechConverter } from './speech-converter';
import { SpeechQueue } from './speech-queue';
import type { SpeechServerClient } from './speech-server.client';
import { withoutMarkup } from './spoken-markup';
import {
  parseUpstream,
  REQUEST_HEADER,
  UpstreamAccount,
  upstreamClient,
  type UpstreamOptions,
} from './upstream-account';
import { timeWords, type UpstreamAlignment } from './upstream-alignment';
import { UpstreamCosts } from './upstream-costs';
import { understandDescription } from './voice-description';
import type {
  DesignedPreview,
  DesignRequest,
  EngineSpec,
  OnSpoken,
  PlannedPreview,
  SpeechRequest,
  SpokenPiece,
  VoiceEngine,
} from './voice-engine';
import { VoiceEngineError } from './voice-engine.error';

export interface UpstreamEngineOptions extends UpstreamOptions {
  /** The model for all speech; that of each request when left out. */
  model?: string | undefined;
  /** Requests at the same time; what its contract allows. */
  maxRequests?: number;
}

/** One voice of the upstream: plain JSON, with the upstream's ids. */
export interface UpstreamSpec extends EngineSpec {
  engine: 'elevenlabs';
  /** Of the preview; null until it is spoken. */
  generatedVoiceId: string | null;
  /** Null until a voice was created of the preview. */
  voiceId: string | null;
}

interface TimedResponse {
  audio_base64: string;
  alignment: UpstreamAlignment | null;
}

interface DesignResponse {
  previews: { audio_base_64: string; generated_voice_id: string; language?: string | null }[];
}

const PREVIEWS = 3;
/** Full band, and the same for every tier of the upstream. */
const FORMAT = 'output_format=mp3_44100_128';
/** Real time is 1. */
const SECS_PER_SPEECH_SEC = 0.2;
const UNPROCESSABLE = 422;

/**
 * A service with the published API: design, remix, voices and speech go to it, and ours are its voices under our ids.
 * A request that broke off may have been charged, so it is never sent again.
 */
export class UpstreamEngine implements VoiceEngine {
  readonly name = 'elevenlabs';
  readonly speaks = 'elevenlabs';
  readonly scripts = 'all';
  readonly costs = new UpstreamCosts();

  private readonly client: SpeechServerClient;
  private readonly queue: SpeechQueue;
  private readonly converter = new SpeechConverter();

  constructor(private readonly options: UpstreamEngineOptions) {
    const { maxRequests: slots = 10, model: _, ...server } = options;
    this.client = upstreamClient(server);
    this.queue = new SpeechQueue({ slots, secsPerSpeechSec: SECS_PER_SPEECH_SEC });
  }

  get waitSecs(): number {
    return this.queue.waitSecsOf('');
  }

  plan(request: DesignRequest): PlannedPreview[] {
    this.queue.requireRoom(request.accountId, estimateOf(request));
    return Array.from({ length: PREVIEWS }, () => planOf(request, null));
  }

  async design(
    request: DesignRequest,
    signal?: AbortSignal,
    onSpoken?: OnSpoken,
  ): Promise<DesignedPreview[]> {
    const design = async (either: AbortSignal): Promise<DesignedPreview[]> => {
      const { path, body } = designOf(request);
      const { previews } = await this.json<DesignResponse>(request, `${path}?${FORMAT}`, body, either);
      if (!Array.isArray(previews) || previews.length !== PREVIEWS)
        throw new VoiceEngineError('failed', 'the upstream sent no three previews');
      return Promise.all(
        previews.map(async ({ audio_base_64, generated_voice_id }, place) => {
          const formats = [...new Set([request.outputFormat, request.storedFormat])];
          const [response, stored = response] = await this.converter.convert(
            { bytes: decoded(audio_base_64), lufs: null, formats },
            either,
          );
          const preview = {
            ...planOf(request, generated_voice_id),
            response: response!,
            stored: stored!,
          };
          onSpoken?.(preview, place);
          return preview;
        }),
      );
    };
    const [previews] = await this.queue.run(request.accountId, estimateOf(request), [design], signal);
    return previews!;
  }

  async adopt(
    spec: object,
    { name, description }: { name: string; description: string },
  ): Promise<UpstreamSpec> {
    const own = spec as UpstreamSpec;
    if (own.voiceId !== null) return own;
    const { signal } = new AbortController();
    const body = {
      voice_name: name,
      voice_description: description,
      generated_voice_id: own.generatedVoiceId,
    };
    const { voice_id: voiceId } = await this.json<{ voice_id: unknown }>(
      {},
      '/v1/text-to-voice',
      body,
      signal,
    );
    if (typeof voiceId !== 'string') throw new VoiceEngineError('failed', 'the upstream sent no voice_id');
    return { ...own, voiceId };
  }

  requireRoom(request: SpeechRequest): void {
    this.queue.requireRoom(request.accountId, estimatePiece(request));
  }

  async speak(request: SpeechRequest, signal?: AbortSignal): Promise<SpokenPiece> {
    const { accountId, spec, text, speed, outputFormat, modelId, timed } = request;
    const { voiceId } = spec as UpstreamSpec;
    if (voiceId === null) throw new VoiceEngineError('failed', 'the voice was never created upstream');
    const body = {
      text: withoutMarkup(text, (secs) => `<break time="${secs}s"/>`),
      model_id: this.options.model ?? modelId,
      ...(speed !== 1 && { voice_settings: { speed } }),
    };
    const path = `/v1/text-to-speech/${voiceId}`;
    const piece = async (either: AbortSignal) => {
      const { bytes, alignment } = timed
        ? await this.speakTimed(request, path, body, either)
        : { bytes: (await this.post(request, `${path}?${FORMAT}`, body, either)).body, alignment: null };
      const [encoded] = await this.converter.convert({ bytes, lufs: null, formats: [outputFormat] }, either);
      if (!encoded) throw new VoiceEngineError('failed', 'nothing was encoded');
      return { ...encoded, wordTimes: alignment && timeWords(alignment) };
    };
    const [spoken] = await this.queue.run(accountId, estimatePiece(request), [piece], signal);
    return spoken!;
  }

  /** Reads what is left there: costs nothing. */
  async check(): Promise<void> {
    const { used, limit } = await new UpstreamAccount(this.client).readCredits();
    if (used >= limit)
      throw new VoiceEngineError('failed', `the upstream has no credits left: ${used} of ${limit} are used`);
  }

  async close(): Promise<void> {
    await this.converter.close();
  }

  private async speakTimed(request: OfRequest, path: string, body: object, signal: AbortSignal) {
    const timed = await this.json<TimedResponse>(request, `${path}/with-timestamps?${FORMAT}`, body, signal);
    return { bytes: decoded(timed.audio_base64), alignment: timed.alignment };
  }

  private async json<T>(request: OfRequest, path: string, body: object, signal: AbortSignal): Promise<T> {
    return parseUpstream((await this.post(request, path, body, signal)).body) as T;
  }

  private async post(
    { requestId = '' }: OfRequest,
    path: string,
    body: object,
    signal: AbortSignal,
  ): Promise<HttpOutcome> {
    const headers: Record<string, string> = requestId ? { [REQUEST_HEADER]: requestId } : {};
    const outcome = await this.costs.add(
      requestId,
      () => this.client.send({ path, body, headers }, signal, { accepts: [UNPROCESSABLE] }),
      (sent) => Number(sent.headers['character-cost']) || 0,
    );
    if (outcome.status === UNPROCESSABLE) throw refusedInput(outcome.body);
    return outcome;
  }
}

type OfRequest = Pick<SpeechRequest, 'requestId'>;

/** A remix of a voice of the upstream; of any other, a design of what it was and how it changes. */
function designOf(request: DesignRequest): { path: string; body: object } {
  const { description, text, seed, guidanceScale, loudness, quality, base, changeStrength } = request;
  const body = { voice_description: description, text, seed, guidance_scale: guidanceScale, loudness };
  const voiceId = base && (base.spec as Partial<UpstreamSpec>).voiceId;
  if (voiceId)
    return {
      path: `/v1/text-to-voice/${voiceId}/remix`,
      body: { ...body, prompt_strength: changeStrength ?? null },
    };
  const whole = base ? `${base.description} ${description}` : description;
  return { path: '/v1/text-to-voice/design', body: { ...body, voice_description: whole, quality } };
}

function planOf({ description }: DesignRequest, generatedVoiceId: string | null): PlannedPreview {
  const spec: UpstreamSpec = { engine: 'elevenlabs', generatedVoiceId, voiceId: null };
  // It reads every word itself.
  return { spec, understood: { ...understandDescription(description), unmatched: [] }, language: 'en' };
}

function estimateOf(request: DesignRequest): SpeechEstimate {
  return estimateSpeech(request.text, PREVIEWS, request);
}

/** No audio where there is none to read, which the converter then says. */
function decoded(base64: unknown): Buffer {
  return Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
}

/** What the upstream refuses of an input has the names that our callers use. */
function refusedInput(body: Buffer): Error {
  const { detail } = parseUpstream(body) as { detail?: unknown };
  const items = Array.isArray(detail) ? (detail as { loc?: unknown; msg?: unknown; type?: unknown }[]) : [];
  const problems = items.flatMap(({ loc, msg, type }) => {
    const [place, ...path] = Array.isArray(loc) ? (loc as (string | number)[]) : [];
    return place === 'body' && typeof msg === 'string'
      ? [{ type: String(type), path, msg, input: null }]
      : [];
  });
  if (problems.length > 0) return new InvalidInput(problems);
  return new VoiceEngineError('failed', 'the upstream responded 422');
}
