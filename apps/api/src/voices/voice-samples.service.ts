import type { AuditAction } from '@app/domain/audit/audit-actions';
import { byCaller } from '@app/administration/audit/audit-actors';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { AudioStore } from '@app/audio-store/audio-store';
import { categoryOf, type Voice } from '@app/database/voices/voice.entity';
import { VoiceChangeRepository, type VoicePatch } from '@app/database/voices/voice-change.repository';
import type { NewSample } from '@app/database/voices/voice.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { isPublicId } from '@app/domain/common/public-id';
import { DomainError } from '@app/domain/errors';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RecordingsConsent } from './recordings-consent';
import { RecordingUploads, requireRoom, requireTime } from './recording-uploads';
import { ReviewRequests } from '@app/administration/reviews/review-requests';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';
import { sampleOf } from './voices.service';

/** What accounts change of the samples of their voices: each change leads to another review. */
@Injectable()
export class VoiceSamplesService {
  constructor(
    private readonly audited: AuditedChanges,
    private readonly changes: VoiceChangeRepository,
    private readonly consent: RecordingsConsent,
    private readonly uploads: RecordingUploads,
    private readonly audio: AudioStore,
    private readonly reviews: ReviewRequests,
  ) {}

  /** @throws what keeps recordings from being added to a voice */
  async admit(caller: Caller, voice: Voice, em?: EntityManager): Promise<void> {
    if (categoryOf(voice) === 'generated') throw designed();
    await this.consent.require(caller, em);
  }

  /** Adds recordings to a voice of recordings, with the rest of an edit. */
  async add(caller: Caller, voiceId: string, patch: VoicePatch, recordings: NewSample[]): Promise<void> {
    await this.audited.make(async (em) => {
      const voice = await this.lock(caller, voiceId, em);
      await this.admit(caller, voice, em);
      requireRoom(voice.samples.length + recordings.length);
      requireTime([...voice.samples, ...recordings]);
      await this.uploads.keep(recordings, em);
      await this.changes.update(voiceId, caller.key.accountId, patch, em);
      await this.changes.addSamples(voice, recordings, em);
      await this.reviewAgain(caller, voice, 'samples added', em);
      const samples = recordings.map(({ id, fileName }) => ({ sample_id: id, file_name: fileName }));
      return {
        result: undefined,
        events: [eventOf(caller, voice, 'voice.samples_added', { after: { samples } })],
      };
    });
  }

  /** Deletes one of several samples. The last one stays: without it nothing could be played or reviewed. */
  async delete(caller: Caller, voiceId: string, sampleId: string): Promise<void> {
    const { result: sample } = await this.audited.make(async (em) => {
      const voice = await this.lock(caller, voiceId, em);
      const sample = sampleOf(voice, sampleId);
      if (voice.samples.length === 1)
        throw new DomainError('only_sample', { sampleId }, { param: 'sample_id' });
      await this.changes.deleteSample(voice, sampleId, em);
      await this.reviewAgain(caller, voice, 'sample deleted', em);
      const before = { sample_id: sampleId, file_name: sample.fileName };
      return { result: sample, events: [eventOf(caller, voice, 'voice.sample_deleted', { before })] };
    });
    await this.audio.discard([sample]);
  }

  private async reviewAgain(caller: Caller, voice: Voice, cause: string, em: EntityManager): Promise<void> {
    await this.reviews.again(voice, { cause, actor: 'api', requestId: caller.requestId }, em);
  }

  private async lock({ key }: Caller, voiceId: string, em: EntityManager): Promise<Voice> {
    const voice = isPublicId(voiceId) ? await this.changes.lock(voiceId, key.accountId, em) : null;
    if (!voice) throw voiceNotFound(voiceId);
    return voice;
  }
}

function eventOf(
  caller: Caller,
  { id, accountId }: Voice,
  action: AuditAction,
  what: { before?: object; after?: object },
) {
  return { actor: byCaller(caller), action, target: { type: 'voice', id, accountId }, ...what };
}

function designed(): InvalidInput {
  const msg = 'Value error, recordings cannot be added to a designed voice: leave the files out';
  return new InvalidInput([{ type: 'value_error', path: ['files'], msg, input: null }]);
}
