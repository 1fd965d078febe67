import { byCaller } from '@app/administration/audit/audit-actors';
import type { Caller } from '@app/domain/keys/caller';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireScope } from '../http/route-access';
import { AccountChangesService } from '@app/administration/accounts/account-changes.service';
import { ThirdPartyDisablingBody } from './key-policy.dto';

@Controller('v1/workspaces/api-keys')
export class PublicKeyPolicyController {
  constructor(private readonly changes: AccountChangesService) {}

  /** For keys whose own setting is null: whether the finder of a leaked key can disable it. */
  @Post('third-party-disabling') // Set whether holders of keys may disable them
  @HttpCode(200)
  @RequireScope('workspace_write')
  async setThirdPartyDisabling(
    @CurrentCaller() caller: Caller,
    @Body() { third_party_disable_allowed: allowed }: ThirdPartyDisablingBody,
  ): Promise<{ status: 'ok' }> {
    const { accountId } = caller.key;
    const target = { actor: byCaller(caller), accountId, expected: 'any', reason: null } as const;
    await this.changes.setThirdPartyDisabling(target, allowed);
    return { status: 'ok' };
  }
}
