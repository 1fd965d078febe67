import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AdministrationModule } from './administration.module';
import { VoiceImportsService } from './voices/voice-imports.service';
import { VoiceSlots } from './voices/voice-slots';

/** Voices that exist upstream, taken into an account. */
@Module({
  imports: [AdministrationModule, AudioStoreModule, DatabaseModule],
  providers: [VoiceImportsService, VoiceSlots],
})
export class VoiceImportsModule {}
