import { AccountRepository } from '@app/database/accounts/account.repository';
import { ReviewFlowRepository, type GradeDay } from '@app/database/reviews/review-flow.repository';
import type { UtcDays } from '@app/domain/common/utc-days';
import { Injectable } from '@nestjs/common';

/** What the voices of accounts were graded. */
@Injectable()
export class GradesService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly flow: ReviewFlowRepository,
  ) {}

  /** The verdicts on the voices of an account, by day. */
  async countByDay(accountId: string, { from }: UtcDays): Promise<GradeDay[]> {
    await this.accounts.get(accountId);
    return this.flow.listGrades(accountId, new Date(from));
  }
}
