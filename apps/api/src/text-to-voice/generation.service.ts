import type { OutputFormat } from '@app/audio/codecs/output-format';
import { DomainError } from '@app/domain/errors';
import { toError } from '@app/gates/gate';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { OPERATION, pass } from '@app/gates/gates';
import { RESPONSE_SECS, Distribution } from '@app/telemetry/distribution';
import { unspokenCharacters } from '@app/voice-engine/speakable-text';
import type {
  DesignedPreview,
  DesignRequest,
  OnSpoken,
  PlannedPreview,
  VoiceEngine,
} from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { ScreeningService } from '../screening/screening.service';
import type { Generated } from './design-response';
import { GenerationCredits } from './generation-credits';
import type { Generation } from './generation';
import { PreviewStore, type Charge } from './preview-store';
import { StreamedPreviews } from './streamed-previews';

/** The format of every stored preview, also when the caller requested another: the recording of the voice created from it. */
const STORED_FORMAT: OutputFormat = 'mp3_44100_192';

/** A generation that was accepted. */
interface Work extends Charge {
  generation: Generation;
  request: DesignRequest;
}

type Spoken = Pick<Generated, 'previews' | 'mark'>;

@Injectable()
export class GenerationService {
  /** How long the engine took for each request it completed. */
  readonly engineSecs = new Distribution(RESPONSE_SECS);
  engineFailures = 0;

  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly credits: GenerationCredits,
    private readonly store: PreviewStore,
    private readonly streamed: StreamedPreviews,
    private readonly screening: ScreeningService,
  ) {}

  /**
   * Generates three previews. Sets one credit per character of the spoken text aside before it generates. They are charged
   * when the speech is stored, and released when it fails or the client goes away first.
   */
  async generate(caller: Caller, generation: Generation): Promise<Generated> {
    requireEntitled(caller.key, generation);
    const { text } = generation.speech;
    const cost = [...text].length;
    const work = { caller, generation, request: toRequest(caller, generation), cost };
    try {
      // Before credits are held: a refusal writes nothing, and a flood of designs delays no other charge.
      const plans = this.engine.plan(work.request);
      await this.credits.hold(caller, cost, generation.operation);
      const spoken = await this.speak(work, plans);
      const unspoken = this.engine.scripts === 'latin' ? unspokenCharacters(text) : [];
      const withoutEffect = plans[0]?.understood.unmatched ?? [];
      return { ...spoken, text, cost: work.cost, unspoken, withoutEffect };
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  /** Screens after the credits are held: who has none, or has no room, costs no screening. */
  private async speak(work: Work, plans: PlannedPreview[]): Promise<Spoken> {
    const { caller, generation } = work;
    try {
      const { description, speech } = generation;
      await this.screening.require(caller, { voice_description: description, text: speech.text });
      return generation.streamed ? await this.speakLater(work, plans) : await this.speakNow(work);
    } catch (error) {
      await this.credits.release(caller);
      throw error;
    }
  }

  private async speakNow(work: Work): Promise<Spoken> {
    const { caller, generation, request } = work;
    const designed = await this.design(request, caller.signal);
    work.cost = await this.credits.requireCost(caller, work.cost);
    return this.store.insertSpoken(work, generation, this.engine.name, designed);
  }

  private async speakLater(work: Work, plans: PlannedPreview[]): Promise<Spoken> {
    const { caller, generation, request } = work;
    const pending = this.store.insertPending(caller, generation, this.engine.name, plans);
    const speak = async (signal: AbortSignal, onSpoken: OnSpoken) => this.design(request, signal, onSpoken);
    const previews = await this.streamed.begin(work, pending, speak);
    return { previews: previews.map((preview) => ({ preview, audio: null })), mark: null };
  }

  private async design(
    request: DesignRequest,
    signal?: AbortSignal,
    onSpoken?: OnSpoken,
  ): Promise<DesignedPreview[]> {
    const startedAtMs = performance.now();
    try {
      const designed = await this.engine.design(request, signal, onSpoken);
      this.engineSecs.addSince(startedAtMs);
      return designed;
    } catch (error) {
      if (!signal?.aborted) this.engineFailures += 1;
      throw error;
    }
  }
}

/**
 * Refuses a format that the account may not have, and a model that the key may not use. Without a format every tier gets the default.
 *
 * @throws DomainError `feature_not_available`, `model_not_allowed`
 */
export function requireEntitled(
  key: VerifiableKey,
  { format, modelId }: { format?: OutputFormat | undefined; modelId: string },
): void {
  const refusal = pass(OPERATION.entitled, { key, format: format ?? null, modelId });
  if (refusal) throw toError(refusal);
}

/**
 * Refuses a voice that the key may not use.
 *
 * @param voiceId its own id, not an alias
 * @throws DomainError `voice_not_allowed`
 */
export function requireVoice(key: VerifiableKey, voiceId: string): void {
  const refusal = pass(OPERATION.voiced, { key, voiceId });
  if (refusal) throw toError(refusal);
}

/** Streamed previews are spoken in the stored format, not in the requested one. */
function toRequest({ key, requestId }: Caller, { speech, format, streamed }: Generation): DesignRequest {
  const outputFormat = (streamed ? null : format) ?? STORED_FORMAT;
  return { ...speech, accountId: key.accountId, requestId, outputFormat, storedFormat: STORED_FORMAT };
}

/** What the caller receives when the engine could not speak. */
export function toRefusal(error: VoiceEngineError): DomainError {
  const code = error.failure === 'busy' ? 'system_busy' : 'service_unavailable';
  const { retryAfterSecs } = error.options;
  return new DomainError(code, {}, { cause: error, ...(retryAfterSecs !== undefined && { retryAfterSecs }) });
}
