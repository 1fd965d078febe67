import { DatabaseModule } from '@app/database/database.module';
import { GatesModule } from '@app/gates/gates.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ExplainService } from './explain.service';
import { ExplainProgramService } from './explain-program.service';
import { StaffExplainController } from './staff-explain.controller';
import { StaffExplainProgramController } from './staff-explain-program.controller';

/** Explanations of decisions, for staff. */
@Module({
  imports: [DatabaseModule, GatesModule, HttpModule],
  controllers: [StaffExplainController, StaffExplainProgramController],
  providers: [ExplainService, ExplainProgramService],
})
export class ExplainModule {}
