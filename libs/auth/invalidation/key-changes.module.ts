import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { KeyChanges } from './key-changes';

/** Announcing changes of keys to every process that verifies keys. */
@Module({ imports: [DatabaseModule], providers: [KeyChanges], exports: [KeyChanges] })
export class KeyChangesModule {}
