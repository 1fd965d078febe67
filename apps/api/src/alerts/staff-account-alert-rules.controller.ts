import { AlertRulesService } from '@app/administration/alerts/alert-rules.service';
import { byStaff } from '@app/administration/audit/audit-actors';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IfMatch } from '../http/etag';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import {
  CreateAccountAlertRuleBody,
  EditAlertRuleBody,
  toAlertRuleResponse,
  toNewRule,
  type AlertRuleResponse,
} from './alert-rule.dto';

@Controller('admin/accounts/:account_id/alert-rules')
export class StaffAccountAlertRulesController {
  constructor(private readonly rules: AlertRulesService) {}

  @Get()
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<{ items: AlertRuleResponse[] }> {
    return { items: (await this.rules.list(accountId)).map(toAlertRuleResponse) };
  }

  @Post()
  @RequireStaff('accounts.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Body() body: CreateAccountAlertRuleBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRuleResponse> {
    const id = await this.rules.create(byStaff(staff), accountId, toNewRule(body), body.reason);
    return this.answer(reply, accountId, id);
  }

  @Patch(':rule_id')
  @RequireStaff('accounts.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('rule_id') ruleId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...edit }: EditAlertRuleBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRuleResponse> {
    await this.rules.edit({ actor: byStaff(staff), accountId, ruleId, expected, reason }, edit);
    return this.answer(reply, accountId, ruleId);
  }

  @Delete(':rule_id')
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('account_id') accountId: string,
    @Param('rule_id') ruleId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.rules.remove({ actor: byStaff(staff), accountId, ruleId, expected, reason });
  }

  private async answer(reply: FastifyReply, accountId: string, ruleId: string): Promise<AlertRuleResponse> {
    const rule = await this.rules.get(accountId, ruleId);
    void reply.header('etag', etagOf(rule.version));
    return toAlertRuleResponse(rule);
  }
}
