import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AudioStore } from './audio-store';
import { AUDIO_STORE_PROVIDER } from './audio-store.provider';

/** The configured audio store. */
@Module({
  imports: [DatabaseModule],
  providers: [AUDIO_STORE_PROVIDER],
  exports: [AudioStore],
})
export class AudioStoreModule {}
