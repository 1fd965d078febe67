import { DatabaseModule } from '@app/database/database.module';
import { GatesModule } from '@app/gates/gates.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ExplainService } from './explain.service';
import { StaffExplainController } from './staff-explain.controller';

/** Explanations of decisions, for staff. */
@Module({
  imports: [DatabaseModule, GatesModule, HttpModule],
  controllers: [StaffExplainController],
  providers: [ExplainService],
})
export class ExplainModule {}
