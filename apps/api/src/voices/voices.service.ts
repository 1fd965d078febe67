import { AudioStore } from '@app/audio-store/audio-store';
import { AppConfig } from '@app/config/app-config';
import type { VoiceSample } from '@app/database/voices/voice-sample.entity';
import { categoryOf, samplesOf, type Voice } from '@app/database/voices/voice.entity';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { DomainError } from '@app/domain/errors';
import { isPublicId } from '@app/domain/common/public-id';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { Injectable } from '@nestjs/common';
import type { Recording } from '../http/audio-response';
import { storedRecording } from '../http/stored-recording';
import { syntheticMark } from '../http/synthetic-mark';
import type { Caller } from '@app/domain/keys/caller';

@Injectable()
export class VoicesService {
  constructor(
    private readonly voices: VoiceRepository,
    private readonly audio: AudioStore,
    private readonly config: AppConfig,
  ) {}

  /** A voice of the caller's account, by its id or an alias. */
  async get({ key }: Caller, voiceId: string): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.findOwned(voiceId, key.accountId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }

  /** A voice that may speak for the caller, by its id or an alias: of its account, or shared with every account. */
  async getUsable({ key }: Caller, voiceId: string): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.voices.findUsable(voiceId, key.accountId) : null;
    if (!voice) throw voiceNotFound(voiceId);
    requireReleased(voice);
    return voice;
  }

  /** The recording of a sample of a voice of the caller's account. */
  async getSample(caller: Caller, voiceId: string, sampleId: string): Promise<Recording> {
    const voice = await this.get(caller, voiceId);
    requireReleased(voice);
    return this.toRecording(voice, sampleOf(voice, sampleId));
  }

  /** The first recording of a voice of this account or of a shared one, for those who have its URL. */
  async getPreview(voiceId: string, accountId: string): Promise<Recording> {
    const voice = isPublicId(voiceId) ? await this.voices.findUsable(voiceId, accountId) : null;
    const [first] = voice ? samplesOf(voice) : [];
    if (!voice || !first) throw voiceNotFound(voiceId);
    requireReleased(voice);
    return this.toRecording(voice, first);
  }

  /** The first recording of a voice, or that of a sample, for staff: also of one that they hold. */
  async getRecording(voiceId: string, sampleId?: string): Promise<Recording> {
    const voice = isPublicId(voiceId) ? await this.voices.find(voiceId) : null;
    const [first] = voice ? samplesOf(voice) : [];
    if (!voice || !first) throw voiceNotFound(voiceId);
    return this.toRecording(voice, sampleId === undefined ? first : sampleOf(voice, sampleId));
  }

  private toRecording(
    voice: Voice,
    { id, audioDigest, mediaType, sizeBytes, createdAt }: VoiceSample,
  ): Recording {
    const mark = categoryOf(voice) === 'generated' ? syntheticMark(this.config, id, createdAt) : null;
    const stored = { digest: audioDigest, mediaType, sizeBytes, storedAt: createdAt, mark };
    return storedRecording(this.audio, stored, () => sampleNotFound(id));
  }
}

/** @throws DomainError `voice_held` for a voice that staff hold or have taken down */
export function requireReleased({ id, safetyState, safetyNotice }: Voice): void {
  if (safetyState === null) return;
  const decision = safetyState === 'held' ? 'is held' : 'was taken down';
  const notice = safetyNotice && { notice: `: ${safetyNotice}` };
  throw new DomainError('voice_held', { voiceId: id, decision, ...notice }, { param: 'voice_id' });
}

/** @throws DomainError `sample_not_found` when the voice has no such sample */
export function sampleOf(voice: Voice, sampleId: string): VoiceSample {
  const sample = voice.samples.find(({ id }) => id === sampleId);
  if (!sample) throw sampleNotFound(sampleId);
  return sample;
}

function sampleNotFound(sampleId: string): DomainError {
  return new DomainError('sample_not_found', { sampleId }, { param: 'sample_id' });
}
