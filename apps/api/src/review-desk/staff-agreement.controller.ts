import type { CalibrationSet } from '@app/domain/reviews/calibration-set';
import { Controller, Get, Query } from '@nestjs/common';
import { RequireStaff } from '../http/staff-access';
import { AgreementQuery, toAgreementReportResponse, type AgreementReportResponse } from './agreement.dto';
import { AgreementService } from './agreement.service';

@Controller('admin/review-agreement')
export class StaffAgreementController {
  constructor(private readonly agreement: AgreementService) {}

  /** Weighted kappa between people, and between people and the rules. */
  @Get() // Get how far people agree with each other and with the rules
  @RequireStaff('voices.review')
  async get(@Query() { days }: AgreementQuery): Promise<AgreementReportResponse> {
    return toAgreementReportResponse(await this.agreement.report(Number(days)));
  }

  /** For `greenroom review --compare`: what two people have graded, where they or the rules disagree. */
  @Get('calibration-set') // Export the recordings about which people disagree
  @RequireStaff('voices.review')
  async exportSet(): Promise<CalibrationSet> {
    return this.agreement.listDisagreements();
  }
}
