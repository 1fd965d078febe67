import { AlertRulesService } from '@app/administration/alerts/alert-rules.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
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

  @Get() // List the alert rules of the installation and its tiers
  @RequireStaff('alerts.read')
  async list(): Promise<{ items: AlertRuleResponse[] }> {
    return { items: (await this.rules.list(null)).map(toAlertRuleResponse) };
  }

  @Post() // Add an alert rule for the installation or a tier
  @RequireStaff('alerts.write')
  async create(
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateAlertRuleBody,
  ): Promise<AlertRuleResponse> {
    const id = await this.rules.create(actor, null, toNewRule(body), reason);
    return this.ruleResponse(id);
  }

  @Patch(':rule_id') // Edit an alert rule of the installation or a tier
  @RequireStaff('alerts.write')
  async edit(
    @Param('rule_id') ruleId: string,
    @Change() change: ChangeByStaff,
    @Body() { reason: _, ...edit }: EditAlertRuleBody,
  ): Promise<AlertRuleResponse> {
    await this.rules.edit({ ...change, accountId: null, ruleId }, edit);
    return this.ruleResponse(ruleId);
  }

  @Delete(':rule_id') // Remove an alert rule of the installation or a tier
  @HttpCode(204)
  @RequireStaff('alerts.write')
  async remove(@Param('rule_id') ruleId: string, @Change() change: ChangeByStaff): Promise<void> {
    await this.rules.remove({ ...change, accountId: null, ruleId });
  }

  private async ruleResponse(ruleId: string): Promise<AlertRuleResponse> {
    const rule = await this.rules.get(null, ruleId);
    return toAlertRuleResponse(rule);
  }
}
