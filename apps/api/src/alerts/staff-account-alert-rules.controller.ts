import { AlertRulesService } from '@app/administration/alerts/alert-rules.service';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Action, Change, type ActionByStaff, type ChangeByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
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

  @Get() // List the alert rules of an account and its keys
  @RequireStaff('accounts.read')
  async list(@Param('account_id') accountId: string): Promise<{ items: AlertRuleResponse[] }> {
    return { items: (await this.rules.list(accountId)).map(toAlertRuleResponse) };
  }

  @Post() // Add an alert rule for an account or one of its keys
  @RequireStaff('accounts.write')
  async create(
    @Param('account_id') accountId: string,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: CreateAccountAlertRuleBody,
  ): Promise<AlertRuleResponse> {
    const id = await this.rules.create(actor, accountId, toNewRule(body), reason);
    return this.ruleResponse(accountId, id);
  }

  @Patch(':rule_id') // Edit an alert rule of an account
  @RequireStaff('accounts.write')
  async edit(
    @Param('account_id') accountId: string,
    @Param('rule_id') ruleId: string,
    @Change() change: ChangeByStaff,
    @Body() { reason: _, ...edit }: EditAlertRuleBody,
  ): Promise<AlertRuleResponse> {
    await this.rules.edit({ ...change, accountId, ruleId }, edit);
    return this.ruleResponse(accountId, ruleId);
  }

  @Delete(':rule_id') // Remove an alert rule from an account
  @HttpCode(204)
  @RequireStaff('accounts.write')
  async remove(
    @Param('account_id') accountId: string,
    @Param('rule_id') ruleId: string,
    @Change() change: ChangeByStaff,
  ): Promise<void> {
    await this.rules.remove({ ...change, accountId, ruleId });
  }

  private async ruleResponse(accountId: string, ruleId: string): Promise<AlertRuleResponse> {
    const rule = await this.rules.get(accountId, ruleId);
    return toAlertRuleResponse(rule);
  }
}
