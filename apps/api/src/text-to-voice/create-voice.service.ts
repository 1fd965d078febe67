import type { Preview } from '@app/database/voices/preview.entity';
import type { Voice } from '@app/database/voices/voice.entity';
import { PreviewRepository } from '@app/database/voices/preview.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { VoiceSafetyRepository } from '@app/database/voices/voice-safety.repository';
import { contentDigest } from '@app/domain/voices/content-digest';
import { DomainError } from '@app/domain/errors';
import { newVoiceId } from '@app/domain/common/cell';
import { isPublicId, newPublicId } from '@app/domain/common/public-id';
import { AudioStore } from '@app/audio-store/audio-store';
import { engineOf, type VoiceEngine } from '@app/voice-engine/voice-engine';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { VOICE_ENGINE } from '@app/voice-engine/voice-engine.provider';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Caller } from '@app/domain/keys/caller';
import { ReviewRequests } from '@app/administration/reviews/review-requests';
import { VoiceSlots } from '@app/administration/voices/voice-slots';
import { requireReleased } from '../voices/voices.service';
import { toRefusal } from './generation.service';

/** The voice that a caller requests. */
export interface RequestedVoice {
  name: string;
  description: string;
  generatedVoiceId: string;
  labels: Record<string, string>;
  /** Previews that were played and not chosen. */
  rejectedIds: string[];
}

/** A preview is spoken within seconds. */
const PREVIEW_RETRY_SECS = 2;

@Injectable()
export class CreateVoiceService {
  private readonly logger = new Logger(CreateVoiceService.name);

  constructor(
    private readonly previews: PreviewRepository,
    private readonly voices: VoiceRepository,
    private readonly safety: VoiceSafetyRepository,
    private readonly slots: VoiceSlots,
    private readonly reviews: ReviewRequests,
    private readonly audio: AudioStore,
    @Inject(VOICE_ENGINE) private readonly engine: VoiceEngine,
  ) {}

  /**
   * Keeps the voice where the engine speaks elsewhere, and notes it with the preview: the request that comes again finds it.
   *
   * @throws DomainError `service_unavailable`, InvalidInput for what is refused there
   */
  async adopt({ key }: Caller, { generatedVoiceId: id, name, description }: RequestedVoice): Promise<void> {
    if (!this.engine.adopt || !isPublicId(id)) return;
    const preview = await this.previews.findOwned(id, key.accountId);
    if (preview?.audioDigest == null || engineOf(preview.spec) !== this.engine.speaks) return;
    try {
      await this.previews.setSpec(id, await this.engine.adopt(preview.spec, { name, description }));
    } catch (error) {
      throw error instanceof VoiceEngineError ? toRefusal(error) : error;
    }
  }

  /**
   * Turns a preview into a voice and enqueues its review, in the caller's transaction. The same request again gives the same
   * voice; other content for a used preview is a conflict.
   *
   * @param refusal why no new voice may be called so; null when it may
   */
  async create(
    caller: Caller,
    requested: RequestedVoice,
    refusal: DomainError | null,
    em: EntityManager,
  ): Promise<Voice> {
    const previewId = requested.generatedVoiceId;
    if (!isPublicId(previewId)) throw previewNotFound(previewId);
    const preview = await this.previews.lockOwned(previewId, caller.key.accountId, em);
    if (!preview) throw previewNotFound(previewId);
    const existing = await this.voices.findByPreview(previewId, em);
    if (existing) return sameVoice(existing, requested);
    if (refusal) throw refusal;
    if (!(await this.previews.findOwned(previewId, caller.key.accountId, em)))
      throw previewNotFound(previewId);
    return this.insert(caller, requested, preview, em);
  }

  private async insert(
    caller: Caller,
    requested: RequestedVoice,
    preview: Preview,
    em: EntityManager,
  ): Promise<Voice> {
    const origin = await this.safety.lockUnreleased(preview.originVoiceIds, em);
    if (origin) requireReleased(origin);
    const audioDigest = spokenAudio(preview);
    const rejectedIds = await this.findRejected(caller, requested, em);
    const voiceId = newVoiceId(caller.key.accountId, randomBytes);
    const stored = await this.audio.describe(audioDigest, em);
    await this.voices.insert(
      {
        id: voiceId,
        accountId: caller.key.accountId,
        name: requested.name,
        description: requested.description,
        labels: requested.labels,
        previewId: preview.id,
        originVoiceIds: preview.originVoiceIds,
        engine: preview.engine,
        spec: preview.spec,
        understood: preview.understood,
        language: preview.language,
        contentDigest: contentDigest(requested, requested.rejectedIds),
        requestId: caller.requestId,
      },
      [
        {
          id: newPublicId(randomBytes),
          fileName: `${voiceId}.mp3`,
          mediaType: stored.mediaType,
          sizeBytes: stored.sizeBytes,
          audioDigest: stored.digest,
          durationSecs: preview.durationSecs,
        },
      ],
      em,
    );
    await this.voices.insertPreferences({ id: voiceId, previewId: preview.id }, rejectedIds, em);
    await this.reviews.first(voiceId, caller.requestId, em);
    const voice = await this.voices.getOwned(voiceId, caller.key.accountId, em);
    await this.slots.take(caller.key.accountId, em);
    return voice;
  }

  /**
   * The account's own previews that were played and not chosen. Any other id is only noted: it is feedback, and no reason to
   * refuse a voice.
   */
  private async findRejected(
    caller: Caller,
    requested: RequestedVoice,
    em: EntityManager,
  ): Promise<string[]> {
    const input = new Set(requested.rejectedIds);
    input.delete(requested.generatedVoiceId);
    if (input.size === 0) return [];
    const owned = await this.previews.listOwnedIds([...input], caller.key.accountId, em);
    const others = input.size - owned.length;
    if (others > 0) {
      const { requestId } = caller;
      this.logger.log(`played_not_selected_voice_ids: ${others} of ${input.size} are not previews`, {
        requestId,
      });
    }
    return owned;
  }
}

function spokenAudio({ id, audioDigest, failedAt }: Preview): string {
  if (audioDigest !== null) return audioDigest;
  const param = 'generated_voice_id';
  if (failedAt) throw new DomainError('preview_failed', { generatedVoiceId: id }, { param });
  const options = { param, retryAfterSecs: PREVIEW_RETRY_SECS };
  throw new DomainError('preview_not_ready', { generatedVoiceId: id }, options);
}

function sameVoice(voice: Voice, requested: RequestedVoice): Voice {
  if (voice.contentDigest === contentDigest(requested, requested.rejectedIds)) return voice;
  throw new DomainError(
    'preview_already_used',
    { generatedVoiceId: requested.generatedVoiceId, voiceId: voice.id },
    { param: 'generated_voice_id' },
  );
}

function previewNotFound(generatedVoiceId: string): DomainError {
  return new DomainError('preview_not_found', { generatedVoiceId }, { param: 'generated_voice_id' });
}
