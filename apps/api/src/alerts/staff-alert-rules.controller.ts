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
  CreateAlertRuleBody,
  EditAlertRuleBody,
  toAlertRuleResponse,
  toNewRule,
  type AlertRuleResponse,
} from './alert-rule.dto';

@Controller('admin/alert-rules')
export class StaffAlertRulesController {
  constructor(private readonly rules: AlertRulesService) {}

  @Get()
  @RequireStaff('alerts.read')
  async list(): Promise<{ items: AlertRuleResponse[] }> {
    return { items: (await this.rules.list(null)).map(toAlertRuleResponse) };
  }

  @Post()
  @RequireStaff('alerts.write')
  async create(
    @CurrentStaff() staff: Staff,
    @Body() body: CreateAlertRuleBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRuleResponse> {
    const id = await this.rules.create(byStaff(staff), null, toNewRule(body), body.reason);
    return this.answer(reply, id);
  }

  @Patch(':rule_id')
  @RequireStaff('alerts.write')
  async edit(
    @CurrentStaff() staff: Staff,
    @Param('rule_id') ruleId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, ...edit }: EditAlertRuleBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AlertRuleResponse> {
    await this.rules.edit({ actor: byStaff(staff), accountId: null, ruleId, expected, reason }, edit);
    return this.answer(reply, ruleId);
  }

  @Delete(':rule_id')
  @HttpCode(204)
  @RequireStaff('alerts.write')
  async remove(
    @CurrentStaff() staff: Staff,
    @Param('rule_id') ruleId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
  ): Promise<void> {
    await this.rules.remove({ actor: byStaff(staff), accountId: null, ruleId, expected, reason });
  }

  private async answer(reply: FastifyReply, ruleId: string): Promise<AlertRuleResponse> {
    const rule = await this.rules.get(null, ruleId);
    void reply.header('etag', etagOf(rule.version));
    return toAlertRuleResponse(rule);
  }
}
