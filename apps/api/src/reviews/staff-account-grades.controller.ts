import { lastDays } from '@app/domain/common/utc-days';
import type { GradeDay } from '@app/database/reviews/review-flow.repository';
import { Controller, Get, Param } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { GradesService } from './grades.service';

const DAYS = 30;

interface GradesResponse {
  /** The first and the last day, in UTC; the last one is not over. */
  from: string;
  to: string;
  /** Days and grades with verdicts; a voice that was reviewed again counts again. */
  items: GradeDay[];
}

@Controller('admin/accounts/:account_id/grades')
export class StaffAccountGradesController {
  constructor(private readonly grades: GradesService) {}

  @Get() // Get the grades of an account by day
  @RequireStaff('voices.read')
  async get(@Param('account_id') accountId: string): Promise<GradesResponse> {
    const days = lastDays(DAYS, new Date());
    return { ...days, items: await this.grades.countByDay(accountId, days) };
  }
}
