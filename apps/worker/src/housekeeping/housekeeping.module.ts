import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { PostgresLimitsModule } from '@app/limits/postgres-limits.module';
import { Module } from '@nestjs/common';
import { AbandonedPreviews } from './abandoned-previews';
import { AuditStream } from './audit-stream';
import { DueUndo } from './due-undo';
import { Expiry } from './expiry';
import { HistoryFingerprints } from './history-fingerprints';
import { IdleKeys } from './idle-keys';
import { KeySafetyWatch } from './key-safety-watch';
import { LedgerMonths } from './ledger-months';
import { LimitExpiry } from './limit-expiry';
import { PresetWatch } from './preset-watch';
import { PreviewExpiry } from './preview-expiry';
import { ScheduledBackups } from './scheduled-backups';
import { SpaceLog } from './space-log';
import { UsageSinks } from './usage-sinks';

/** What ends or is deleted when its time has come. */
@Module({
  imports: [AdministrationModule, AudioStoreModule, CreditsModule, DatabaseModule, PostgresLimitsModule],
  providers: [
    AbandonedPreviews,
    AuditStream,
    DueUndo,
    Expiry,
    HistoryFingerprints,
    IdleKeys,
    KeySafetyWatch,
    LedgerMonths,
    LimitExpiry,
    PresetWatch,
    PreviewExpiry,
    ScheduledBackups,
    SpaceLog,
    UsageSinks,
  ],
})
export class HousekeepingModule {}
