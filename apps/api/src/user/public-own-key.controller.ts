import type { Caller } from '@app/domain/keys/caller';
import { Controller, Get } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import { RequireAnyKey } from '../http/route-access';
import { toOwnKey, type OwnKeyResponse } from './own-key.dto';
import { UserService } from './user.service';

@Controller('v1/workspace/api-key')
export class PublicOwnKeyController {
  constructor(private readonly users: UserService) {}

  /** What the calling key may do, from where, with which limits, and what is left of them. Never its secret. */
  @Get() // Get what the calling key may do, and what is left to it
  @RequireAnyKey()
  async get(@CurrentCaller() caller: Caller): Promise<OwnKeyResponse> {
    return toOwnKey(await this.users.getOwnKey(caller));
  }
}
