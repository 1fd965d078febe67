import type { TokenType } from '@app/domain/keys/single-use-token';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/caller';
import type { Caller } from '@app/domain/keys/caller';
import { RequireAnyKey } from '../http/route-access';
import { CreateTokenBody, TokenTypePipe, toNewToken } from './single-use-token.dto';
import { SingleUseTokensService } from './single-use-tokens.service';

@Controller('v1/single-use-token')
export class PublicSingleUseTokensController {
  constructor(private readonly tokens: SingleUseTokensService) {}

  @Post(':token_type') // Create a single-use token
  @HttpCode(200)
  @RequireAnyKey()
  async create(
    @CurrentCaller() caller: Caller,
    @Param('token_type', TokenTypePipe) type: TokenType,
    @Body() body: CreateTokenBody,
  ): Promise<{ token: string }> {
    return { token: await this.tokens.create(caller, type, toNewToken(body)) };
  }
}
