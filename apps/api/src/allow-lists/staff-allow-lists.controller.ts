import { Body, Controller, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { byStaff } from '@app/administration/audit/audit-actors';
import { IfMatch } from '../http/etag';
import { etagOf, type ExpectedVersion } from '@app/domain/common/version';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import type { Staff } from '@app/domain/staff/staff';
import { ReasonBody } from '../http/reason';
import {
  CheckAllowListBody,
  ProposeAllowListBody,
  RehearseAllowListBody,
  ReplaceAllowListBody,
  toAllowListAnswer,
  toCheckAnswer,
  toProposalAnswer,
  toTrialAnswer,
  type AllowListAnswer,
  type ChangedAllowListAnswer,
  type CheckAnswer,
  type ProposalAnswer,
  type TrialAnswer,
} from './allow-list.dto';
import type { Draft } from '@app/administration/allow-lists/allow-list-draft';
import {
  AllowListTrialsService,
  RECENT_DAYS,
  type Trial,
} from '@app/administration/allow-lists/allow-list-trials.service';
import { AllowListsService, type ChangedList } from '@app/administration/allow-lists/allow-lists.service';

@Controller('admin/api-keys/:key_id/allowed-ips')
export class StaffAllowListsController {
  constructor(
    private readonly lists: AllowListsService,
    private readonly trials: AllowListTrialsService,
  ) {}

  @Get()
  @RequireStaff('keys.read')
  async get(
    @Param('key_id') keyId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AllowListAnswer> {
    const view = await this.lists.get(keyId);
    void reply.header('etag', etagOf(view.version));
    return toAllowListAnswer(view, new Date());
  }

  /** Gives the key another list; `entries: null` takes it away. */
  @Put()
  @RequireStaff('keys.write')
  async replace(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason, confirm = false, undo_after_minutes = null, ...body }: ReplaceAllowListBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListAnswer> {
    const draft = this.trials.read(body);
    await this.lists.get(keyId);
    const trial = await this.trials.rehearse(keyId, draft, RECENT_DAYS);
    const target = { actor: byStaff(staff), keyId, expected, reason };
    const wanted = { draft, trial: confirm ? null : trial, undoAfterMinutes: undo_after_minutes };
    return answer(reply, await this.lists.replace(target, wanted), draft, trial);
  }

  @Post('keep')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async keep(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListAnswer> {
    return answer(reply, await this.lists.keep({ actor: byStaff(staff), keyId, expected, reason }));
  }

  @Post('undo')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async undo(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedAllowListAnswer> {
    return answer(reply, await this.lists.undo({ actor: byStaff(staff), keyId, expected, reason }));
  }

  /** Reads a list without saving it. */
  @Post('check')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async check(
    @Param('key_id') keyId: string,
    @Body() { address, ...body }: CheckAllowListBody,
  ): Promise<CheckAnswer> {
    await this.lists.get(keyId);
    return toCheckAnswer(this.trials.check(body, address));
  }

  @Post('rehearse')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async rehearse(
    @Param('key_id') keyId: string,
    @Body() { days = RECENT_DAYS, ...body }: RehearseAllowListBody,
  ): Promise<TrialAnswer> {
    await this.lists.get(keyId);
    return toTrialAnswer(await this.trials.rehearse(keyId, this.trials.read(body), days));
  }

  @Post('propose')
  @HttpCode(200)
  @RequireStaff('keys.read')
  async propose(
    @Param('key_id') keyId: string,
    @Body() { days = RECENT_DAYS }: ProposeAllowListBody,
  ): Promise<ProposalAnswer> {
    await this.lists.get(keyId);
    return toProposalAnswer(await this.trials.propose(keyId, days), days);
  }
}

function answer(
  reply: FastifyReply,
  { view, receipt }: ChangedList,
  draft: Draft | null = null,
  trial: Trial | null = null,
): ChangedAllowListAnswer {
  void reply.header('etag', etagOf(view.version));
  return {
    ...toAllowListAnswer(view, new Date()),
    corrections: draft?.parsed.corrections ?? [],
    warnings: draft?.parsed.warnings ?? [],
    rehearsal: trial && toTrialAnswer(trial),
    receipt,
  };
}
