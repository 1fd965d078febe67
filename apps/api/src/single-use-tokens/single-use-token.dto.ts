import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { TOKEN_TYPE_NAMES, type TokenType } from '@app/domain/keys/single-use-token';
import type { PipeTransform } from '@nestjs/common';
import { checkEnum, checkString, withSchema } from '@app/domain/common/field-checks';
import { CheckedField, IntegerField, OptionalBody, StringField } from '../http/fields';
import { invalid } from '../http/wire-problem';
import type { NewToken } from './single-use-tokens.service';

const ABSENT = { optional: true, nullable: true };

const checkAddress = withSchema({ type: 'string', maxLength: 100 }, (value) => {
  const malformed = checkString({ max: 100 })(value);
  if (malformed.length > 0 || parseIpAddress(value as string) !== null) return malformed;
  const expected = 'an IPv4 or IPv6 address';
  return [{ type: 'ip_address', msg: `Input should be ${expected}`, ctx: { expected } }];
});

/** What a token is bound to, beyond its operation. The official client libraries send no body. */
@OptionalBody()
export class CreateTokenBody {
  /** The only address of a client that may use it. */
  @CheckedField(checkAddress, ABSENT)
  address?: string | null;

  /** The most that its request may cost. */
  @IntegerField({ ...ABSENT, min: 0, max: Number.MAX_SAFE_INTEGER })
  max_credits?: number | null;

  /** The only preview that its request may work on. */
  @StringField({ ...ABSENT, min: 1, max: 200 })
  generated_voice_id?: string | null;

  /** The only voice that its request may work on. */
  @StringField({ ...ABSENT, min: 1, max: 200 })
  voice_id?: string | null;
}

const checkType = checkEnum(TOKEN_TYPE_NAMES);

/** The last part of the path, which names what the token is for. */
export class TokenTypePipe implements PipeTransform<string, TokenType> {
  transform(input: string): TokenType {
    const path = ['token_type'];
    const problems = checkType(input).map(({ type, msg, ctx }) => ({
      type,
      path,
      msg,
      input,
      ...(ctx && { ctx }),
    }));
    if (problems.length > 0) throw invalid('path', ...problems);
    return input as TokenType;
  }
}

export function toNewToken(body: CreateTokenBody): NewToken {
  const { address, max_credits, generated_voice_id, voice_id } = body;
  return {
    address: address == null ? null : parseIpAddress(address),
    maxCredits: max_credits ?? null,
    pins: { generated_voice_id: generated_voice_id ?? null, voice_id: voice_id ?? null },
  };
}
