import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { OperationWatch } from './operation-watch';

/** What a process knows of the operation of the installation. */
@Module({ imports: [DatabaseModule], providers: [OperationWatch], exports: [OperationWatch] })
export class OperationsModule {}
