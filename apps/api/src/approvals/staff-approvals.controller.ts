import { ApprovalsService } from '@app/administration/approvals/approvals.service';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { Page } from '../http/pagination';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { ApprovableChanges } from './approvable-changes';
import { ApprovalSearchService } from './approval-search.service';
import {
  ApprovalQuery,
  toApprovalFilter,
  toApprovalPolicyResponse,
  toApprovalResponse,
  type ApprovalPolicyResponse,
  type ApprovalResponse,
  type ApprovedChangeResponse,
} from './approval.dto';

/** Changes that wait for a second person. */
@Controller('admin/approvals')
export class StaffApprovalsController {
  constructor(
    private readonly search: ApprovalSearchService,
    private readonly approvals: ApprovalsService,
    private readonly changes: ApprovableChanges,
  ) {}

  @Get() // List changes that wait for a second person, or have waited
  @RequireStaff('approvals.read')
  async list(@CurrentStaff() staff: Staff, @Query() query: ApprovalQuery): Promise<Page<ApprovalResponse>> {
    const page = await this.search.list(toApprovalFilter(query, staff), query);
    return { ...page, items: page.items.map((approval) => toApprovalResponse(approval, staff)) };
  }

  @Get('policy') // Get which changes wait for a second person
  @RequireStaff('approvals.read')
  policy(): ApprovalPolicyResponse {
    return toApprovalPolicyResponse(this.approvals.policy);
  }

  @Get(':approval_id') // Get a change that waits for a second person
  @RequireStaff('approvals.read')
  async get(@CurrentStaff() staff: Staff, @Param('approval_id') id: string): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.get(id), staff);
  }

  /** Makes the change, in the name of who has requested it. No member approves their own. */
  @Post(':approval_id/approve') // Approve a change that another member of staff has requested
  @HttpCode(200)
  @RequireStaff('approvals.decide', { confirmed: true })
  async approve(
    @CurrentStaff() staff: Staff,
    @Param('approval_id') id: string,
  ): Promise<ApprovedChangeResponse> {
    const { result, receipt } = await this.approvals.approve(staff, id, this.changes.byKind);
    return { ...toApprovalResponse(result, staff), receipt };
  }

  @Post(':approval_id/decline') // Decline a change that another member of staff has requested
  @HttpCode(200)
  @RequireStaff('approvals.decide')
  async decline(
    @CurrentStaff() staff: Staff,
    @Param('approval_id') id: string,
    @Body() { reason }: ReasonBody,
  ): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.decline(staff, id, reason), staff);
  }

  /** For who has requested it. */
  @Post(':approval_id/withdraw') // Withdraw a change that you have requested
  @HttpCode(200)
  @RequireStaff('approvals.read')
  async withdraw(@CurrentStaff() staff: Staff, @Param('approval_id') id: string): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.withdraw(staff, id), staff);
  }
}
