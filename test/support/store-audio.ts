import type { AudioStore, StoredAudio } from '../../libs/audio-store/audio-store';

/** Stores audio outside any transaction. */
export async function storeAudio(
  store: AudioStore,
  bytes: Uint8Array,
  mediaType: string,
): Promise<StoredAudio> {
  return store.keep(await store.stage(bytes, mediaType));
}
