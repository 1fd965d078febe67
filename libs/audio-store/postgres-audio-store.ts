import type { ByteRange } from '@app/database/voices/audio-object.repository';
import type { EntityManager } from 'typeorm';
import { AudioStore, type AudioStoreReport, type FoundAudio, type StagedAudio } from './audio-store';

/** Audio in PostgreSQL: stored in the transaction that refers to it, or not at all. */
export class PostgresAudioStore extends AudioStore {
  async find(digest: string, range?: ByteRange): Promise<FoundAudio | null> {
    const found = await this.objects.find(digest, range);
    return found?.bytes ? { ...found, bytes: found.bytes } : null;
  }

  protected async store(staged: StagedAudio, em?: EntityManager): Promise<void> {
    await this.objects.store(staged, em);
  }

  protected async erase(): Promise<void> {}

  protected async compareBytes(): Promise<AudioStoreReport> {
    return { missing: [], orphaned: [] };
  }
}
