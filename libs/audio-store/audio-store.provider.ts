import type { S3 } from '@aws-sdk/client-s3';
import { AppConfig } from '@app/config/app-config';
import { AudioObjectRepository } from '@app/database/voices/audio-object.repository';
import type { FactoryProvider } from '@nestjs/common';
import { AudioStore } from './audio-store';
import { PostgresAudioStore } from './postgres-audio-store';
import { S3AudioStore } from './s3-audio-store';

/** Under the time of a request: a request that cannot be served gets 503. */
const CONNECT_MS = 2_000;
const REQUEST_MS = 5_000;
/** Without a byte: the time of a request ends with the header of its response, and bodies may stop coming. */
const STALL_MS = 5_000;

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

/** A client of the configured object store, whose library only those with an object store load: 10 MB. */
export async function connectS3({
  endpoint,
  region,
  credentials,
}: NonNullable<AppConfig['s3']>): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  return new S3({
    region,
    // Servers other than Amazon's rarely have a host name for each bucket, nor the newest checksums.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      socketTimeout: STALL_MS,
      throwOnRequestTimeout: true,
    },
  });
}
