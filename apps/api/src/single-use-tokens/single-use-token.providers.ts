import { PublicSingleUseTokensController } from './public-single-use-tokens.controller';
import { SingleUseTokenHook } from './single-use-token.hook';
import { SingleUseTokenVerifier } from './single-use-token.verifier';
import { SingleUseTokensService } from './single-use-tokens.service';

/** Single-use tokens, for the api's module. */
export const TOKEN_CONTROLLERS = [PublicSingleUseTokensController];
export const TOKEN_PROVIDERS = [SingleUseTokenHook, SingleUseTokensService, SingleUseTokenVerifier];
