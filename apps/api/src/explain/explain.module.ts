import { DatabaseModule } from '@app/database/database.module';
import { LimitsModule } from '@app/limits/limits.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ExplainLimits } from './explain-limits';
import { ExplainService } from './explain.service';
import { StaffExplainController } from './staff-explain.controller';

/** Explanations of decisions, for staff. */
@Module({
  imports: [DatabaseModule, HttpModule, LimitsModule],
  controllers: [StaffExplainController],
  providers: [ExplainLimits, ExplainService],
})
export class ExplainModule {}
