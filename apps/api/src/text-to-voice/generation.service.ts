import type { OutputFormat } from '@app/audio/output-format';
import type { Preview } from '@app/database/entities/preview.entity';
import { DomainError } from '@app/domain/errors';
import type { Addition } from '@app/domain/enhanced-description';
import { CreditLedger } from '@app/credits/credit-ledger';
import { ANSWER_SECS, Distribution } from '@app/telemetry/distribution';
import { GenerationSlots } from '@app/limits/generation-slots';
import type { DesignedPreview, DesignRequest, VoiceEngine } from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Caller } from '../http/caller';
import type { Generated } from './design-answer';
import { requireFormat } from './format-access';
import { PreviewStore } from './preview-store';

/** What a preview is stored as, whatever format the caller asked for: also the recording of the voice made from it. */
const STORED_FORMAT: OutputFormat = 'mp3_44100_192';

/** What is to be generated. */
export interface Generation {
  operation: 'text_to_voice_design' | 'text_to_voice_remix';
  /** As the caller wrote it; `speech.description` is what the engine is given. */
  description: string;
  speech: Omit<DesignRequest, 'outputFormat' | 'storedFormat'>;
  format: OutputFormat | undefined;
  /** Answer at once, and speak afterwards. */
  streamed: boolean;
  origin: Pick<Preview, 'remixedVoiceId' | 'remixingSessionId' | 'remixingSessionIterationId'>;
  /** What support sees beside what the engine understood. */
  notes: { added: Addition; withoutEffect: string[] };
}

@Injectable()
export class GenerationService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(GenerationService.name);
  /** How long the engine took for each request it answered. */
  readonly engineSecs = new Distribution(ANSWER_SECS);
  engineFailures = 0;
  private readonly background = new Set<Promise<void>>();

  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly credits: CreditLedger,
    private readonly store: PreviewStore,
    private readonly slots: GenerationSlots,
  ) {}

  /**
   * Generates three previews. Charges one credit per character of the spoken text before it generates, and gives them
   * back when it fails.
   */
  async generate(caller: Caller, generation: Generation): Promise<Generated> {
    requireFormat(generation.format, caller.key.tier);
    const { text } = generation.speech;
    const cost = [...text].length;
    await this.charge(caller, cost, generation.operation);
    try {
      const previews = generation.streamed
        ? await this.speakLater(caller, generation)
        : await this.speakNow(caller, generation);
      return { previews, text, cost };
    } catch (error) {
      await this.credits.refund(caller.key.accountId, caller.requestId);
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  /** Previews that are promised are spoken before the process ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.background);
  }

  private async charge(
    { key, requestId, maxCredits }: Caller,
    cost: number,
    operation: string,
  ): Promise<void> {
    if (maxCredits !== null && cost > maxCredits) {
      const params = { scope: 'single-use token', limit: maxCredits, remaining: maxCredits, cost };
      throw new DomainError('insufficient_credits', params);
    }
    const { keyId, accountId } = key;
    const charge = await this.credits.charge({ keyId, accountId, cost, operation, requestId });
    if (charge.charged) return;
    if (charge.reason !== 'insufficient_credits') throw new DomainError('invalid_api_key');
    throw new DomainError('insufficient_credits', {
      scope: charge.scope === 'key' ? 'API key' : 'account',
      limit: charge.creditLimit,
      remaining: charge.remaining,
      cost,
    });
  }

  private async speakNow(caller: Caller, generation: Generation): Promise<Generated['previews']> {
    const designed = await this.design(toRequest(generation));
    const previews = await this.store.insertSpoken(caller, generation, this.engine.name, designed);
    return previews.map((preview, index) => ({ preview, audio: designed[index]!.response }));
  }

  private async speakLater(caller: Caller, generation: Generation): Promise<Generated['previews']> {
    const request = { ...toRequest(generation), outputFormat: STORED_FORMAT };
    const plans = this.engine.plan(request);
    const speaking = this.design(request);
    // Whoever waits for it comes later; until then a failure must not look like nobody's.
    speaking.catch(() => undefined);
    const previews = await this.store.insertPending(caller, generation, this.engine.name, plans);
    const task = this.finish(caller, previews, speaking).finally(() => this.background.delete(task));
    this.background.add(task);
    this.slots.keepUntil(caller.requestId, task);
    return previews.map((preview) => ({ preview, audio: null }));
  }

  private async design(request: DesignRequest): Promise<DesignedPreview[]> {
    const startedAtMs = performance.now();
    try {
      const designed = await this.engine.design(request);
      this.engineSecs.addSince(startedAtMs);
      return designed;
    } catch (error) {
      this.engineFailures += 1;
      throw error;
    }
  }

  private async finish(
    caller: Caller,
    previews: Pick<Preview, 'id'>[],
    speaking: Promise<DesignedPreview[]>,
  ): Promise<void> {
    try {
      await this.store.complete(previews, await speaking);
    } catch (error) {
      this.logger.error(`Streamed previews failed: ${String(error)}`, { requestId: caller.requestId });
      await this.giveUp(caller);
    }
  }

  /** What fails here as well is found and settled by the worker. */
  private async giveUp({ key: { accountId }, requestId }: Caller): Promise<void> {
    try {
      await this.credits.refund(accountId, requestId);
      await this.store.fail(accountId, requestId);
    } catch (error) {
      this.logger.error(`Left for the worker: ${String(error)}`, { requestId });
    }
  }
}

function toRequest({ speech, format = STORED_FORMAT }: Generation): DesignRequest {
  return { ...speech, outputFormat: format, storedFormat: STORED_FORMAT };
}

function toRefusal(error: VoiceEngineError): DomainError {
  return new DomainError(
    error.failure === 'busy' ? 'system_busy' : 'service_unavailable',
    {},
    { cause: error },
  );
}
