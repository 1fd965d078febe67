import { byStaff } from '@app/administration/audit/audit-actors';
import { KeySafetyService } from '@app/administration/key-safety/key-safety.service';
import { DomainError } from '@app/domain/errors';
import { FINDING_KINDS, type FindingKind } from '@app/domain/keys/key-findings';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { AcceptFindingBody, toFindingResponse, toUntil, type FindingResponse } from './key-safety.dto';

@Controller('admin/api-keys/:key_id/findings')
export class StaffKeyFindingsController {
  constructor(private readonly safety: KeySafetyService) {}

  /** What is found about a key, worst first. */
  @Get()
  @RequireStaff('keys.read')
  async list(@Param('key_id') keyId: string): Promise<{ items: FindingResponse[] }> {
    return { items: (await this.safety.list(keyId)).map(toFindingResponse) };
  }

  /** Accepts a finding until a time: until then it is not open. */
  @Post(':kind/accept')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async accept(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @Param('kind') kind: string,
    @Body() { reason, until }: AcceptFindingBody,
  ): Promise<{ items: FindingResponse[] }> {
    const target = { actor: byStaff(staff), keyId, kind: readKind(kind), reason };
    await this.safety.accept(target, toUntil(until, new Date()));
    return this.list(keyId);
  }

  /** Ends the acceptance of a finding: it is open again. */
  @Post(':kind/reopen')
  @HttpCode(200)
  @RequireStaff('keys.write')
  async reopen(
    @CurrentStaff() staff: Staff,
    @Param('key_id') keyId: string,
    @Param('kind') kind: string,
    @Body() { reason }: ReasonBody,
  ): Promise<{ items: FindingResponse[] }> {
    await this.safety.reopen({ actor: byStaff(staff), keyId, kind: readKind(kind), reason });
    return this.list(keyId);
  }
}

function readKind(text: string): FindingKind {
  const kind = FINDING_KINDS.find((known) => known === text);
  if (!kind) throw new DomainError('finding_not_found', { kind: text.slice(0, 100) });
  return kind;
}
