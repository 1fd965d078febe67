import { requireOffered } from '@app/audio/encode-audio';
import type { OutputFormat } from '@app/audio/output-format';
import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import { CreditLedger } from '@app/credits/credit-ledger';
import { PreviewRepository } from '@app/database/repositories/preview.repository';
import { DomainError } from '@app/domain/errors';
import { generatePreviewText } from '@app/domain/preview-text';
import { newPublicId } from '@app/domain/public-id';
import { tiersFrom, type Tier } from '@app/domain/tiers';
import { speakableText } from '@app/voice-engine/speakable-text';
import type { DesignedPreview, VoiceEngine } from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes, randomInt } from 'node:crypto';
import type { Caller } from '../http/caller';
import { ValidationProblem } from '../http/wire-problem';
import { toDesignAnswer, type DesignAnswer, type DesignBody } from './design.dto';

/** What a preview is stored as, whatever format the caller asked for: also the recording of the voice made from it. */
const STORED_FORMAT: OutputFormat = 'mp3_44100_192';
const DEFAULT_FORMAT: OutputFormat = 'mp3_44100_192';
const OPERATION = 'text_to_voice_design';

@Injectable()
export class DesignService {
  constructor(
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
    private readonly credits: CreditLedger,
    private readonly previews: PreviewRepository,
    private readonly audio: AudioStore,
    private readonly config: AppConfig,
  ) {}

  /**
   * Designs three previews. Charges one credit per character of the spoken text before it generates, and gives them back
   * when it fails.
   */
  async design(
    caller: Caller,
    body: DesignBody,
    format?: OutputFormat,
  ): Promise<{ answer: DesignAnswer; cost: number }> {
    if (format) requireOffered(format);
    checkFormatOfTier(format, caller.key.tier);
    const text = spokenText(body);
    const cost = [...text].length;
    await this.charge(caller, cost);
    try {
      const designed = await this.engine.design({
        description: body.voice_description,
        text,
        loudness: body.loudness,
        seed: body.seed ?? randomInt(2 ** 31),
        guidanceScale: body.guidance_scale,
        quality: body.quality,
        outputFormat: format ?? DEFAULT_FORMAT,
        storedFormat: STORED_FORMAT,
      });
      return { answer: await this.store(caller, body, text, designed), cost };
    } catch (error) {
      await this.credits.refund(caller.key.accountId, caller.requestId);
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  private async charge({ key, requestId }: Caller, cost: number): Promise<void> {
    const { keyId, accountId } = key;
    const charge = await this.credits.charge({ keyId, accountId, cost, operation: OPERATION, requestId });
    if (charge.charged) return;
    if (charge.reason !== 'insufficient_credits') throw new DomainError('invalid_api_key');
    throw new DomainError('insufficient_credits', {
      scope: charge.scope === 'key' ? 'API key' : 'account',
      limit: charge.creditLimit,
      remaining: charge.remaining,
      cost,
    });
  }

  private async store(
    caller: Caller,
    body: DesignBody,
    text: string,
    designed: DesignedPreview[],
  ): Promise<DesignAnswer> {
    const rows = designed.map((preview) => ({
      id: newPublicId(randomBytes),
      accountId: caller.key.accountId,
      keyId: caller.key.keyId,
      description: body.voice_description,
      text,
      engine: this.engine.name,
      spec: preview.spec,
      understood: preview.understood,
      language: preview.language,
      durationSecs: preview.stored.durationSecs,
      requestId: caller.requestId,
    }));
    const staged = await Promise.all(
      designed.map(({ stored }) => this.audio.stage(stored.bytes, stored.mediaType)),
    );
    await this.previews.transaction(async (em) => {
      const withAudio = [];
      for (const [index, audio] of staged.entries()) {
        const { digest } = await this.audio.keep(audio, em);
        withAudio.push({ ...rows[index]!, audioDigest: digest });
      }
      await this.previews.insertAll(withAudio, this.config.previewTtlHours, em);
    });
    return toDesignAnswer(
      text,
      rows.map((preview, index) => ({
        preview,
        audio: designed[index]!.response.bytes,
        mediaType: designed[index]!.response.mediaType,
      })),
    );
  }
}

function toRefusal(error: VoiceEngineError): DomainError {
  return new DomainError(
    error.failure === 'busy' ? 'system_busy' : 'service_unavailable',
    {},
    { cause: error },
  );
}

function spokenText({ text, auto_generate_text, voice_description }: DesignBody): string {
  if (text !== null) return checkSpeakable(text);
  if (auto_generate_text) return generatePreviewText(voice_description, Math.random);
  throw new DomainError('missing_preview_text', {}, { param: 'text' });
}

function checkSpeakable(text: string): string {
  if (speakableText(text) !== '') return text;
  const msg = 'Value error, the text has nothing in it that can be spoken';
  throw new ValidationProblem([{ type: 'value_error', loc: ['body', 'text'], msg, input: text }]);
}

/** The lowest tier that may ask for a format; formats that are not here are for everyone. */
const FORMAT_TIERS: Partial<Record<OutputFormat, Tier>> = {
  mp3_44100_192: 'creator',
  pcm_44100: 'pro',
  pcm_48000: 'pro',
};

function checkFormatOfTier(format: OutputFormat | undefined, tier: Tier): void {
  const lowest = format && FORMAT_TIERS[format];
  if (!lowest || tiersFrom(lowest).includes(tier)) return;
  throw new DomainError(
    'feature_not_available',
    { feature: `output_format ${format}`, tier, needs: `the tier ${lowest} or higher` },
    { param: 'output_format' },
  );
}
