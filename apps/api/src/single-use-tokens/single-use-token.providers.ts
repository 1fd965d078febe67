import { PublicSingleUseTokensController } from './public-single-use-tokens.controller';
import { SingleUseTokenGuard } from './single-use-token.guard';
import { SingleUseTokenVerifier } from './single-use-token.verifier';
import { SingleUseTokensService } from './single-use-tokens.service';

/** Single-use tokens, for the api's module. */
export const TOKEN_CONTROLLERS = [PublicSingleUseTokensController];
export const TOKEN_PROVIDERS = [SingleUseTokenGuard, SingleUseTokensService, SingleUseTokenVerifier];
