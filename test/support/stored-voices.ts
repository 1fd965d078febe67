import { randomBytes } from 'node:crypto';
import { AudioStore } from '../../libs/audio-store/audio-store';
import { speechLike, wavOf } from './audio/signals';
import type { Voice } from '../../libs/database/voices/voice.entity';
import { OutboxRepository } from '../../libs/queue/outbox.repository';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { newPublicId } from '../../libs/domain/common/public-id';
import { CURRENT_RULESET } from '../../libs/domain/reviews/recording-rulesets';
import { REVIEW_VOICE, type RecordingGrade } from '../../libs/domain/reviews/review-state';
import { eventually } from './eventually';
import { newSample, newVoice } from './review-bench';
import type { Stack } from './stack';
import { storeAudio } from './store-audio';

let stored = 0;

/** Three seconds of speech; no two are alike. */
export function speechFile(level = 0.1): Uint8Array {
  stored += 1;
  return wavOf(speechLike(3, 16_000, { level, seed: stored }), 16_000);
}

/** A voice as a request leaves it: stored with its audio, its review requested by default. */
export async function storeVoice(
  stack: Stack,
  options: Partial<Pick<Voice, 'accountId' | 'name' | 'description'>> & {
    bytes?: Uint8Array;
    enqueue?: boolean;
  } = {},
): Promise<string> {
  const { bytes = speechFile(), enqueue = true, ...fields } = options;
  const id = newPublicId(randomBytes);
  const requestId = `req_${id}`;
  const { digest } = await storeAudio(stack.api.get(AudioStore), bytes, 'audio/wav');
  await stack.dataSource.transaction(async (em) => {
    const voice = { ...newVoice(id, requestId), understood: { traits: { gender: 'male' } }, ...fields };
    await stack.api.get(VoiceRepository).insert(voice, [newSample(digest, bytes.length)], em);
    if (enqueue) {
      const payload = { voiceId: id, generation: 1, requestId };
      await stack.api.get(OutboxRepository).enqueue(REVIEW_VOICE, payload, id, em);
    }
  });
  return id;
}

/** A voice that the rules have graded, without a worker. */
export async function storeGradedVoice(
  stack: Stack,
  voice: Pick<Voice, 'accountId' | 'name'> & { bytes?: Uint8Array },
  grade: RecordingGrade = 'ok',
): Promise<string> {
  const id = await storeVoice(stack, { ...voice, enqueue: false });
  await stack.dataSource.query(
    `INSERT INTO review (voice_id, generation, audio_digest, ruleset, score, grade, reason, decided_by, low_confidence, took_ms)
     SELECT $1, 1, audio_digest, $2, 2.7, $3, 'within_targets', 'ruleset', false, 1 FROM voice_sample WHERE voice_id = $1`,
    [id, CURRENT_RULESET, grade],
  );
  await stack.dataSource.query(
    `UPDATE voice SET review_state = 'completed', recording_quality = $2, recording_quality_reason = 'within_targets'
     WHERE id = $1`,
    [id, grade],
  );
  return id;
}

/** The state of a voice's review, once it is one of these. */
export async function waitForReview(
  stack: Stack,
  voiceId: string,
  state: Voice['reviewState'],
  withinMs?: number,
): Promise<void> {
  await eventually(
    async () => {
      const [voice] = await stack.dataSource.query<{ review_state: string }[]>(
        'SELECT review_state FROM voice WHERE id = $1',
        [voiceId],
      );
      expect(voice?.review_state).toBe(state);
    },
    { withinMs },
  );
}

/** A voice whose review failed after its last attempt; its audio can be read, so that a new one gets through. */
export async function storeDeadLetter(
  stack: Stack,
  cause: string,
  options: Parameters<typeof storeVoice>[1] = {},
): Promise<string> {
  const id = await storeVoice(stack, { ...options, enqueue: false });
  const voices = stack.api.get(VoiceRepository);
  await stack.dataSource.transaction(async (em) =>
    voices.markStalled(await voices.get(id, em), cause, 'a worker', em),
  );
  return id;
}
