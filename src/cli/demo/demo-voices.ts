import { AudioStore } from '@app/audio-store/audio-store';
import type { EncodedAudio } from '@app/audio/codecs/encode-audio';
import { ReviewItemRepository } from '@app/database/reviews/review-item.repository';
import { VoiceRepository } from '@app/database/voices/voice.repository';
import { newPublicId } from '@app/domain/common/public-id';
import { REVIEW_VOICE } from '@app/domain/reviews/review-state';
import { jobRow } from '@app/queue/jobs';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { FliteEngine } from '@app/voice-engine/flite.engine';
import type { DesignedPreview } from '@app/voice-engine/voice-engine';
import type { INestApplicationContext } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

interface DemoVoice {
  name: string;
  description: string;
  /** Of a review that failed after its last attempt; otherwise the review is requested. */
  failure?: string;
  complaint?: string;
}

const VOICES: DemoVoice[] = [
  { name: 'Lighthouse keeper', description: 'An old, rough man who speaks slowly, with a deep voice.' },
  {
    name: 'Harbour narrator',
    description: 'A calm, warm woman in her forties with a clear British accent.',
    complaint: 'A listener says that it clips.',
  },
  {
    name: 'Night watch',
    description: 'A young man who whispers.',
    failure: 'connect ECONNREFUSED 192.0.2.1:9000',
  },
  { name: 'Market crier', description: 'A loud, excited woman.', failure: 'no space left on device' },
];
const TEXT =
  'The harbour lies quiet in the morning, and the first boats leave before the sun is over the hills behind the town.';

/** Voices of every kind: two that the worker reviews when it runs, and two whose review has failed. */
export async function addVoices(services: INestApplicationContext, accountId: string): Promise<void> {
  const engine = new FliteEngine();
  try {
    for (const [seed, voice] of VOICES.entries()) {
      const preview = await speak(engine, accountId, voice.description, seed);
      await storeVoice(services, accountId, voice, preview);
    }
  } finally {
    await engine.close();
  }
}

async function speak(engine: FliteEngine, accountId: string, description: string, seed: number) {
  const format = 'mp3_44100_128';
  const [preview] = await engine.design({
    accountId,
    description,
    text: TEXT,
    loudness: 0.5,
    seed,
    guidanceScale: 5,
    quality: null,
    outputFormat: format,
    storedFormat: format,
  });
  return preview!;
}

async function storeVoice(
  services: INestApplicationContext,
  accountId: string,
  { name, description, failure, complaint }: DemoVoice,
  { spec, understood, language, stored }: DesignedPreview,
): Promise<void> {
  const sample = await storeSample(services.get(AudioStore, { strict: false }), stored);
  const voices = services.get(VoiceRepository, { strict: false });
  const id = newPublicId(randomBytes);
  const requestId = `req_${id}`;
  const voice = {
    id,
    accountId,
    name,
    description,
    spec,
    understood,
    language,
    requestId,
    contentDigest: id,
  };
  await services.get(DataSource).transaction(async (em) => {
    await voices.insert({ ...voice, labels: {}, previewId: null, engine: 'flite' }, [sample], em);
    if (failure !== undefined) await failEveryAttempt(voices, id, failure, em);
    else
      await services
        .get(OutboxRepository, { strict: false })
        .enqueue(REVIEW_VOICE, { voiceId: id, generation: 1, requestId }, id, em);
    if (complaint !== undefined)
      await services.get(ReviewItemRepository, { strict: false }).open(id, ['complaint'], em, complaint);
  });
}

/** Records what a worker does when each attempt of a review fails for the same cause. */
async function failEveryAttempt(voices: VoiceRepository, id: string, cause: string, em: EntityManager) {
  const { attempts } = jobRow(REVIEW_VOICE).options;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const token = randomUUID();
    await voices.claimReview(id, 1, token, 'demo', em);
    const to = attempt < attempts ? 'retry_wait' : 'stalled';
    await voices.markAttemptFailed(id, token, { to, cause, actor: 'demo' }, em);
  }
}

async function storeSample(store: AudioStore, { bytes, mediaType, durationSecs }: EncodedAudio) {
  const { digest } = await store.keep(await store.stage(bytes, mediaType));
  return {
    id: newPublicId(randomBytes),
    fileName: 'sample.mp3',
    mediaType,
    sizeBytes: bytes.length,
    audioDigest: digest,
    durationSecs,
  };
}
