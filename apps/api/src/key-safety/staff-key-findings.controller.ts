import { KeySafetyService } from '@app/administration/key-safety/key-safety.service';
import { DomainError } from '@app/domain/errors';
import { FINDING_KINDS, type FindingKind } from '@app/domain/keys/key-findings';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { RequireStaff } from '../http/staff-access';
import { AcceptFindingBody, toFindingResponse, toUntil, type FindingResponse } from './key-safety.dto';

@Controller('admin/api-keys/:key_id/findings')
export class StaffKeyFindingsController {
  constructor(private readonly safety: KeySafetyService) {}

  /** What is found about a key, worst first. */
  @Get() // List the findings of an API key
  @RequireStaff('keys.read')
  async list(@Param('key_id') keyId: string): Promise<{ items: FindingResponse[] }> {
    return { items: (await this.safety.list(keyId)).map(toFindingResponse) };
  }

  /** Accepts a finding until a time: until then it is not open. */
  @Post(':kind/accept') // Accept a finding until a time
  @HttpCode(200)
  @RequireStaff('keys.write')
  async accept(
    @Param('key_id') keyId: string,
    @Param('kind') kind: string,
    @Action() action: ActionByStaff,
    @Body() { until }: AcceptFindingBody,
  ): Promise<{ items: FindingResponse[] }> {
    const target = { ...action, keyId, kind: readKind(kind) };
    await this.safety.accept(target, toUntil(until, new Date()));
    return this.list(keyId);
  }

  /** Ends the acceptance of a finding: it is open again. */
  @Post(':kind/reopen') // Reopen an accepted finding
  @HttpCode(200)
  @RequireStaff('keys.write')
  async reopen(
    @Param('key_id') keyId: string,
    @Param('kind') kind: string,
    @Action() action: ActionByStaff,
  ): Promise<{ items: FindingResponse[] }> {
    await this.safety.reopen({ ...action, keyId, kind: readKind(kind) });
    return this.list(keyId);
  }
}

function readKind(text: string): FindingKind {
  const kind = FINDING_KINDS.find((known) => known === text);
  if (!kind) throw new DomainError('finding_not_found', { kind: text.slice(0, 100) });
  return kind;
}
