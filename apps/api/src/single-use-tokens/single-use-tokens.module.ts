import { AuthModule } from '@app/auth/auth.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { PublicSingleUseTokensController } from './public-single-use-tokens.controller';
import { SingleUseTokenHook } from './single-use-token.hook';
import { SingleUseTokenVerifier } from './single-use-token.verifier';
import { SingleUseTokensService } from './single-use-tokens.service';

/** Single-use tokens: issued to customers, accepted instead of a key. */
@Module({
  imports: [AuthModule, DatabaseModule],
  controllers: [PublicSingleUseTokensController],
  providers: [SingleUseTokenHook, SingleUseTokensService, SingleUseTokenVerifier],
  exports: [SingleUseTokenHook, SingleUseTokenVerifier],
})
export class SingleUseTokensModule {}
