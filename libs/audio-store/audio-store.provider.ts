import { AppConfig } from '@app/config/app-config';
import { AudioObjectRepository } from '@app/database/voices/audio-object.repository';
import { connectS3 } from '@app/object-store/object-store';
import type { FactoryProvider } from '@nestjs/common';
import { AudioStore } from './audio-store';
import { PostgresAudioStore } from './postgres-audio-store';
import { S3AudioStore } from './s3-audio-store';

/** The configured audio store. */
export async function createAudioStore(
  config: AppConfig,
  objects: AudioObjectRepository,
): Promise<AudioStore> {
  return config.s3
    ? new S3AudioStore(objects, await connectS3(config.s3), config.s3.bucket)
    : new PostgresAudioStore(objects);
}

export const AUDIO_STORE_PROVIDER: FactoryProvider<AudioStore> = {
  provide: AudioStore,
  inject: [AppConfig, AudioObjectRepository],
  useFactory: createAudioStore,
};
